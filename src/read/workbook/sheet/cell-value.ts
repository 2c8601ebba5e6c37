/* A cell of a sheet: its position, its value as text, and the row that is built of such cells. */

import { type CellMarks, LookBuilder, noMarks } from '../../../domain/tables/row-marks.ts';
import type { CellKind } from '../../../domain/tables/table.ts';
import { damagedFile, type InputError, type InputLimits, limitExceeded } from '../../file/input-error.ts';
import type { RawRow } from '../../rows/header.ts';
import type { MergedRange } from '../../rows/input-table.ts';
import { type NumberFormat, showDigits } from './number-format.ts';

/** The size of a sheet, the same in all programs that write the format. */
export const LAST_ROW = 1_048_576;
export const LAST_COLUMN = 16_384;

const LETTERS = 26;
const CODE_BEFORE_A = 64;

/** `AB12` is 28; NaN when it is no reference to a cell. */
export function columnNumber(reference: string): number {
  let column = 0;
  let at = 0;
  for (; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - CODE_BEFORE_A;
    if (letter < 1 || letter > LETTERS) break;
    column = column * LETTERS + letter;
  }
  return at === 0 || at > 3 ? Number.NaN : column;
}

/** `AB12` is 12; NaN when it is no reference to a cell. */
export function cellNumber(reference: string): number {
  return Number(/^[A-Z]{1,3}([0-9]{1,7})$/.exec(reference)?.[1] ?? Number.NaN);
}

/** 28 is `AB`. */
export function columnName(column: number): string {
  let name = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / LETTERS)) {
    name = String.fromCharCode(CODE_BEFORE_A + 1 + ((rest - 1) % LETTERS)) + name;
  }
  return name;
}

/** The columns from one to another, as notes name them: `B`, or `B to D`. */
export function columnNames(first: number, last: number): string {
  return first === last ? columnName(first) : `${columnName(first)} to ${columnName(last)}`;
}

/** @throws InputError for a row below the last one of a sheet */
export function assertRow(number: number): void {
  if (number <= LAST_ROW) return;
  throw limitExceeded(`there is something below row ${LAST_ROW}`, 'split the list, or save it as CSV UTF-8');
}

/** `B4:D5` as rows and columns; NaN where it is not a reference. */
export function mergedRange(reference: string): MergedRange {
  const [first = '', last = first] = reference.split(':');
  return {
    firstRow: cellNumber(first),
    lastRow: cellNumber(last),
    firstColumn: columnNumber(first),
    lastColumn: columnNumber(last),
  };
}

/** The epoch of a workbook's day numbers. */
export type DateSystem = 1900 | 1904;

/** A cell's value in paybatch; `kind` is null for text. */
export interface CellValue {
  readonly text: string;
  readonly kind: CellKind | null;
}

export const EMPTY_CELL: CellValue = { text: '', kind: null };

/** The most digits that spreadsheet programs keep and show. */
const SIGNIFICANT_DIGITS = 15;
/** A longer plain decimal is neither an amount nor an identifier, so it is given in scientific notation. */
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

/** The 1900 system counts 29 February 1900, which did not exist, for compatibility with an older program. */
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
 * A spreadsheet's day number as `YYYY-MM-DD`, with ` HH:MM:SS` where there is a time of day. No time zone is
 * involved.
 *
 * @returns null when it is not a date: before the system's first day or after 9999-12-31
 */
export function dateOfSerial(serial: number, system: DateSystem): string | null {
  const seconds = Math.round(serial * SECONDS_IN_DAY);
  const day = Math.floor(seconds / SECONDS_IN_DAY) + (system === 1904 ? DAYS_BETWEEN_SYSTEMS : 0);
  if (seconds < 0 || day < 1 || day >= END_OF_DAYS) return null;
  const time = seconds % SECONDS_IN_DAY;
  return time === 0 ? calendarDay(day) : `${calendarDay(day)} ${timeOfDay(time)}`;
}

