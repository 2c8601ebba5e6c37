import type { CellKind } from '../../../domain/tables/table.ts';
import { type NumberFormat, showDigits } from './number-format.ts';

/** Where a workbook's days are counted from. */
export type DateSystem = 1900 | 1904;

/** A cell as it is handed on: `kind` is null for text. */
export interface CellValue {
  readonly text: string;
  readonly kind: CellKind | null;
}

export const EMPTY_CELL: CellValue = { text: '', kind: null };

/** Spreadsheet programs keep and show no more digits than these. */
const SIGNIFICANT_DIGITS = 15;
/** A longer plain decimal is no amount and no identifier; it is given in scientific notation instead. */
const PLAIN_CHARACTERS = 40;
const MS_IN_DAY = 86_400_000;
const SECONDS_IN_DAY = 86_400;
/** The day after 9999-12-31, in the 1900 system. */
const END_OF_DAYS = 2_958_466;
const DAYS_BETWEEN_SYSTEMS = 1462;

/** The value to 15 significant digits, as a plain decimal without zeros at the end of its fraction. */
export function plainDecimal(value: number): string {
  if (value === 0) return '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential(SIGNIFICANT_DIGITS - 1).split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '');
  const exponent = Number(exponentText);
  const length = exponent < 0 ? digits.length - exponent : Math.max(digits.length, exponent + 1);
  if (length > PLAIN_CHARACTERS) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}E${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}

/** Days of the 1900 system count a 29 February 1900 that never was, for compatibility with its ancestor. */
function calendarDay(day: number): string {
  if (day === 60) return '1900-02-29';
  const sinceEpoch = day < 60 ? day + 1 : day;
  return new Date(Date.UTC(1899, 11, 30) + sinceEpoch * MS_IN_DAY).toISOString().slice(0, 10);
}

function timeOfDay(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/**
 * A spreadsheet's day number as `YYYY-MM-DD`, with ` HH:MM:SS` where there is a time of day. No time zone
 * is involved.
 *
 * @returns null when it is no day: before the system's first or after 9999-12-31
 */
export function dateOfSerial(serial: number, system: DateSystem): string | null {
  const seconds = Math.round(serial * SECONDS_IN_DAY);
  const day = Math.floor(seconds / SECONDS_IN_DAY) + (system === 1904 ? DAYS_BETWEEN_SYSTEMS : 0);
  if (seconds < 0 || day < 1 || day >= END_OF_DAYS) return null;
  const time = seconds % SECONDS_IN_DAY;
  return time === 0 ? calendarDay(day) : `${calendarDay(day)} ${timeOfDay(time)}`;
}

/** A numeric cell, read by its number format. One that holds no number is the error that programs show there. */
export function numericCell(value: number, format: NumberFormat, system: DateSystem): CellValue {
  if (!Number.isFinite(value)) return { text: '#NUM!', kind: 'error' };
  if (format.kind === 'date') {
    const text = dateOfSerial(value, system);
    if (text !== null) return { text, kind: 'date' };
  }
  const text = plainDecimal(value);
  if (format.kind === 'digits' && text.length <= SIGNIFICANT_DIGITS && /^[0-9]+$/.test(text)) {
    const shown = showDigits(text, format.parts);
    if (shown !== null) return { text: shown, kind: 'shown_number' };
  }
  return { text, kind: 'number' };
}

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(\.\d+)?Z?)?$/;

/** A cell that holds its date as ISO 8601 text, to the nearest second; anything else in it stays text. */
export function isoDateCell(text: string): CellValue {
  const [, day, time = '00:00:00', fraction = '0'] = ISO_DATE.exec(text) ?? [];
  if (day === undefined) return { text, kind: null };
  if (Number(fraction) > 0.5) return isoDateCell(nextSecond(day, time) ?? `${day}T${time}`);
  return { text: time === '00:00:00' ? day : `${day} ${time}`, kind: 'date' };
}

/** @returns null when it is no moment of any calendar: a date would silently become another one */
function nextSecond(day: string, time: string): string | null {
  const moment = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(moment) || !new Date(moment).toISOString().startsWith(day)) return null;
  return new Date(moment + 1000).toISOString().slice(0, 19);
}
