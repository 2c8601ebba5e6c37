import { eachInTurn } from '../../domain/machine/map-in-turns.ts';
import { fractionDigitsOf } from '../../domain/money/money.ts';
import { filled, plainReadingRules, type Repair } from '../../domain/tables/mapping.ts';
import { createAmountCheck } from '../../kinds/fields/amount.ts';
import { unitNamed } from '../../kinds/fields/amount-units.ts';
import { formOfAccounts } from '../../kinds/fields/bank-numbers.ts';
import { type NumberStyle, possibleNumberStyles } from '../../kinds/fields/column-profile.ts';
import { countryOfCurrency, isSignOf, splitCurrencySign } from '../../kinds/fields/currency.ts';
import { isEmptyWord } from '../../kinds/fields/empty-words.ts';
import { noOtherValues, passedValue } from '../../kinds/fields/value-text.ts';
import { ruleOf } from '../../kinds/registry.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import { type Decisions, decidedText } from '../decisions.ts';
import type { RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField } from './column-use.ts';
import { columnsOfBirth, formatOfDayParts } from './day-parts.ts';
import { dateStyle, dayOffers } from './day-writing.ts';
import type { Places } from './places.ts';
import { offerOf, offersFor, type RepairOffer } from './repaired-values.ts';

/** How values are written: amounts, dates, the order of names, and the repairs that a person has agreed to. */

export interface Writing {
  readonly mapping: Pick<
    MappingFile,
    'accountForms' | 'decimal' | 'thousands' | 'currencySigns' | 'dateFormat' | 'empty' | 'repair'
  >;
  readonly nameOrder: 'first_last' | 'last_first';
  readonly offers: readonly RepairOffer[];
  /** Whether a person has to decide which sign separates decimals. */
  readonly isDecimalUnclear: boolean;
  /** Formats of dates between which a person has to decide. */
  readonly dateFormats: readonly string[];
  /** The likely decimal sign if it is unclear; null if it is unknown. */
  readonly likelyDecimal: '.' | ',' | null;
  /** The columns of the amounts and of the dates, for questions about them. */
  readonly amounts: Column | undefined;
  readonly days: Column | undefined;
}

/** @param ofRows cells that a repair would change because of the kind or the position of their row */
export async function writingOf(
  assignment: Assignment,
  places: Places,
  decisions: Decisions,
  ofRows: readonly {
    readonly name: Repair;
    readonly column: Column;
    readonly cells: readonly RepairSample[];
  }[],
): Promise<Writing> {
  const amounts = columnOfField(assignment.uses, 'amount');
  const parts = columnsOfBirth(assignment.uses);
  const days = parts.length > 0 ? undefined : columnOfField(assignment.uses, 'date_of_birth');
  const amount = amountStyle(amounts, places, decisions);
  const date =
    parts.length > 0
      ? { mapping: filled({ dateFormat: formatOfDayParts(parts) }), possible: [] }
      : dateStyle(days, decisions);
  // `X` is October among the parts of days, and no word for nothing.
  const used = assignment.uses.filter(({ fields, column }) => fields.length > 0 && !parts.includes(column));
  const ofColumns = await eachInTurn(used, (use) => offersFor(use, assignment, places, decisions));
  const offers = [
    ...ofColumns.flat(),
    ...dayOffers(days, date.mapping.dateFormat),
    ...ofRows.flatMap(({ name, column, cells }) => offerOf(column, name, false, cells)),
  ];
  const agreed = offers.filter(({ name, column, isHarmless }) => {
    const said = decisions.get(`repair:${column.title}:${name}`);
    return said === undefined ? isHarmless : said === 'yes';
  });
  const repair: Record<string, Repair[]> = {};
  for (const { name, column } of agreed) repair[column.title] = [...(repair[column.title] ?? []), name];
  const empty = emptyWords(agreed, assignment);
  return {
    mapping: {
      ...amount.mapping,
      ...date.mapping,
      ...filled({ empty, repair }),
      ...accountFormsOf(assignment),
    },
    nameOrder:
      decidedText(decisions.get('reading:name_order')) === 'last_first' ? 'last_first' : 'first_last',
    offers,
    isDecimalUnclear: amount.isUnclear,
    dateFormats: date.possible,
    likelyDecimal: amount.proposed,
    amounts,
    days,
  };
}

/** The form of the account numbers, if none of them can be a phone number. */
function accountFormsOf({ uses, definitions }: Assignment): Pick<MappingFile, 'accountForms'> {
  if (definitions.some(({ payeeType }) => payeeType === 'mobile_money')) return {};
  const own = uses.find(({ fields }) => fields.length === 1 && fields[0] === 'account_number');
  const texts = own?.column.cells.filter(({ isNumber }) => !isNumber).map(({ text }) => text) ?? [];
  const form = formOfAccounts([...new Set(texts)]);
  return own === undefined || form === undefined ? {} : { accountForms: { [own.column.title]: form } };
}

interface AmountStyle {
  readonly mapping: Pick<MappingFile, 'decimal' | 'thousands' | 'currencySigns'>;
  readonly isUnclear: boolean;
  /** The likely decimal sign; null if it is unknown. */
  readonly proposed: '.' | ',' | null;
}

