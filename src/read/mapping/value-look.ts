/* How the dates and amounts of a column may be written, from its values. */

import { plainReadingRules } from '../../domain/tables/mapping.ts';
import { checkAmountInCurrency, createAmountCheck } from '../../kinds/fields/amount.ts';
import { type NumberStyle, numberStyles } from '../../kinds/fields/column-profile.ts';
import { dayInWords, yearFirstDay } from '../../kinds/fields/days.ts';
import { noOtherValues, passedValue } from '../../kinds/fields/value-text.ts';

/** The share of values that have to be alike. The others may be the mistakes that validation has to find. */
const mostOf = 0.8;

/** The share of values that pass, from 0 to 1; 0 for no values. */
function shareOf<Value>(values: readonly Value[], check: (value: Value) => boolean): number {
  return values.length === 0 ? 0 : values.filter(check).length / values.length;
}

/** Whether most of the values pass, and there are any. */
function areMost<Value>(values: readonly Value[], check: (value: Value) => boolean): boolean {
  return shareOf(values, check) >= mostOf;
}

const isoDay = /^\d{4}-\d\d-\d\d$/;
/** How many digits years have: four, or the last two. */
type YearForm = 'YYYY' | 'YY';

/** Two digits are certainly a year, and not a day, only above 31. */
const forms: Readonly<Record<YearForm, { readonly first: RegExp; readonly last: RegExp }>> = {
  YYYY: { first: /^\d{4}([./-])(\d\d?)\1(\d\d?)$/, last: /^(\d\d?)([./-])(\d\d?)\2\d{4}$/ },
  YY: {
    first: /^(?:3[2-9]|[4-9]\d)([./-])(\d\d?)\1(\d\d?)$/,
    last: /^(\d\d?)([./-])(\d\d?)\2\d{2}$/,
  },
};
/** Where dates contradict each other, an order needs this many dates for it per date against it. */
const fewMistakes = 20;
/** A single date against an order counts as a mistake beside this many dates for it. */
const enoughBesideOne = 5;

function outweighs(forIt: number, against: number): boolean {
  return against === 1 ? forIt >= enoughBesideOne : forIt > against * fewMistakes;
}

/**
 * How the dates of a column are written: a `dateFormat`, `unclear` when two are possible, null for none. ISO 8601
 * dates are read whatever is declared, days whose month is a word besides every other format.
 */
export function dateFormatOf(values: readonly string[], year: YearForm = 'YYYY'): string | 'unclear' | null {
  const { first: yearFirst, last: yearLast } = forms[year];
  const [inWords, others] = [
    values.flatMap((value) => dayInWords(value) ?? []),
    values.filter((value) => !isoDay.test(value) && dayInWords(value) === undefined),
  ];
  if (others.length < inWords.length * (1 - mostOf)) {
    const areShort = inWords.some((day) => day.year.length === 2);
    return areShort === (year === 'YY') ? `D MMM ${year}` : null;
  }
  if (others.length === 0) return 'YYYY-MM-DD';
  if (year === 'YYYY' && areMost(others, (value) => yearFirstDay(value) !== undefined))
    return yearFirstFormat(others);
  const isBeginning = (value: string): boolean => yearFirst.test(value);
  if (areMost(others, isBeginning))
    return withPlaces(others.filter(isBeginning), yearFirst, [year, 'M', 'D']);
  const isEnding = (value: string): boolean => yearLast.test(value);
  if (!areMost(others, isEnding)) return null;
  const ending = others.filter(isEnding);
  const parts = ending.map((value) => [yearLast.exec(value)?.[1], yearLast.exec(value)?.[3]].map(Number));
  // Two numbers above 12 are not a date in any order, so they prove none.
  const daysFirst = parts.filter(([first = 0, second = 0]) => first > 12 && second <= 12).length;
  const monthsFirst = parts.filter(([first = 0, second = 0]) => first <= 12 && second > 12).length;
  if (daysFirst === 0 && monthsFirst === 0) return 'unclear';
  if (outweighs(daysFirst, monthsFirst)) return withPlaces(ending, yearLast, ['D', 'M', year]);
  return outweighs(monthsFirst, daysFirst) ? withPlaces(ending, yearLast, ['M', 'D', year]) : null;
}

/** The format of most of the days written year first: any such format reads the others too. */
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
  // Declared or not, YYYY-MM-DD reads no other form.
  return format === 'YYYY-MM-DD' ? 'YYYY-M-D' : format;
}

/** The format; day and month get two digits if every value has two. */
function withPlaces(values: readonly string[], form: RegExp, parts: readonly string[]): string | null {
  const separators = values.map((value) =>
    form
      .exec(value)
      ?.slice(1)
      .find((part) => !/\d/.test(part)),
  );
  const [separator] = separators;
  if (separator === undefined || !areMost(separators, (other) => other === separator)) return null;
  const hasTwoPlaces = values.every((value) =>
    /^\d\d\D\d\d\D\d{2}(?:\d{2})?$|^\d{4}\D\d\d\D\d\d$/.test(value),
  );
  return parts.map((part) => (part.length === 1 && hasTwoPlaces ? part + part : part)).join(separator);
}

/**
 * The ways in which a column's amounts may be written. Of ways that give the same amounts, only the plainest is
 * returned. None are returned for mixed ways, several where a person has to decide.
 * @param currency the one currency of all amounts; a way that gives more decimals than it has is excluded
 */
export function possibleNumberStyles(values: readonly string[], currency?: string): readonly NumberStyle[] {
  const readings = numberStyles.map((style) => {
    const check = createAmountCheck({ ...plainReadingRules, ...style });
    const amounts = values.map((value) => {
      const amount = passedValue(check(value, undefined, { ...noOtherValues, valueOf: () => currency }));
      if (amount === undefined || currency === undefined) return amount;
      return passedValue(checkAmountInCurrency(amount, currency));
    });
    return { style, amounts, fitting: amounts.filter((amount) => amount !== undefined).length };
  });
  const most = Math.max(...readings.map(({ fitting }) => fitting));
  if (values.length > 0 && (most === 0 || most < values.length * mostOf)) return [];
  const byAmounts = new Map<string, NumberStyle>();
  for (const { style, amounts, fitting } of readings) {
    const key = amounts.join(' ');
    if (fitting === most && !byAmounts.has(key)) byAmounts.set(key, style);
  }
  return [...byAmounts.values()];
}
