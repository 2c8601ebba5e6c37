/* The currency that the titles and amounts of a file show, and the meaning of currency names in words. */

import { currencyCodes } from '../../domain/money/money.ts';
import {
  countryOfCurrency,
  isCurrencyOf,
  isFundCode,
  isSignOf,
  splitCurrencySign,
} from '../../kinds/fields/currency.ts';
import type { Column } from '../sheet/column.ts';
import { cellText } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import { mayBeAmount } from './evidence.ts';
import { phoneCountryFound } from './phone-countries.ts';

/**
 * The currency that the title of the amounts names. Otherwise the one that their signs, another title or the lines
 * above the header show.
 */
export function currencyFound(
  { titles, grid, header, columns }: Sheet,
  amount: Column | undefined,
): string | null {
  const above = grid.rows
    .filter(({ number }) => number < header[0])
    .flatMap((row) => row.cells.map((_, index) => cellText(row, index)));
  // The signs are put into brackets, as in a title, because a letter alone is not a sign.
  const signs = amount === undefined ? [] : signsOfMost(amount).map((sign) => `(${sign.replace(/^-/, '')})`);
  const labelled = above.filter((text) => labelledCode.test(text));
  const ofAmount = amount === undefined ? [] : [amount.title];
  const places = [ofAmount, signs, labelled, titles.map(moneyIn(columns)), above];
  for (const texts of places) {
    const codes = new Set(texts.flatMap(codesIn));
    if (codes.size === 1) return [...codes][0] ?? null;
    if (codes.size > 1) return null;
    const marks = new Set(texts.flatMap(signsIn));
    const possible =
      marks.size === 0
        ? []
        : currencyCodes.filter((code) => [...marks].every((mark) => isSignOf(mark, code)));
    if (possible.length === 1) return possible[0] ?? null;
    const phones = possible.length > 1 ? phoneCountryFound({ columns }) : null;
    const [own, another] = possible.filter((code) => phones !== null && isCurrencyOf(code, phones));
    if (own !== undefined && another === undefined) return own;
  }
  return null;
}

/** A line of a file that says nothing but its currency: `Currency: ZMW`. */
const labelledCode = /^[^:]{1,40}:\s*[A-Z]{3}$/u;

/** Codes of currencies that are words or abbreviations, which a text in capitals may mean. */
const codesLikeWords: ReadonlySet<string> = new Set(
  'ALL BAM BOB CAD COP CUP DOP GEL MAD MOP PEN RON SOS TOP TRY'.split(' '),
);

/** The codes of currencies in a text. `LIST OF ALL MEMBERS` has none. */
function codesIn(text: string): readonly string[] {
  const isInCapitals = !/\p{Ll}/u.test(text) && /\p{L}+\P{L}+\p{L}+\P{L}+\p{L}/u.test(text);
  const inBrackets = new Set(text.match(/(?<=\()[A-Z]{3}(?=\))/g));
  return (text.match(/\b[A-Z]{3}\b/g) ?? []).filter(
    (code) =>
      currencyCodes.includes(code) &&
      !isFundCode(code) &&
      !(isInCapitals && codesLikeWords.has(code) && !inBrackets.has(code)),
  );
}

const amountsLookedAt = 200;

/**
 * Returns the part of a title that may name a currency. Letters that are the sign of a currency often mean something
 * else: `Rm` means a room if its column has no amounts, and `Br.` a branch if it has whole numbers. Codes and symbols
 * are not ambiguous.
 */
function moneyIn(columns: readonly Column[]): (title: string) => string {
  const ofAmounts = new Set(columns.filter(mayBeAmount).map(({ title }) => title));
  const ofCodes = new Set(
    columns.filter(({ values }) => !values.some(hasSeparator)).map(({ title }) => title),
  );
  return (title) => {
    // Kilograms are far more often beside the amounts than soms of Kyrgyzstan.
    const text = title.replace(/\bkgs\b/giu, '');
    const isCode = ofCodes.has(title) && /^[\p{L}.]+$/u.test(text);
    return ofAmounts.has(title) && !isCode ? text : (text.match(/\b[A-Z]{3}\b|\p{Sc}/gu) ?? []).join(' ');
  };
}

