/** Finds the country and currency of the rows, from titles, amounts, phone numbers and states. */

import {
  countryOfCurrency,
  currencyCodes,
  currencyOfCountry,
  isCurrencyOf,
  isSignOf,
  splitCurrencySign,
} from '../../kinds/fields/amount.ts';
import { checkIban } from '../../kinds/fields/bank-numbers.ts';
import { readPhone } from '../../kinds/fields/phone.ts';
import { countryNamed, countryWritten } from '../../kinds/fields/places.ts';
import { passedValue } from '../../kinds/fields/value-text.ts';
import { columnsOf } from '../../kinds/registry.ts';
import type { MappingFile } from '../../read/mapping/mapping-file.ts';
import { type Decisions, decidedText } from '../decisions.ts';
import { type Column, share } from '../sheet/column.ts';
import { cellText } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField } from './column-use.ts';
import { internationalShare, mayBeAmount, phoneShare, stateShare } from './evidence.ts';
import { bicCountry, countryOfInstitutions } from './names-and-codes.ts';

/** The currency and country of the rows, as far as they are known. */
export interface Places {
  /** The currency of all rows; null where a column has it, or where it is unknown. */
  readonly currency: string | null;
  /** The country of the institutions and of the phone numbers; null where it is unknown. */
  readonly country: string | null;
  readonly phoneCountry: MappingFile['phoneCountry'] | null;
  /** Values that are the same for all rows and in no column. */
  readonly constants: Readonly<Record<string, string>>;
  /** Countries in which the phone numbers without `+` could be read, where several could. */
  readonly phoneCountries: readonly string[];
}

export function placesOf(sheet: Sheet, assignment: Assignment, decisions: Decisions): Places {
  const { kind, definitions, uses } = assignment;
  const fields = new Set(columnsOf(kind));
  const columnFor = (field: string): Column | undefined => columnOfField(uses, field);
  const decided = (field: string): string | undefined =>
    decidedText(decisions.get(`constant:${field}`))?.trim() || undefined;
  const constants: Record<string, string> = {};

  const ofOneType = definitions.length === 1 ? definitions[0] : undefined;
  const hasCurrency = columnFor('currency') !== undefined;
  const ofAmounts =
    decided('currency')?.toUpperCase() ??
    ofOneType?.onlyCurrency ??
    currencyFound(sheet, columnFor('amount'));
  const institutions = columnFor('institution_name');
  const ofInstitutions =
    institutions === undefined
      ? undefined
      : countryOfInstitutions(institutions, (code) => ofAmounts === null || isCurrencyOf(ofAmounts, code));
  const ofThese = ofInstitutions === undefined ? undefined : currencyOfCountry(ofInstitutions);
  const currency = hasCurrency ? null : (ofAmounts ?? ofThese ?? null);
  if (fields.has('currency') && currency !== null) constants['currency'] = currency;

  const countries = columnFor('country');
  const states = columnFor('state');
  const ofAllPhones = kind === 'customers' && countries === undefined ? phoneCountryFound(sheet) : null;
  const ofPayeeType = ofOneType?.onlyCountry;
  const ofStates =
    states === undefined || countries !== undefined
      ? undefined
      : stateCountry(states, ofAllPhones ?? countryOfCurrency(currency ?? '') ?? ofPayeeType);
  const ofCurrencies = currencyCountry(currency, columnFor('currency'));
  const ofPhones = currency === null ? null : phoneCountryFound(sheet);
  const ofUnion =
    ofPhones !== null && currency !== null && isCurrencyOf(currency, ofPhones) ? ofPhones : undefined;
  const country =
    decided('institution_country')?.toUpperCase() ??
    decided('country')?.toUpperCase() ??
    ofCurrencies ??
    ofUnion ??
    ofInstitutions ??
    ofStates ??
    ofPayeeType ??
    ofAllPhones ??
    null;

  const hasAddress = uses.some(({ fields: own }) =>
    own.some((field) => ['address_line1', 'city', 'postal_code', 'state'].includes(field)),
  );
  const stated = decided('country');
  const addressCountry =
    (stated === undefined ? undefined : countryWritten(stated)) ?? ofStates ?? ofPayeeType;
  if (fields.has('country') && countries === undefined && hasAddress && addressCountry !== undefined)
    constants['country'] = addressCountry;
  if (kind === 'collections' && countries === undefined && country !== null) constants['country'] = country;
  const namesInstitution =
    columnFor('institution_name') !== undefined || columnFor('institution_id') !== undefined;
  if (
    fields.has('institution_country') &&
    namesInstitution &&
    country !== null &&
    columnFor('institution_country') === undefined
  )
    constants['institution_country'] = country;

  return {
    currency,
    country,
    constants,
    ...phonesOf(assignment, countries, country ?? addressCountry ?? null, decisions),
  };
}

/**
 * The currency that the title of the amounts names, or that their signs, another title or the lines above the header
 * show.
 */
