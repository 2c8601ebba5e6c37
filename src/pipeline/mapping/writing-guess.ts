import { canonicalAmount } from '../../domain/money/money.ts';
import { plainReadingRules } from '../../domain/tables/mapping.ts';
import { createAmountCheck } from '../../resources/check/amount.ts';
import { createBirthDateCheck } from '../../resources/check/birth-date.ts';
import { currencyCodes } from '../../resources/check/currency.ts';
import { isSignOf, splitCurrencySign } from '../../resources/check/currency-sign.ts';
import { noOtherValues } from '../../resources/check/row-values.ts';
import { passedValue, type ValueCheck } from '../../resources/check/value-result.ts';
import { shorten } from '../../resources/check/wording.ts';
import { columnsOf } from '../../resources/registry.ts';
import type { MappingFile } from './mapping-file.ts';
import {
  exceptions,
  type FieldColumn,
  fieldColumns,
  type Guess,
  nothingToSay,
  propose,
  question,
  readBy,
  type Sampled,
  type SampleReading,
  translate,
} from './proposed-reading.ts';
import { dateFormatOf, type NumberStyle, possibleNumberStyles, type YearForm } from './value-look.ts';

/** How dates are written, where that is not as paybatch reads them by itself. */
export function dateWriting(table: Sampled): Guess {
  const column = fieldColumns(table).find(({ type }) => type === 'birth_date');
  if (column === undefined) return nothingToSay;
  const place = shorten(column.title);
  const stated = /\b(?:DD?([./-])MM?|MM?([./-])DD?)[./-]YY(?:YY)?\b/.exec(column.title.toUpperCase())?.[0];
  const [year, found] = stated === undefined ? formatOf(column.values) : [yearIn(stated), stated];
  switch (found) {
    case 'YYYY-MM-DD':
      return nothingToSay;
    case 'unclear':
      return question(
        `${place}: which comes first, day or month? State it as "dateFormat": "DD/MM/${year}" or "MM/DD/${year}", with the separator of the file.`,
        possibleFormats(column.values, year).map((format) => proposeDates(column, format, table.today)),
      );
    case null:
      return question(`${place}: the dates are not all written in one way that is known.`);
    default:
      return proposeDates(column, found, table.today);
  }
}

/** Years of two digits are a way of writing where no other one is. */
function formatOf(values: readonly string[]): readonly [YearForm, ReturnType<typeof dateFormatOf>] {
  const found = dateFormatOf(values);
  return found === null ? ['YY', dateFormatOf(values, 'YY')] : ['YYYY', found];
}

function yearIn(format: string): YearForm {
  return format.includes('YYYY') ? 'YYYY' : 'YY';
}

/** The two orders in which days of a column may stand, where none of them tells. */
function possibleFormats(values: readonly string[], year: YearForm): readonly string[] {
  const separator =
    values.map((value) => /^\d\d?(?<sign>[./-])/.exec(value)?.groups?.['sign']).find(Boolean) ?? '/';
  const parts = values.every((value) => /^\d\d\D\d\d\D/.test(value)) ? ['DD', 'MM'] : ['D', 'M'];
  return [parts, [...parts].reverse()].map((order) => [...order, year].join(separator));
}

function proposeDates({ title, values }: FieldColumn, format: string, today: string): Guess {
  const readings = readingsBy(createBirthDateCheck(format, today), values);
  const century = yearIn(format) === 'YY' ? ', and mean the latest such year that is not in the future' : '';
  const text = `Days in ${shorten(title)} are written ${format}${century}.${exceptions(values.length, readings.length)}`;
  return propose(text, { dateFormat: format }, readings);
}

/** How amounts are written: separators as the column has them, and signs of the currency. */
export function amountWriting(table: Sampled, currencies: readonly string[]): Guess {
  const column = fieldColumns(table).find(({ type }) => type === 'amount');
  if (column === undefined) return nothingToSay;
  const place = shorten(column.title);
  // A number cell has no separators.
  const texts = column.values.filter((value) => !column.numbers.includes(value));
  const split = texts.map(splitCurrencySign);
  const [currency, another] = currencies;
  const hasSigns = currency !== undefined && split.some(({ sign }) => sign !== '');
  const only = another === undefined ? currency : undefined;
  const numbers = hasSigns ? split.map(({ number }) => number) : texts;
  const [style, ...otherStyles] = possibleNumberStyles(numbers, only);
  if (style === undefined)
    return question(`${place}: the amounts are not all written in one way that is known.`);
  if (otherStyles.length > 0) {
    return question(
      `${place}: does the sign before three digits stand between thousands, or before decimals? State "decimal" and "thousands".`,
      [style, ...otherStyles].map((each) =>
        // What is agreed to is stated, the plain form too: nothing in the file says it.
        proposeAmounts(column, texts, each, hasSigns, { decimal: each.decimal }),
      ),
    );
  }
  const isPlain = style.decimal === '.' && style.thousands === '' && !hasSigns;
  return isPlain ? nothingToSay : proposeAmounts(column, texts, style, hasSigns);
}

