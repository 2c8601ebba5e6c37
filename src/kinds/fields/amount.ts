/* Amounts: how they are read from a cell, how they are checked, and which texts look like an amount. */

import {
  formatDecimal,
  fractionDigitsOf,
  parseNumberText,
  withoutTrailingZeros,
} from '../../domain/money/money.ts';
import { readAs } from '../../domain/rows/finding.ts';
import { say } from '../../domain/settings/message.ts';
import { plainReadingRules, type ReadingRules } from '../../domain/tables/mapping.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import { inCurrencyUnits, unitInWords } from './amount-units.ts';
import { isSignOf, isSignOfAny, splitCurrencySigns } from './currency.ts';
import {
  passedValue,
  type RowValues,
  shownValue,
  type ValueCheck,
  type ValueRefusal,
  type ValueResult,
} from './value-text.ts';

const plainAmount = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const notZero = /[1-9]/;
const onlyZeros = /^0+$/;
const noSigns: readonly string[] = [];

/** Converts an amount from the mapping's declared form to the plain form; undefined if it has another form. */
type Unlocalise = (text: string) => string | undefined;

function escapePattern(text: string): string {
  return text.replace(/[.'\s]/g, '\\$&');
}

/** Lakhs and crores: `12,34,567.50`. Only the last group has three digits, so the form is unambiguous. */
const indianGroups = /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?$/;
/**
 * The currencies whose amounts are grouped in this way, according to Unicode's CLDR. For other currencies a digit may be
 * missing, so a person has to confirm the form.
 */
const indianCurrencies: ReadonlySet<string> = new Set(['BDT', 'BTN', 'INR', 'LKR', 'NPR', 'PKR']);

function readIndianGroups(
  text: string,
  { decimal, thousands, anyThousands = false }: ReadingRules,
  row: RowValues,
): string | undefined {
  if (decimal !== '.' || !(thousands === ',' || anyThousands) || !indianGroups.test(text)) return undefined;
  const currency = row.valueOf('currency');
  return anyThousands || currency === undefined || indianCurrencies.has(currency)
    ? text.replaceAll(',', '')
    : undefined;
}

/** The signs that people write between groups of three digits. */
const groupSigns = ['.', ',', ' ', '\u00a0', '\u202f', "'", '’'];

/** A whole number with the same sign between all its groups of three digits, whichever sign it is. */
const wholeInGroups = new RegExp(
  `^[1-9]\\d{0,2}(?:([${groupSigns.map(escapePattern).join('')}])\\d{3})(?:\\1\\d{3})*$`,
);

/**
 * In a currency without decimals every sign separates groups, including the sign that is the decimal sign elsewhere in the
 * file. So `125.500` francs are not 125 and a half.
 */
function readWholeGroups(text: string, { anyThousands }: ReadingRules, row: RowValues): string | undefined {
  if (anyThousands !== true || !wholeInGroups.test(text)) return undefined;
  const currency = row.valueOf('currency');
  return currency !== undefined && fractionDigitsOf(currency) === 0 ? text.replace(/\D/g, '') : undefined;
}

/**
 * Whether three digits after the decimal sign may be a group of thousands. If the amounts of a file have groups at all,
 * people write no more decimals than the currency has, so `82.000` next to `125 500` may be 82 or 82,000. A decimal comma
 * had to be declared, so with a comma this doubt remains only in a currency without decimals.
 */
function createDoubt({
  decimal,
  thousands,
  anyThousands,
}: ReadingRules): (text: string, row: RowValues) => boolean {
  if (thousands === '' && anyThousands !== true) return () => false;
  const form = new RegExp(`^[1-9]\\d{0,2}${escapePattern(decimal)}\\d{3}$`);
  return (text, row) => {
    if (!form.test(text)) return false;
    const digits = fractionDigitsOf(row.valueOf('currency') ?? '');
    return digits === 0 || (digits !== undefined && digits < 3 && decimal === '.');
  };
}

function refuseDoubt(text: string, { decimal }: ReadingRules): ValueRefusal {
  const [whole = '', group = ''] = text.split(decimal);
  const message = say`${shownValue(text)} may be ${whole} or ${whole}${group}: write it without "${decimal}"`;
  return { code: 'invalid_amount', message };
}

/** Requires the same sign between all groups of a number; the sign may differ from number to number. */
function createAnyGroups(decimal: string): Unlocalise {
  const signs = groupSigns.filter((sign) => sign !== decimal).map(escapePattern);
  const form = new RegExp(
    `^([1-9]\\d{0,2}(?:([${signs.join('')}])\\d{3})(?:\\2\\d{3})*)(${escapePattern(decimal)}\\d+)?$`,
  );
  return (text) => {
    const [, groups, , fraction = ''] = form.exec(text) ?? [];
    return groups === undefined ? undefined : groups.replace(/\D/g, '') + fraction.replace(decimal, '.');
  };
}

/** A hyphen may also be between two numbers, so it needs groups before it, or zeros behind it: `1,500-50`, `500-00`. */
const behindMark = /^(?<whole>[\d.,'’\s]*\d)(?::|(?<=\d\D\d{3})-|-(?=00$))(?<hundredths>\d\d)$/u;

/** Handwritten marks before hundredths: `45,000:00`, `45,000-50`. */
function readHundredths(text: string, readWhole: Unlocalise): string | undefined {
  const { whole = '', hundredths = '' } = behindMark.exec(text)?.groups ?? {};
  const plain = readWhole(whole);
  return plain === undefined || !/^\d+$/.test(plain) ? undefined : `${plain}.${hundredths}`;
}

function createUnlocalise({ decimal, thousands, anyThousands = false }: ReadingRules): Unlocalise {
  if (anyThousands) {
    const inForce = createUnlocalise({ ...plainReadingRules, decimal, thousands });
    const anyGroups = createAnyGroups(decimal);
    const read: Unlocalise = (text) => anyGroups(text) ?? inForce(text);
    return (text) => readHundredths(text, read) ?? read(text);
  }
  if (decimal === '.' && thousands === '') return (text) => text;
  const whole = thousands === '' ? '' : `|[1-9]\\d{0,2}(?:${escapePattern(thousands)}\\d{3})+`;
  const form = new RegExp(`^(?:\\d+${whole})(?:${escapePattern(decimal)}\\d+)?$`);
  return (text) => {
    const spaced = thousands === ' ' ? text.replace(/[\u00a0\u202f]/g, ' ') : text;
    if (!form.test(spaced)) return undefined;
    const joined = thousands === '' ? spaced : spaced.replaceAll(thousands, '');
    return joined.replace(decimal, '.');
  };
}

/** A numeric cell has no separators, whatever the form of the file's text is. It may have an exponent or zeros. */
function readNumericCell(text: string): string | undefined {
  const number = parseNumberText(text.replace(/^0+(?=\d)/, ''));
  return number === undefined
    ? undefined
    : formatDecimal(number.scale === 0 ? number : withoutTrailingZeros(number));
}

function refuse(text: string, { decimal, thousands, power }: ReadingRules): ValueRefusal {
  const example = `1${thousands}000${decimal}50`;
  const declared =
    decimal === '.' && thousands === ''
      ? ' (where numbers have other separators, say how the file is read)'
      : '';
  const message = say`${shownValue(text)} is not a plain positive amount; write it${unitInWords(power)} like ${example}${declared}`;
  return { code: 'invalid_amount', message };
}

/**
 * A plain positive decimal in its currency. Separators, the row's currency sign and another unit are accepted only as the mapping
 * declares them.
 */
export function createAmountCheck(reading: ReadingRules): ValueCheck {
  const { power } = reading;
  const check = createPlainCheck(reading);
  if (power === undefined) return check;
  return (text, kind, row) => {
    const result = check(text, kind, row);
    const plain = passedValue(result);
    if (plain === undefined) return result;
    const value = inCurrencyUnits(plain, power);
    return { value, notes: [readAs(value)] };
  };
}

/** The check of an amount, in the unit in which it is written. */
function createPlainCheck(reading: ReadingRules): ValueCheck {
  const unlocalise = createUnlocalise(reading);
  const acceptsSigns = reading.currencySigns === 'accept';
  // An amount in thousands has three decimals more than its currency, so its decimal sign separates no groups.
  const hasMoreDecimals = reading.power !== undefined && reading.power > 0;
  const isDoubtful = hasMoreDecimals ? () => false : createDoubt(reading);
  return (text: string, kind: CellKind | undefined, row: RowValues): ValueResult => {
    if (kind === 'number' || kind === 'shown_number') {
      const plain = readNumericCell(text);
      return isAmount(plain) ? plain : refuse(text, reading);
    }
    const { signs, number } = acceptsSigns ? splitCurrencySigns(text) : { signs: noSigns, number: text };
    const inGroups = hasMoreDecimals ? undefined : readWholeGroups(number, reading, row);
    if (inGroups === undefined && isDoubtful(number, row)) return refuseDoubt(number, reading);
    const plain = inGroups ?? readIndianGroups(number, reading, row) ?? unlocalise(number);
    if (!isAmount(plain)) return refuse(text, reading);
    const currency = signs.length === 0 ? undefined : row.valueOf('currency');
    const strange = currency === undefined ? undefined : signs.find((sign) => !isSignOf(sign, currency));
    if (strange !== undefined && currency !== undefined) return refuseSign(strange, currency);
    return plain === text ? plain : { value: plain, notes: [readAs(plain)] };
  };
}

function isAmount(plain: string | undefined): plain is string {
  return plain !== undefined && plainAmount.test(plain) && notZero.test(plain);
}

function refuseSign(sign: string, currency: string): ValueRefusal {
  const message = say`${shownValue(sign)} is not a sign of ${currency}, the currency of its row`;
  return { code: 'currency_mismatch', message };
}

/** No more fraction digits than the currency has. Additional zeros are removed, but other digits are not dropped. */
export function checkAmountInCurrency(amount: string, currency: string): ValueResult {
  const digits = fractionDigitsOf(currency);
  const point = amount.indexOf('.');
  if (digits === undefined || point === -1 || amount.length - point - 1 <= digits) return amount;
  const excess = amount.slice(point + 1 + digits);
  if (onlyZeros.test(excess)) return amount.slice(0, digits === 0 ? point : point + 1 + digits);
  const message = say`${shownValue(amount)} has more fraction digits than ${currency} has (${digits})`;
  return { code: 'too_many_decimals', message };
}

const amountForm =
  /^[^\d\s]{0,6}\s?[-(]?\d{1,3}(?:[\s.,'\u00a0\u202f]?\d{3})*(?:[.,]\d{1,3})?\)?-?\s?(?:\/=|\/-|[^\d\s]{0,6})$/u;

/**
 * Whether a text has the form of an amount, with any currency signs before or after it. References may have this form too.
 */
export function hasAmountForm(text: string): boolean {
  return amountForm.test(text);
}

/** Whether a text is a number so long that it is probably an account or phone number, and not an amount. */
export function isLongNumber(text: string): boolean {
  return /^\d{9,}$/.test(text);
}

/**
 * Whether a text is almost certainly an amount: a number with only a sign and currency marks before or after it. A text that
 * begins with a zero or a plus is probably a phone number, and a long number is probably an account number.
 */
export function looksLikeAmount(text: string): boolean {
  if (!hasAmountForm(text) || isLongNumber(text) || /^(?:\+|0\d)/.test(text)) return false;
  const unsigned = text.replace(/^[-(]\s?|\s?[-)]$/g, '');
  const { signs, number } = splitCurrencySigns(unsigned);
  return /^[-(]?\d[\d\s.,'\u00a0\u202f]*$/.test(number) && signs.every(isSignOfAny);
}
