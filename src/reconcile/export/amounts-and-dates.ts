/* Reads amounts and dates as exports write them. */

import { formatDecimal, fractionDigitsOf, isPlainDecimal, parseDecimal } from '../../domain/money/money.ts';
import { isSignOf, splitCurrencySigns } from '../../kinds/fields/currency.ts';

/** How an export writes amounts. */
export interface AmountWriting {
  readonly decimal?: '.' | ',' | undefined;
  readonly thousands?: '' | ',' | '.' | ' ' | "'" | undefined;
  /** Whether a currency sign or code may come before or after an amount. */
  readonly currencySigns?: 'refuse' | 'accept' | undefined;
  /** Whether amounts are whole numbers of the smallest unit of their currency. */
  readonly minorUnits?: boolean | undefined;
}

/** The characters of a separator: spaces of any width, apostrophes of any form. */
const separatorPatterns: Readonly<Record<string, string>> = {
  '.': String.raw`\.`,
  ',': ',',
  ' ': String.raw`[ \u00a0\u2009\u202f]`,
  "'": String.raw`['\u2019]`,
};

const forms = new Map<string, { readonly whole: RegExp; readonly separators: RegExp | null }>();

/** The pattern of amounts in a writing: a thousands separator is followed by groups of three. */
function formOf({ decimal = '.', thousands = '' }: AmountWriting): {
  readonly whole: RegExp;
  readonly separators: RegExp | null;
} {
  const name = `${decimal}${thousands}`;
  let form = forms.get(name);
  if (form === undefined) {
    const separator = separatorPatterns[thousands] ?? '';
    const grouped = thousands === '' ? '' : String.raw`|[1-9]\d{0,2}(?:${separator}\d{3})+`;
    form = {
      whole: new RegExp(String.raw`^[+-]?(?:0|[1-9]\d*${grouped})(?:${separatorPatterns[decimal]}\d+)?$`),
      separators: thousands === '' ? null : new RegExp(separator, 'g'),
    };
    forms.set(name, form);
  }
  return form;
}

/**
 * An amount in plain form, negative ones included; null for text that is not an amount in the export's writing.
 * Brackets or a trailing minus make an amount negative in any writing.
 * @param currency of its record, which decides the number of decimals
 */
export function amountOf(text: string, writing: AmountWriting, currency?: string): string | null {
  const amount = numberOf(text, writing) ?? dressedNumberOf(text, writing, currency);
  return amount === null || writing.minorUnits !== true ? amount : fromMinorUnits(amount, currency);
}

function numberOf(text: string, writing: AmountWriting): string | null {
  const { whole, separators } = formOf(writing);
  if (!whole.test(text)) return null;
  if (writing.decimal !== ',' && !text.startsWith('-') && isPlainDecimal(text)) return text;
  const ungrouped = separators === null ? text : text.replaceAll(separators, '');
  const value = parseDecimal(ungrouped.replace(',', '.').replace(/^\+/, ''));
  return value === undefined ? null : formatDecimal(value);
}

/** A number with brackets, a trailing minus, or currency marks where these are accepted. */
function dressedNumberOf(text: string, writing: AmountWriting, currency: string | undefined): string | null {
  const bracketed = /^\((.+)\)$/.exec(text)?.[1];
  const ending = /^(.+\d)-$/.exec(text)?.[1];
  const inner = (bracketed ?? ending)?.trim();
  if (inner !== undefined) {
    const amount = amountOf(inner, { ...writing, minorUnits: false }, currency);
    if (amount === null || amount.startsWith('-')) return null;
    return /[1-9]/.test(amount) ? `-${amount}` : amount;
  }
  if (writing.currencySigns !== 'accept') return null;
  // A minus may be before or after the currency mark.
  const [, mark, behind] = /^([^\d-]+?)\s?-\s?(\d.*)$/u.exec(text) ?? [];
  const [, sign = '', rest = ''] =
    /^([-+]?)\s?(.*)$/s.exec(mark === undefined ? text : `-${mark}${behind}`) ?? [];
  const { signs, number } = splitCurrencySigns(rest);
  const areKnown = signs.every((each) => currency === undefined || isSignOf(each, currency));
  return signs.length > 0 && areKnown ? numberOf(`${sign}${number}`, writing) : null;
}

/** A whole number of the smallest unit as an amount; null for one that is not whole, or without a known currency. */
function fromMinorUnits(amount: string, currency: string | undefined): string | null {
  const digits = currency === undefined ? undefined : fractionDigitsOf(currency);
  const [, sign = '', whole = ''] = /^(-?)(\d+)(?:\.0*)?$/.exec(amount) ?? [];
  if (digits === undefined || whole === '') return null;
  if (digits === 0) return `${sign}${whole}`;
  const padded = whole.padStart(digits + 1, '0');
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

const dayInMs = 86_400_000;
const isoMoment =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/;
const timeOfDay = String.raw`(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC)?)?`;

/**
 * The UTC day of a date or moment, `YYYY-MM-DD`. A moment with an offset is converted to UTC; one without is taken as
 * UTC. Null for text that is not a date.
 */
export function dayOf(
  text: string,
  { dateFormat }: { readonly dateFormat?: string | undefined },
): string | null {
  const name = `${dateFormat ?? ''}|${text}`;
  const known = knownDays.get(name);
  if (known !== undefined) return known;
  const day = dateFormat === undefined ? isoDay(text) : formattedDay(text, dateFormat);
  if (knownDays.size >= daysRemembered) knownDays.clear();
  knownDays.set(name, day);
  return day;
}

/** The size of a cache, since exports have few dates and many records. It limits memory for dates with times. */
const daysRemembered = 10_000;
const knownDays = new Map<string, string | null>();

function isoDay(text: string): string | null {
  const [whole, year = '', month = '', day = '', hours, minutes, , offset = 'Z'] = isoMoment.exec(text) ?? [];
  if (whole === undefined || !isCalendarDay(year, month, day)) return null;
  if (hours === undefined) return `${year}-${month}-${day}`;
  const [, sign, offsetHours = '0', offsetMinutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  const offsetInMinutes = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  const localInMinutes = Number(hours) * 60 + Number(minutes);
  const utc =
    Date.UTC(Number(year), Number(month) - 1, Number(day)) + (localInMinutes - offsetInMinutes) * 60_000;
  return new Date(Math.floor(utc / dayInMs) * dayInMs).toISOString().slice(0, 10);
}

function formattedDay(text: string, format: string): string | null {
  const pattern = format
    .replaceAll(/[./ -]/g, String.raw`\$&`)
    .replace('YYYY', String.raw`(?<year>\d{4})`)
    .replace('YY', String.raw`(?<year>\d{2})`)
    .replace('MM', String.raw`(?<month>\d{1,2})`)
    .replace('DD', String.raw`(?<day>\d{1,2})`);
  const parts = new RegExp(`^${pattern}${timeOfDay}$`).exec(text)?.groups;
  if (parts === undefined) return null;
  const { year: written = '', month = '', day = '' } = parts;
  // Payment exports are from this century.
  const year = written.length === 2 ? `20${written}` : written;
  const [paddedMonth, paddedDay] = [month.padStart(2, '0'), day.padStart(2, '0')];
  return isCalendarDay(year, paddedMonth, paddedDay) ? `${year}-${paddedMonth}-${paddedDay}` : null;
}

function isCalendarDay(year: string, month: string, day: string): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === `${year}-${month}-${day}`;
}
