import { formatDecimal, parseNumberText, withoutTrailingZeros } from '../../domain/money/money.ts';
import { readingNote } from '../../domain/rows/finding.ts';
import type { ReadingRules } from '../../domain/tables/mapping.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import { fractionDigitsOf } from './currency.ts';
import { isSignOf, splitCurrencySigns } from './currency-sign.ts';
import type { RowValues } from './row-values.ts';
import type { ValueCheck, ValueRefusal, ValueResult } from './value-result.ts';
import { shorten } from './wording.ts';

const plainAmount = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const notZero = /[1-9]/;
const onlyZeros = /^0+$/;
const noSigns: readonly string[] = [];

/** The amount as the mapping says that the file writes it, in the plain form; undefined for another form. */
type Unlocalise = (text: string) => string | undefined;

function escapePattern(text: string): string {
  return text.replace(/[.'\s]/g, '\\$&');
}

/** Lakhs and crores: `12,34,567.50`. Only the last group has three digits, so nothing else is written so. */
const indianGroups = /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?$/;
/** Where amounts are grouped so, by Unicode's CLDR. */
const indianCurrencies: ReadonlySet<string> = new Set(['BDT', 'BTN', 'INR', 'LKR', 'NPR', 'PKR']);

function readIndianGroups(
  text: string,
  { decimal, thousands }: ReadingRules,
  row: RowValues,
): string | undefined {
  if (decimal !== '.' || thousands !== ',' || !indianGroups.test(text)) return undefined;
  const currency = row.valueOf('currency');
  return currency === undefined || indianCurrencies.has(currency) ? text.replaceAll(',', '') : undefined;
}

function createUnlocalise({ decimal, thousands }: ReadingRules): Unlocalise {
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

/** A numeric cell has no separators, whatever the file's text has, but may come with an exponent or zeros. */
function readNumericCell(text: string): string | undefined {
  const number = parseNumberText(text.replace(/^0+(?=\d)/, ''));
  return number === undefined
    ? undefined
    : formatDecimal(number.scale === 0 ? number : withoutTrailingZeros(number));
}

function refuse(text: string, { decimal, thousands }: ReadingRules): ValueRefusal {
  const example = `1${thousands}000${decimal}50`;
  const declared =
    decimal === '.' && thousands === '' ? ' (other separators have to be declared in a mapping)' : '';
  const message = `${shorten(text)} is not a plain positive amount; write it like ${example}${declared}`;
  return { code: 'invalid_amount', message };
}

/** A plain positive decimal; separators and signs of the row's currency only as the mapping declares them. */
export function createAmountCheck(reading: ReadingRules): ValueCheck {
  const unlocalise = createUnlocalise(reading);
  const acceptsSigns = reading.currencySigns === 'accept';
  return (text: string, kind: CellKind | undefined, row: RowValues): ValueResult => {
    if (kind === 'number' || kind === 'shown_number') {
      const plain = readNumericCell(text);
      return isAmount(plain) ? plain : refuse(text, reading);
    }
    const { signs, number } = acceptsSigns ? splitCurrencySigns(text) : { signs: noSigns, number: text };
    const plain = unlocalise(number) ?? readIndianGroups(number, reading, row);
    if (!isAmount(plain)) return refuse(text, reading);
    const currency = signs.length === 0 ? undefined : row.valueOf('currency');
    const strange = currency === undefined ? undefined : signs.find((sign) => !isSignOf(sign, currency));
    if (strange !== undefined && currency !== undefined) return refuseSign(strange, currency);
    return plain === text ? plain : { value: plain, note: readingNote(plain) };
  };
}

function isAmount(plain: string | undefined): plain is string {
  return plain !== undefined && plainAmount.test(plain) && notZero.test(plain);
}

function refuseSign(sign: string, currency: string): ValueRefusal {
  const message = `${shorten(sign)} is not a sign of ${currency}, the currency of its row`;
  return { code: 'currency_mismatch', message };
}

/** No more fraction digits than the currency has; zeros beyond them are taken off, others are not dropped. */
export function checkAmountInCurrency(amount: string, currency: string): ValueResult {
  const digits = fractionDigitsOf(currency);
  const point = amount.indexOf('.');
  if (digits === undefined || point === -1 || amount.length - point - 1 <= digits) return amount;
  const excess = amount.slice(point + 1 + digits);
  if (onlyZeros.test(excess)) return amount.slice(0, digits === 0 ? point : point + 1 + digits);
  const message = `${shorten(amount)} has more fraction digits than ${currency} has (${digits})`;
  return { code: 'too_many_decimals', message };
}