/** Whether a value has thousands or hundredths: `1,200`, `12.50`. */
function hasSeparator({ text }: { readonly text: string }): boolean {
  return /\d[.,'\s]\d/u.test(text);
}

/** The signs beside the amounts of a column, if most amounts have one. A single sign applies only to its own row. */
function signsOfMost({ values }: Column): readonly string[] {
  const looked = values
    .slice(0, amountsLookedAt)
    .map(({ text, rows }) => ({ ...splitCurrencySign(text), rows }));
  const marked = looked.filter(({ sign }) => sign !== '');
  const rowsOf = (some: typeof looked): number => some.reduce((sum, { rows }) => sum + rows, 0);
  return rowsOf(marked) * 2 > rowsOf(looked) ? marked.map(({ sign }) => sign) : [];
}

/** Signs of currencies in a title or amount: `₦`, `(KSh)`, `€`. */
function signsIn(text: string): readonly string[] {
  const symbols = text.match(/\p{Sc}/gu) ?? [];
  const words = /^[\p{L}.]{2,5}$/u.test(text)
    ? [text]
    : (/\(([\p{L}][\p{L}. ]{0,5})\)/u.exec(text)?.slice(1, 2) ?? []);
  const isSign = (word: string): boolean =>
    currencyCodes.some((code) => code !== word && isSignOf(word, code));
  return [...symbols, ...words.filter(isSign)].filter((sign) => sign !== '$');
}

/** The country of a currency, or of all currencies in a column. */
export function currencyCountry(currency: string | null, column: Column | undefined): string | undefined {
  if (currency !== null) return countryOfCurrency(currency);
  // An invalid currency, such as a mistyped one, affects only its own row.
  const named = column?.values.map(({ text }) => text.toUpperCase()) ?? [];
  const codes = named.filter((code) => currencyCodes.includes(code)).map(countryOfCurrency);
  const [first] = codes;
  return first !== undefined && codes.every((code) => code === first) ? first : undefined;
}

/** The country whose currency is in the only column of currencies. */
export function currenciesCountry({ columns }: Pick<Sheet, 'columns'>): string | undefined {
  const [only, another] = columns.filter(
    ({ values }) =>
      values.length > 0 && values.every(({ text }) => currencyCodes.includes(text.trim().toUpperCase())),
  );
  return another === undefined ? currencyCountry(null, only) : undefined;
}

/*
 * Reads currencies that are named in words, in any language. The names come from Unicode's CLDR, which is part of
 * Node.js.
 */

/** Languages of the countries whose partners send files. */
const languages =
  'en fr es pt de it nl pl cs sk hu ro bg hr sl sr el tr ru uk sv da nb fi et lv lt sw am ar he hi ur bn id ms vi th zh ja ko zu'.split(
    ' ',
  );

let known: ReadonlyMap<string, string | null> | undefined;

/**
 * The ISO 4217 code of the currency that a text names; undefined if the text is not such a name, or is the name of
 * several currencies.
 */
export function currencyNamed(text: string): string | undefined {
  known ??= names();
  const named = known.get(folded(text));
  if (named !== undefined) return named ?? undefined;
  const [only, another] = currencyCodes.filter((code) => isSignOf(text, code));
  return another === undefined ? only : undefined;
}

/** All names of each currency, in the singular and the plural; null for a name of several currencies. */
function names(): ReadonlyMap<string, string | null> {
  const all = new Map<string, string | null>();
  const add = (name: string, code: string): void => {
    const key = folded(name);
    // In some languages the name is only a sign. It says nothing about other signs.
    if (key === '') return;
    const before = all.get(key);
    all.set(key, before === undefined || before === code ? code : null);
  };
  for (const language of languages) {
    const single = new Intl.DisplayNames([language], { type: 'currency' });
    for (const code of currencyCodes) {
      add(single.of(code) ?? code, code);
      const counted = new Intl.NumberFormat(language, {
        style: 'currency',
        currency: code,
        currencyDisplay: 'name',
      });
      for (const count of [1, 2, 5]) {
        const name = counted.formatToParts(count).find(({ type }) => type === 'currency')?.value;
        if (name !== undefined) add(name, code);
      }
    }
  }
  return all;
}

function folded(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