export function currencyFound(
  { titles, grid, header, columns }: Sheet,
  amount: Column | undefined,
): string | null {
  const above = grid.rows
    .filter(({ number }) => number < header[0])
    .flatMap((row) => row.cells.map((_, index) => cellText(row, index)));
  // In brackets, as in a title, since a letter alone is not a sign.
  const signs = amount === undefined ? [] : signsOfMost(amount).map((sign) => `(${sign.replace(/^-/, '')})`);
  const places = [amount === undefined ? [] : [amount.title], signs, titles.map(moneyIn(columns)), above];
  for (const texts of places) {
    const codes = new Set(
      texts.flatMap((text) =>
        (text.match(/\b[A-Z]{3}\b/g) ?? []).filter((code) => currencyCodes.includes(code)),
      ),
    );
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

const amountsLookedAt = 200;

/**
 * What a title may say of a currency. Letters that are a sign of one are often something else: `Rm` is the room where its column
 * has no amounts. Codes and symbols are not.
 */
function moneyIn(columns: readonly Column[]): (title: string) => string {
  const ofAmounts = new Set(columns.filter(mayBeAmount).map(({ title }) => title));
  return (title) => (ofAmounts.has(title) ? title : (title.match(/\b[A-Z]{3}\b|\p{Sc}/gu) ?? []).join(' '));
}

/** The signs beside the amounts of a column, where most amounts have one; a single one applies to its own row. */
function signsOfMost({ values }: Column): readonly string[] {
  const looked = values
    .slice(0, amountsLookedAt)
    .map(({ text, rows }) => ({ ...splitCurrencySign(text), rows }));
  const marked = looked.filter(({ sign }) => sign !== '');
  const rowsOf = (some: typeof looked): number => some.reduce((sum, { rows }) => sum + rows, 0);
  return rowsOf(marked) * 2 > rowsOf(looked) ? marked.map(({ sign }) => sign) : [];
}

const fewestFound = 2;

/** The one country of the phone numbers that contain it, with `+` or `00`. */
function phoneCountryFound({ columns }: Pick<Sheet, 'columns'>): string | null {
  const countries = columns.flatMap(({ values }) =>
    values.flatMap(({ text }) => {
      const phone = /^(?:\+|00)/.test(text) ? readPhone(text.replace(/^00/, '+')) : undefined;
      return phone?.isValid && phone.country !== null ? [phone.country] : [];
    }),
  );
  const [first] = countries;
  const isOne = first !== undefined && countries.every((country) => country === first);
  return isOne && countries.length >= fewestFound ? first : null;
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

function currencyCountry(currency: string | null, column: Column | undefined): string | undefined {
  if (currency !== null) return countryOfCurrency(currency);
  // An invalid currency, such as a mistyped one, affects only its own row.
  const named = column?.values.map(({ text }) => text.toUpperCase()) ?? [];
  const codes = named.filter((code) => currencyCodes.includes(code)).map(countryOfCurrency);
  const [first] = codes;
  return first !== undefined && codes.every((code) => code === first) ? first : undefined;
}

/** The country whose currency the only column of currencies has. */
export function currenciesCountry({ columns }: Pick<Sheet, 'columns'>): string | undefined {
  const [only, another] = columns.filter(
    ({ values }) =>
      values.length > 0 && values.every(({ text }) => currencyCodes.includes(text.trim().toUpperCase())),
  );
  return another === undefined ? currencyCountry(null, only) : undefined;
}

const fewestStates = 0.7;

/** The least share, where the country is also known from elsewhere. */
const fewestOfHome = 0.5;

/** @param home the country that is known from elsewhere */
function stateCountry(states: Column, home: string | undefined): string | undefined {
  if (home !== undefined && stateShare(states, [home]).share >= fewestOfHome) return home;
  const { country, share } = stateShare(states);
  return share >= fewestStates ? country : undefined;
}

const fewestPhones = 0.5;
/** The share of the numbers that must fit a country known from elsewhere. */
const fewPhones = 0.2;
/** Countries whose phone numbers are tried where the country is unknown: those with mobile money, and large ones. */
const triedCountries =
  'KE UG TZ RW GH NG ZM MW MZ ZA SN CI CM BJ BF ML ET EG MA IN PK BD PH ID BR MX CO AR PE CL US GB DE FR ES IT PT NL PL AU'.split(
    ' ',
  );

function phonesOf(
  { kind, uses }: Assignment,
  countries: Column | undefined,
  country: string | null,
  decisions: Decisions,
): Pick<Places, 'phoneCountry' | 'phoneCountries'> {
  const decided = decidedText(decisions.get('reading:phone_country'));
  if (decided !== undefined) {
    return {
      phoneCountries: [],
      phoneCountry: decided.startsWith('column:')
        ? { column: decided.slice('column:'.length) }
        : decided.toUpperCase(),
    };
  }
  const fields = new Set(
    ['phone', 'phone_number', 'account_number'].filter((field) => columnsOf(kind).includes(field)),
  );
  const phones = uses
    .filter((use) => use.fields.some((field) => fields.has(field)))
    .map(({ column }) => column);
  const own =
    uses.find((use) => use.fields.some((field) => field === 'phone' || field === 'phone_number'))?.column ??
    phones[0];
  if (own === undefined || internationalShare(own) > 0.995) return { phoneCountry: null, phoneCountries: [] };
  const national = nationalOf(own);
  // A country that is known for each row is as good as a column.
  const named =
    countries === undefined
      ? 0
      : countries.cells.filter(({ text }) => countryNamed(text) !== undefined || /^[A-Z]{2}$/.test(text))
          .length;
  if (
    countries !== undefined &&
    named >= countries.cells.length * 0.7 &&
    new Set(countries.values.map(({ text }) => countryNamed(text) ?? text)).size > 1
  )
    return { phoneCountry: { column: countries.title }, phoneCountries: [] };
  const possible = [
    ...(country === null ? [] : [country]),
    ...(countries === undefined
      ? []
      : countries.values.slice(0, 1).map(({ text }) => countryNamed(text) ?? text.toUpperCase())),
  ];
  // Account numbers that may be phone numbers are read as such only where an institution says so.
  const isAccount = !uses.some((use) =>
    use.fields.some((field) => field === 'phone' || field === 'phone_number'),
  );
  const [first] = isAccount ? possible : possible.filter((code) => phoneShare(national, code) > fewPhones);
  if (first !== undefined) return { phoneCountry: first, phoneCountries: [] };
  if (possible.length > 0) return { phoneCountry: null, phoneCountries: [] };
  const readable = triedCountries
    .map((code) => ({ code, share: phoneShare(national, code) }))
    .filter(({ share }) => share >= fewestPhones)
    .sort((left, right) => right.share - left.share);
  const [best, next] = readable;
  if (best !== undefined && best.share > (next?.share ?? 0) + 0.2)
    return { phoneCountry: best.code, phoneCountries: readable.map(({ code }) => code) };
  return { phoneCountry: null, phoneCountries: readable.map(({ code }) => code) };
}

/** The column without the values that contain their country. */
function nationalOf(column: Column): Column {
  const isNational = ({ text }: { readonly text: string }): boolean => !text.startsWith('+');
  return { ...column, cells: column.cells.filter(isNational), values: column.values.filter(isNational) };
}

/* Which country the other columns of a file say for the rows with a value of its column of countries. */

/** The country of a value that has one in its own form. */
type CountryOf = (text: string) => string | undefined;

const forms: readonly CountryOf[] = [
  (text) => passedValue(checkIban(text))?.slice(0, 2),
  bicCountry,
  (text) => {
    if (!/^(?:\+|00)/.test(text)) return undefined;
    const phone = readPhone(text.replace(/^00/, '+'));
    return phone?.isValid === true ? (phone.country ?? undefined) : undefined;
  },
];

/** Words in capitals look like BICs, so a column has to be of one form. */
const leastOfForm = 0.5;
/** A single row may well be an account abroad. */
const fewestRows = 2;

/** What the other columns say about the values of a column of countries. */
export interface CountriesFound {
  /** The one country of all rows with a value, as far as they say one; undefined for few or different ones. */
  readonly of: (value: string) => string | undefined;
  /** Whether any row of the file says this country. */
  readonly isSaid: (code: string) => boolean;
}

export function countriesFound(columns: readonly Column[], countries: Column): CountriesFound {
  const byRow = new Map<number, string | null>();
  for (const column of columns) {
    const form = column === countries ? undefined : formOf(column);
    if (form === undefined) continue;
    const known = new Map(column.values.map(({ text }) => [text, form(text)]));
    for (const { row, text } of column.cells) {
      const code = known.get(text);
      if (code === undefined) continue;
      // A row whose account and phone are of two countries says neither.
      byRow.set(row, (byRow.get(row) ?? code) === code ? code : null);
    }
  }
  const said = new Set(byRow.values());
  const byValue = new Map<string, string[]>();
  for (const { row, text } of countries.cells) {
    const code = byRow.get(row);
    if (code === undefined || code === null) continue;
    const codes = byValue.get(text) ?? [];
    codes.push(code);
    byValue.set(text, codes);
  }
  return {
    of: (value) => {
      const [first, ...others] = byValue.get(value) ?? [];
      return others.length + 1 >= fewestRows && others.every((code) => code === first) ? first : undefined;
    },
    isSaid: (code) => said.has(code),
  };
}

function formOf(column: Column): CountryOf | undefined {
  if (column.cells.length < fewestRows) return undefined;
  return forms.find((form) => share(column, (text) => form(text) !== undefined) >= leastOfForm);
}