/** A numeric cell, read by its number format. A cell without a number has the error that programs show there. */
export function numericCell(value: number, format: NumberFormat, system: DateSystem): CellValue {
  if (!Number.isFinite(value)) return { text: '#NUM!', kind: 'error' };
  if (format.kind === 'date') {
    const text = dateOfSerial(value, system);
    if (text !== null) return { text, kind: 'date' };
  }
  const text = plainDecimal(value);
  // Without its side a credit would be read as a debit. With it only a person can say which side is meant.
  if (format.kind === 'sided' && value !== 0) return { text: `${text} ${format.side}`, kind: null };
  // The value is the whole amount, whatever unit its title names for what is shown.
  if (format.kind === 'scaled') return { text, kind: 'shown_number' };
  if (format.kind === 'digits' && text.length <= SIGNIFICANT_DIGITS && /^[0-9]+$/.test(text)) {
    const shown = showDigits(text, format.parts);
    if (shown !== null) return { text: shown, kind: 'shown_number' };
  }
  return { text, kind: 'number' };
}

const NUMBER = /^\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*$/;

/** @throws InputError when the text of a numeric cell is no number */
export function numberIn(text: string, row: number): number {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw damagedFile('a numeric cell does not hold a number', { row });
  return value;
}

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(\.\d+)?Z?)?$/;

/** A cell with an ISO 8601 date, rounded to the nearest second; any other content stays text. */
export function isoDateCell(text: string): CellValue {
  const [, day, time = '00:00:00', fraction = '0'] = ISO_DATE.exec(text) ?? [];
  if (day === undefined) return { text, kind: null };
  if (Number(fraction) > 0.5) return isoDateCell(nextSecond(day, time) ?? `${day}T${time}`);
  return { text: time === '00:00:00' ? day : `${day} ${time}`, kind: 'date' };
}

/** @returns null when there is no such date or time, which would otherwise silently become another one */
function nextSecond(day: string, time: string): string | null {
  const moment = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(moment) || !new Date(moment).toISOString().startsWith(day)) return null;
  return new Date(moment + 1000).toISOString().slice(0, 19);
}

const HIDDEN_ROW = ['hidden row'];

/** Builds a workbook's row from its cells, from left to right. */
export class RowBuilder {
  readonly number: number;
  readonly #isHidden: boolean;
  readonly #limits: InputLimits;
  readonly #cells: string[] = [];
  readonly #look = new LookBuilder();
  #kinds: Map<number, CellKind> | undefined;

  constructor(number: number, isHidden: boolean, limits: InputLimits) {
    this.number = number;
    this.#isHidden = isHidden;
    this.#limits = limits;
  }

  /**
   * @param column - from 1, greater than every earlier column
   * @param marks - how the cell looks
   * @throws InputError when there is a value beyond the last allowed column
   */
  put(column: number, { text, kind }: CellValue, marks: CellMarks = noMarks): void {
    if (text === '' && kind === null) return;
    if (column > this.#limits.columns) throw this.#tooFar(column);
    while (this.#cells.length < column - 1) this.#cells.push('');
    this.#cells.push(text);
    this.#look.add(marks);
    if (kind === null) return;
    this.#kinds ??= new Map();
    this.#kinds.set(column - 1, kind);
  }

  /** @returns null when it has no value */
  build(): RawRow | null {
    if (this.#cells.length === 0) return null;
    const look = this.#look.build();
    return {
      number: this.number,
      cells: this.#cells,
      ...(this.#kinds === undefined ? {} : { kinds: this.#kinds }),
      ...(look === undefined ? {} : { look }),
      ...(this.#isHidden ? { notes: HIDDEN_ROW, isHidden: true } : {}),
    };
  }

  #tooFar(column: number): InputError {
    return limitExceeded(
      `row ${this.number} has something in column ${columnName(column)}, beyond the ${this.#limits.columns}th`,
      'remove what is so far to the right',
      { row: this.number },
    );
  }
}
