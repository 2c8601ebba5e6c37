/* The form in which the values of a column are written, and other forms (conventions) that would read them too. */

import { canonicalAmount } from '../../domain/money/money.ts';
import { plainReadingRules } from '../../domain/tables/mapping.ts';
import { checkAmountInCurrency, createAmountCheck } from './amount.ts';
import { withoutLastDot, yearFirstDay } from './days.ts';
import { dayInWords } from './days-in-words.ts';
import { noOtherValues, passedValue, shorten } from './value-text.ts';

/** One form in which the values of a column may be written. */
export interface Convention {
  /** An example for messages: `1.234,50`, `DD/MM/YYYY`. */
  readonly example: string;
  /** Reads a value; undefined if the value does not have this form. */
  readonly read: (text: string, currency: string | undefined) => string | undefined;
  /** Whether it reads all values that the convention in force reads, and in the same way. */
  readonly isExtension: boolean;
}

/** The form of amounts, with both signs. */
export interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly thousands: '' | '.' | ',' | ' ' | "'";
}

/** The forms of amounts that people confuse: first the plain form, then the forms with fewer separators. */
export const numberStyles: readonly NumberStyle[] = [
  { decimal: '.', thousands: '' },
  { decimal: ',', thousands: '' },
  { decimal: '.', thousands: ',' },
  { decimal: ',', thousands: '.' },
  { decimal: '.', thousands: ' ' },
  { decimal: ',', thousands: ' ' },
  { decimal: '.', thousands: "'" },
];

/** A value, with its row. */
export interface Seen {
  readonly row: number;
  readonly text: string;
}

/** Another convention that has read every value so far. */
export interface RivalReading extends Convention {
  /** The first value that it and the convention in force read differently. */
  readonly misread?: Seen & { readonly inForce: string; readonly own: string };
}

/** How many values are quoted as proof. */
export const proofsNamed = 3;

/** If this many values have the expected form, a single other value is a separate mistake. */
const enoughBesideOne = 10;

/**
 * Determines which conventions are still possible for one column, value by value. Values that no convention reads are
 * separate mistakes. They do not count for the others.
 */
export class ColumnProfile {
  readonly title: string;
  readonly inForce: Convention;
  readonly #all: readonly Convention[];
  #rivals: readonly RivalReading[];
  #proofs: readonly Seen[] = [];
  /** The number of values that the convention in force reads. */
  #read = 0;

  constructor(title: string, inForce: Convention, others: readonly Convention[]) {
    this.title = title;
    this.inForce = inForce;
    this.#all = others;
    this.#rivals = others;
  }

  /** Whether no further value can contradict the convention in force. Then the rest of a large file need not be checked. */
  get isSettled(): boolean {
    return this.#rivals.every(({ isExtension }) => isExtension);
  }

  /** Values that the convention in force does not read, but that another convention reads. */
  get proofs(): readonly Seen[] {
    return this.#proofs;
  }

  /** The other conventions that read every value which any convention reads. */
  get rivals(): readonly RivalReading[] {
    return this.#rivals;
  }

  /** Adds a value that every convention reads in the same way. */
  takeNeutral(): void {
    this.#read += 1;
  }

  /** Adds a value. @returns whether any convention reads it */
  take(seen: Seen, currency: string | undefined): boolean {
    const inForce = this.inForce.read(seen.text, currency);
    if (inForce === undefined && !this.#all.some(({ read }) => read(seen.text, currency) !== undefined))
      return false;
    if (inForce !== undefined) this.#read += 1;
    if (inForce === undefined && this.#proofs.length < proofsNamed) this.#proofs = [...this.#proofs, seen];
    this.#rivals = this.#rivals.flatMap((rival): RivalReading[] => {
      if (rival.isExtension && inForce !== undefined) return [rival];
      const own = rival.read(seen.text, currency);
      if (own === undefined) return [];
      if (inForce === undefined || rival.misread !== undefined) return [rival];
      // Dates are not decimals, so they are compared as text.
      const [meantInForce, meant] = [canonicalAmount(inForce), canonicalAmount(own)];
      if (meantInForce === meant) return [rival];
      return [{ ...rival, misread: { ...seen, inForce: meantInForce, own: meant } }];
    });
    return true;
  }