function proposeAmounts(
  { title }: FieldColumn,
  texts: readonly string[],
  style: NumberStyle,
  hasSigns: boolean,
  stated: MappingFile = {},
): Guess {
  const { decimal, thousands } = style;
  const mapping: MappingFile = {
    ...stated,
    ...(decimal === '.' ? {} : { decimal }),
    ...(thousands === '' ? {} : { thousands }),
    ...(hasSigns ? { currencySigns: 'accept' } : {}),
  };
  const currencySigns = hasSigns ? 'accept' : 'refuse';
  const check = createAmountCheck({ ...plainReadingRules, ...style, currencySigns });
  const readings = readingsBy(check, texts).map(({ before, after }) => ({
    before,
    // Beside another way of reading it, `12.500` has to show what it is: 12.5.
    after: stated.decimal === undefined ? after : canonicalAmount(after),
  }));
  const example = `1${thousands}234${decimal}50`;
  const signs = hasSigns ? ', with a sign of the currency' : '';
  const text = `Amounts in ${shorten(title)} are written like ${example}${signs}.${exceptions(texts.length, readings.length)}`;
  return propose(text, mapping, readings);
}

/** The currency that the amount's title names, where no column has it: `Amt (KES)`. */
export function currencyOfTitle(table: Sampled): Guess {
  const columns = fieldColumns(table);
  const amount = columns.find(({ type }) => type === 'amount');
  if (amount === undefined || columns.some(({ field }) => field === 'currency')) return nothingToSay;
  if (!columnsOf(table.kind).includes('currency')) return nothingToSay;
  const currency = currencyIn(amount);
  if (currency === null) return nothingToSay;
  return propose(`All amounts are in ${currency}, as ${shorten(amount.title)} says.`, {
    constants: { currency },
  });
}

/** The currency that a title names by its code, or all of its amounts by a sign that only one currency has. */
function currencyIn({ title, values }: FieldColumn): string | null {
  const words = title.match(/\b[A-Z]{3}\b/g) ?? [];
  const named = words.filter((word) => currencyCodes.includes(word));
  if (named.length === 1) return named[0] ?? null;
  const signInTitle = /\(([^)]+)\)/.exec(title)?.[1]?.trim();
  const signs = values.map((value) => splitCurrencySign(value).sign).filter((sign) => sign !== '');
  const wanted = [...new Set(signInTitle === undefined ? signs : [signInTitle])];
  if (named.length > 1 || wanted.length === 0 || wanted.length > 3) return null;
  const possible = currencyCodes.filter((code) => wanted.every((sign) => isSignOf(sign, code)));
  return possible.length === 1 ? (possible[0] ?? null) : null;
}

/** What people write for a gender, in five languages, and the values that the API's specification has seen. */
const genders: Readonly<Record<string, readonly string[]>> = {
  male: [
    'm',
    'male',
    'man',
    'mann',
    'männlich',
    'maennlich',
    'homme',
    'masculin',
    'masculino',
    'mume',
    'mwanamume',
  ],
  female: [
    'f',
    'w',
    'female',
    'woman',
    'frau',
    'weiblich',
    'femme',
    'féminin',
    'feminino',
    'mke',
    'mwanamke',
  ],
};

/** Translations of genders, where every value of the column is one. */
export function genderWriting(table: Sampled): Guess {
  const column = fieldColumns(table).find(({ field }) => field === 'gender');
  if (column === undefined) return nothingToSay;
  const meaning = (value: string): string | undefined =>
    Object.keys(genders).find((gender) => genders[gender]?.includes(value.toLowerCase()));
  return column.values.every((value) => meaning(value) !== undefined)
    ? translate(column, meaning)
    : nothingToSay;
}

function readingsBy(check: ValueCheck, values: readonly string[]): readonly SampleReading[] {
  return readBy(values, (value) => passedValue(check(value, undefined, noOtherValues)));
}