/** How the amounts of a column are written. */
export function amountStyle(
  column: Column | undefined,
  { currency }: Pick<Places, 'currency'>,
  decisions: Decisions,
): AmountStyle {
  if (column === undefined) return { mapping: {}, isUnclear: false, proposed: null };
  const texts = column.cells.filter(({ isNumber }) => !isNumber).map(({ text }) => text);
  const isMarked = texts.some((text) => hasMark(text, currency));
  const numbers = texts
    .map(
      (text) =>
        splitCurrencySign(
          withCents(text)
            .replace(/^[-(]|[)-]$/g, '')
            .trim(),
        ).number,
    )
    .filter((text) => /^\d[\d.,'\s\u00a0\u202f]*$/.test(text));
  // Thousands have more decimals than their currency.
  const known = unitNamed(column.title) === undefined ? currency : null;
  const found = numbers.length === 0 ? [] : possibleNumberStyles(numbers, known ?? undefined);
  const decidedDecimal = decidedText(decisions.get('reading:decimal'));
  const decidedThousands = decidedText(decisions.get('reading:thousands'));
  const style =
    found.length === 1 ? found[0] : (styleBeside(column, numbers, found) ?? customary(found, numbers, known));
  const isSettled = found.length < 2 || styleBeside(column, numbers, found) !== undefined;
  const decimal = decidedDecimal === '.' || decidedDecimal === ',' ? decidedDecimal : style?.decimal;
  const stated = decidedThousands === 'none' ? '' : decidedThousands;
  const thousands = isThousands(stated)
    ? stated
    : (style?.thousands ?? (decimal === undefined ? undefined : separatorIn(numbers, decimal)));
  return {
    isUnclear: !isSettled && decidedDecimal === undefined,
    proposed: style?.decimal ?? null,
    mapping: filled({
      // The plain sign is also stated if the values alone do not show it.
      decimal: decimal === '.' && found.length < 2 ? undefined : decimal,
      thousands: thousands === '' || thousands === decimal ? undefined : thousands,
      currencySigns: isMarked ? ('accept' as const) : undefined,
    }),
  };
}

/** An amount in which a dash stands for no cents: `37.500,-` is 37.500,00. Behind a sign between groups a dash says nothing. */
function withCents(text: string): string {
  return text.replace(/([.,])\s?[-–—=]{1,2}$/u, (_, sign: string, at: number) =>
    text.indexOf(sign) === at ? `${sign}00` : '',
  );
}

/**
 * Chooses a style by comparison with number cells nearby. The two readings of three digits after a sign differ by a
 * factor of 1,000, and such cells are close to only one of them.
 */
function styleBeside(
  { cells }: Column,
  texts: readonly string[],
  styles: readonly NumberStyle[],
): NumberStyle | undefined {
  const beside = cells.flatMap(({ isNumber, text }) => (isNumber ? [Number(text)] : [])).filter((n) => n > 0);
  const typical = middleOf(beside);
  if (beside.length < fewestBeside || typical === undefined) return undefined;
  const near = styles.filter((style) => {
    const check = createAmountCheck({ ...plainReadingRules, ...style });
    const read = texts.map((text) =>
      Number(passedValue(check(text, undefined, noOtherValues)) ?? Number.NaN),
    );
    const own = middleOf(read.filter((n) => n > 0));
    return own !== undefined && Math.abs(Math.log10(own / typical)) < nearInTens;
  });
  return near.length === 1 ? near[0] : undefined;
}

const fewestBeside = 3;
const nearInTens = 1.3;

function middleOf(numbers: readonly number[]): number | undefined {
  return [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)];
}

/**
 * The style that fits the currency; undefined if the currency is not known. Amounts never have more decimals than the
 * currency, not even zeros, so the comma in `666,000` is not a decimal sign. If several styles are left, the usual
 * decimal sign in the currency's country decides, by Unicode's CLDR.
 */
function customary(
  styles: readonly NumberStyle[],
  numbers: readonly string[],
  currency: string | null,
): NumberStyle | undefined {
  if (currency === null) return undefined;
  const most = fractionDigitsOf(currency) ?? 2;
  const suits = ({ decimal }: NumberStyle): boolean =>
    numbers.every((text) => {
      const at = text.lastIndexOf(decimal);
      return at === -1 || text.length - at - 1 <= most;
    });
  const [suiting, another] = styles.filter(suits);
  if (suiting !== undefined && another === undefined) return suiting;
  const country = countryOfCurrency(currency);
  if (country === undefined) return undefined;
  const parts = new Intl.NumberFormat(new Intl.Locale(`und-${country}`).maximize().toString()).formatToParts(
    1.5,
  );
  const sign = parts.find(({ type }) => type === 'decimal')?.value;
  const own = styles.filter(({ decimal }) => decimal === sign);
  return own.length === 1 ? own[0] : undefined;
}

function isThousands(text: string | undefined): text is '' | ',' | '.' | ' ' | "'" {
  return text !== undefined && ['', ',', '.', ' ', "'"].includes(text);
}

/** The sign between groups of three digits, once the decimal sign is known. */
function separatorIn(numbers: readonly string[], decimal: '.' | ','): '' | ',' | '.' | ' ' | "'" {
  const other = decimal === '.' ? ',' : '.';
  if (numbers.some((text) => text.includes(other))) return other;
  if (numbers.some((text) => /\d[\s\u00a0\u202f]\d/.test(text))) return ' ';
  return numbers.some((text) => text.includes("'")) ? "'" : '';
}

function hasMark(text: string, currency: string | null): boolean {
  const { sign } = splitCurrencySign(text);
  return sign !== '' && (currency === null || isSignOf(sign, currency));
}

/** Words for empty cells, by column, because a dash may be a value in another column. */
function emptyWords(agreed: readonly RepairOffer[], { kind, uses }: Assignment): Record<string, string[]> {
  return Object.fromEntries(
    agreed
      .filter(({ name }) => name === 'empty_words')
      .map(({ column }) => {
        const field = uses.find((use) => use.column === column)?.fields[0] ?? '';
        const type = ruleOf(kind, field)?.type ?? 'text';
        const words = column.values.filter(({ text }) => isEmptyWord(text, type)).map(({ text }) => text);
        return [column.title, [...new Map(words.map((word) => [word.toLowerCase(), word])).values()]];
      }),
  );
}