  /**
   * The conventions that prove the one in force wrong for the column. A convention that only reads more values (`1,500` next
   * to `950.00`) is no contradiction, because the values that the convention in force reads are read correctly.
   */
  contradictedBy(areSomeRows: boolean): readonly RivalReading[] {
    if (this.#proofs.length === 0) return [];
    const misreading = this.#rivals.filter(({ misread }) => misread !== undefined);
    if (misreading.length > 0 || areSomeRows) return misreading;
    if (this.#proofs.length === 1 && this.#read >= enoughBesideOne) return [];
    return this.isSettled || this.#rivals.some(({ isExtension }) => isExtension) ? [] : this.#rivals;
  }
}

/** Values with their rows, for a sentence. */
export function namedValues(seen: readonly Seen[]): string {
  return seen.map(({ row, text }) => `${shorten(text)} in row ${row}`).join(', ');
}

/** A sentence, after a space, about a value that the convention in force reads differently; empty if there is none. */
export function misreadingText({ misread }: RivalReading): string {
  if (misread === undefined) return '';
  return ` ${namedValues([misread])} would be read as ${misread.inForce}, and means ${misread.own}.`;
}

/* Determines from the values of a column how its dates or amounts may be written. */

/** The share of values that must have the same form. The other values may be mistakes that validation has to find. */
const mostOf = 0.8;

/** Whether most of the values pass a check, and there is at least one value. */
function areMost<Value>(values: readonly Value[], check: (value: Value) => boolean): boolean {
  return values.length > 0 && values.filter(check).length / values.length >= mostOf;
}

const isoDay = /^\d{4}-\d\d-\d\d$/;
/** The number of digits of years: four, or the last two. */
type YearForm = 'YYYY' | 'YY';

/** A number of two digits is certainly a year, and not a day, only above 31. */
const forms: Readonly<Record<YearForm, { readonly first: RegExp; readonly last: RegExp }>> = {
  YYYY: { first: /^\d{4}([./-])(\d\d?)\1(\d\d?)$/, last: /^(\d\d?)([./-])(\d\d?)\2\d{4}$/ },
  YY: {
    first: /^(?:3[2-9]|[4-9]\d)([./-])(\d\d?)\1(\d\d?)$/,
    last: /^(\d\d?)([./-])(\d\d?)\2\d{2}$/,
  },
};
/** If dates contradict each other, an order of day and month needs this many dates for it for each date against it. */
const fewMistakes = 20;
/** With this many dates for an order, a single date against it counts as a mistake. */
const datesBesideOne = 5;

function outweighs(forIt: number, against: number): boolean {
  return against === 1 ? forIt >= datesBesideOne : forIt > against * fewMistakes;
}

/**
 * The form of a column's dates: a `dateFormat`; `unclear` if two are possible; null if there is none. ISO 8601 dates are
 * read whatever is declared. Days whose month is a word are read in addition to any other format.
 */
export function dateFormatOf(values: readonly string[], year: YearForm = 'YYYY'): string | 'unclear' | null {
  const [inWords, others] = [
    values.flatMap((value) => dayInWords(value) ?? []),
    values.map(withoutLastDot).filter((value) => !isoDay.test(value) && dayInWords(value) === undefined),
  ];
  if (others.length < inWords.length * (1 - mostOf)) {
    const areShort = inWords.some((day) => day.year.length === 2);
    if (areShort !== (year === 'YY')) return null;
    const ofNumbers = others.length === 0 ? null : formatOfNumbers(others, year);
    return ofNumbers === null || ofNumbers === 'unclear' ? `D MMM ${year}` : ofNumbers;
  }
  return others.length === 0 ? 'YYYY-MM-DD' : formatOfNumbers(others, year);
}

/** Days without any sign between their parts, by their format. Each has a year from 1900 to 2099. */
export const withoutSigns: readonly (readonly [format: string, form: RegExp])[] = [
  ['YYYYMMDD', /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/],
  ['DDMMYYYY', /^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d$/],
  ['MMDDYYYY', /^(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d\d$/],
];

/** The format of days without signs. Null if there are none, or if they suit two formats. */
function formatWithoutSigns(values: readonly string[]): string | null {
  const possible = withoutSigns.filter(([, form]) => areMost(values, (value) => form.test(value)));
  const [[format] = [null], ...others] = possible;
  return others.length === 0 ? format : null;
}

/** The form of days that are written with numbers only. */
function formatOfNumbers(others: readonly string[], year: YearForm): string | 'unclear' | null {
  const { first: yearFirst, last: yearLast } = forms[year];
  const compact = year === 'YYYY' ? formatWithoutSigns(others) : null;
  if (compact !== null) return compact;
  if (year === 'YYYY' && areMost(others, (value) => yearFirstDay(value) !== undefined))
    return yearFirstFormat(others);
  const isBeginning = (value: string): boolean => yearFirst.test(value);
  if (areMost(others, isBeginning))
    return withPlaces(others.filter(isBeginning), yearFirst, [year, 'M', 'D']);
  const isEnding = (value: string): boolean => yearLast.test(value);
  if (!areMost(others, isEnding)) return null;
  const ending = others.filter(isEnding);
  const parts = ending.map((value) => [yearLast.exec(value)?.[1], yearLast.exec(value)?.[3]].map(Number));
  // A text with two numbers above 12 is not a date in any order, so it proves no order.
  const daysFirst = parts.filter(([first = 0, second = 0]) => first > 12 && second <= 12).length;
  const monthsFirst = parts.filter(([first = 0, second = 0]) => first <= 12 && second > 12).length;
  if (daysFirst === 0 && monthsFirst === 0) return 'unclear';
  if (outweighs(daysFirst, monthsFirst)) return withPlaces(ending, yearLast, ['D', 'M', year]);
  return outweighs(monthsFirst, daysFirst) ? withPlaces(ending, yearLast, ['M', 'D', year]) : null;
}

/** The format of most of the days that are written with the year first. Any such format reads the others too. */
function yearFirstFormat(values: readonly string[]): string {
  const days = values.flatMap((value) => yearFirstDay(value) ?? []);
  const hasTwoPlaces = days.every(({ month, day }) => month.length === 2 && day.length === 2);
  const [month, day] = hasTwoPlaces ? ['MM', 'DD'] : ['M', 'D'];
  const counts = new Map<string, number>();
  for (const { sign } of days) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const [[sign] = ['/']] = [...counts].sort(([, left], [, right]) => right - left);
  if (sign === '年') return `YYYY年${month}月${day}日`;
  if (sign === '년') return `YYYY년 ${month}월 ${day}일`;
  const format = ['YYYY', month, day].join(sign);
  // YYYY-MM-DD reads no other form, declared or not. YYYY-M-D reads other forms with the year first as well.
  return format === 'YYYY-MM-DD' ? 'YYYY-M-D' : format;
}

/** The format, with the sign of most values. Day and month have two places if every value has two digits there. */
function withPlaces(values: readonly string[], form: RegExp, parts: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) {
    const sign = form
      .exec(value)
      ?.slice(1)
      .find((part) => !/\d/.test(part));
    if (sign !== undefined) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  const [[separator] = []] = [...counts].sort(([, left], [, right]) => right - left);
  if (separator === undefined) return null;
  const hasTwoPlaces = values.every((value) =>
    /^\d\d\D\d\d\D\d{2}(?:\d{2})?$|^\d{4}\D\d\d\D\d\d$/.test(value),
  );
  return parts.map((part) => (part.length === 1 && hasTwoPlaces ? part + part : part)).join(separator);
}

/**
 * The possible forms of a column's amounts. If several forms result in the same amounts, only the plainest form is returned.
 * If people have written the thousands in several ways, it is the form of the decimals with the most frequent thousands. The
 * result is empty for other mixed forms, and has several elements if a person has to decide.
 * @param currency the one currency of all amounts; a form that results in more decimals than the currency has is excluded
 */
export function possibleNumberStyles(values: readonly string[], currency?: string): readonly NumberStyle[] {
  const readAs = (style: NumberStyle, anyThousands: boolean) => {
    const check = createAmountCheck({ ...plainReadingRules, ...style, anyThousands });
    const amounts = values.map((value) => {
      const amount = passedValue(check(value, undefined, { ...noOtherValues, valueOf: () => currency }));
      if (amount === undefined || currency === undefined) return amount;
      return passedValue(checkAmountInCurrency(amount, currency));
    });
    return { style, amounts, fitting: amounts.filter((amount) => amount !== undefined).length };
  };
  const readings = numberStyles.map((style) => readAs(style, false));
  const most = Math.max(...readings.map(({ fitting }) => fitting));
  if (values.length > 0 && (most === 0 || most < values.length * mostOf)) {
    const [decimal, another] = (['.', ','] as const).filter(
      (sign) => readAs({ decimal: sign, thousands: '' }, true).fitting >= values.length * mostOf,
    );
    if (decimal === undefined || another !== undefined) return [];
    const own = readings.filter(({ style }) => style.decimal === decimal);
    return own
      .sort((one, other) => other.fitting - one.fitting)
      .map(({ style }) => style)
      .slice(0, 1);
  }
  const byAmounts = new Map<string, NumberStyle>();
  for (const { style, amounts, fitting } of readings) {
    const key = amounts.join(' ');
    if (fitting === most && !byAmounts.has(key)) byAmounts.set(key, style);
  }
  return [...byAmounts.values()];
}
