import { plainReadingRules, type ReadingRules } from '../../domain/mapping.ts';
import { createAmountCheck } from '../../resources/check/amount.ts';
import { valueChecks } from '../../resources/check/field-types.ts';
import { noOtherValues } from '../../resources/check/row-values.ts';
import { isRefusal, passedValue } from '../../resources/check/verdict.ts';
import type { FieldType } from '../../resources/definition.ts';

/** Types whose values are known by their looks, the most telling first. */
const tellingTypes = [
  'iban',
  'email',
  'uuid',
  'phone',
  'state',
  'currency',
  'country',
] as const satisfies readonly FieldType[];

export type TellingType = (typeof tellingTypes)[number];

/** Most values of a column look alike; a few may be the very mistakes that validation is there for. */
const mostOf = 0.8;

const checks = valueChecks(plainReadingRules, '9999-12-31');

function looksLike(type: TellingType, values: readonly string[]): boolean {
  const alike = values.filter((value) => !isRefused(type, value));
  return values.length > 0 && alike.length >= values.length * mostOf;
}

function isRefused(type: TellingType, value: string): boolean {
  const verdict = checks(type)(value, undefined, noOtherValues);
  return typeof verdict !== 'string' && isRefusal(verdict);
}

/** What the values of a column look like; undefined when they look like nothing in particular. */
export function lookOf(values: readonly string[]): TellingType | undefined {
  return tellingTypes.find((type) => looksLike(type, values));
}

/** Whether none of the values can be one of that type; types without a look of their own take any. */
export function isNoneOfType(type: FieldType, values: readonly string[]): boolean {
  const telling = tellingTypes.find((candidate) => candidate === type);
  return telling !== undefined && values.length > 0 && values.every((value) => isRefused(telling, value));
}

/** How the days of a column are written: a `dateFormat`, `unclear` when two are possible, null for none. */
export function dateFormatOf(values: readonly string[]): string | 'unclear' | null {
  if (values.length === 0 || values.every((value) => /^\d{4}-\d\d-\d\d$/.test(value))) return 'YYYY-MM-DD';
  const yearFirst = /^\d{4}([./-])(\d\d?)\1(\d\d?)$/;
  if (values.every((value) => yearFirst.test(value)))
    return withPlaces(values, yearFirst, ['YYYY', 'M', 'D']);
  const yearLast = /^(\d\d?)([./-])(\d\d?)\2\d{4}$/;
  if (!values.every((value) => yearLast.test(value))) return null;
  const first = Math.max(...values.map((value) => Number(yearLast.exec(value)?.[1])));
  const second = Math.max(...values.map((value) => Number(yearLast.exec(value)?.[3])));
  if (first > 12 && second > 12) return null;
  if (first <= 12 && second <= 12) return 'unclear';
  return withPlaces(values, yearLast, first > 12 ? ['D', 'M', 'YYYY'] : ['M', 'D', 'YYYY']);
}

/** The format with two places for day and month where every value has them. */
function withPlaces(values: readonly string[], form: RegExp, parts: readonly string[]): string | null {
  const separators = new Set(
    values.map((value) =>
      form
        .exec(value)
        ?.slice(1)
        .find((part) => !/\d/.test(part)),
    ),
  );
  const [separator] = separators;
  if (separators.size !== 1 || separator === undefined) return null;
  const hasTwoPlaces = values.every((value) => /^\d\d\D\d\d\D\d{4}$|^\d{4}\D\d\d\D\d\d$/.test(value));
  return parts.map((part) => (part.length === 1 && hasTwoPlaces ? part + part : part)).join(separator);
}

export type NumberStyle = Pick<ReadingRules, 'decimal' | 'thousands'>;

/** The plain form first, then those with fewer separators. */
const numberStyles: readonly NumberStyle[] = [
  { decimal: '.', thousands: '' },
  { decimal: ',', thousands: '' },
  { decimal: '.', thousands: ',' },
  { decimal: ',', thousands: '.' },
  { decimal: '.', thousands: ' ' },
  { decimal: ',', thousands: ' ' },
  { decimal: '.', thousands: "'" },
];

/** How the amounts of a column are written; `unclear` when two ways give other amounts, null for none. */
export function numberStyleOf(values: readonly string[]): NumberStyle | 'unclear' | null {
  const possible = numberStyles.flatMap((style) => {
    const check = createAmountCheck({ ...plainReadingRules, ...style });
    const amounts = values.map((value) => passedValue(check(value, undefined, noOtherValues)));
    return amounts.every((amount) => amount !== undefined) ? [{ style, meaning: amounts.join(' ') }] : [];
  });
  const [first] = possible;
  if (first === undefined) return null;
  return possible.every(({ meaning }) => meaning === first.meaning) ? first.style : 'unclear';
}
