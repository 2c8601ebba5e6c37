import { formatDecimal, isPlainDecimal, parseDecimal } from '../../domain/money/money.ts';

const dayInMs = 86_400_000;
const isoMoment =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/;
const timeOfDay = String.raw`(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC)?)?`;

/** How an export writes amounts. */
export interface AmountWriting {
  readonly decimal?: '.' | ',' | undefined;
  readonly thousands?: '' | ',' | '.' | ' ' | "'" | undefined;
}

/** What is written for a separator: spaces of any width, an apostrophe of any form. */
const separatorPatterns: Readonly<Record<string, string>> = {
  '.': String.raw`\.`,
  ',': ',',
  ' ': String.raw`[ \u00a0\u2009\u202f]`,
  "'": String.raw`['\u2019]`,
};

const forms = new Map<string, { readonly whole: RegExp; readonly separators: RegExp | null }>();

/** The one form that amounts have in a writing: a thousands separator has groups of three behind it. */
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

/** Whether a text is an amount as the export writes them. */
export function isAmount(text: string, writing: AmountWriting): boolean {
  return formOf(writing).whole.test(text);
}

/** An amount in plain form, negative ones included; null for text that is none as the export writes them. */
export function amountOf(text: string, writing: AmountWriting): string | null {
  if (!isAmount(text, writing)) return null;
  if (writing.decimal !== ',' && !text.startsWith('-') && isPlainDecimal(text)) return text;
  const { separators } = formOf(writing);
  const ungrouped = separators === null ? text : text.replaceAll(separators, '');
  const value = parseDecimal(ungrouped.replace(',', '.').replace(/^\+/, ''));
  return value === undefined ? null : formatDecimal(value);
}

/**
 * The UTC day of a date or moment, `YYYY-MM-DD`. A moment with an offset is brought to UTC; one without is
 * taken as UTC. Null for text that is no day.
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

/** Exports have few days and many records; the bound keeps memory flat where they have times too. */
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
    .replace('MM', String.raw`(?<month>\d{1,2})`)
    .replace('DD', String.raw`(?<day>\d{1,2})`);
  const parts = new RegExp(`^${pattern}${timeOfDay}$`).exec(text)?.groups;
  if (parts === undefined) return null;
  const [year = '', month = '', day = ''] = [parts['year'], parts['month'], parts['day']];
  const [paddedMonth, paddedDay] = [month.padStart(2, '0'), day.padStart(2, '0')];
  return isCalendarDay(year, paddedMonth, paddedDay) ? `${year}-${paddedMonth}-${paddedDay}` : null;
}

function isCalendarDay(year: string, month: string, day: string): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === `${year}-${month}-${day}`;
}
