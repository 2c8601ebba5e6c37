/* Days of birth, and the forms in which days may be written. */

import { readingNote } from '../../domain/rows/finding.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import { shorten, type ValueCheck, type ValueResult } from './value-text.ts';

const isoFormat = 'YYYY-MM-DD';
const earliestBirth = '1900-01-01';
const partPatterns: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<shortYear>\\d{2})',
  MM: '(?<month>\\d{2})',
  DD: '(?<day>\\d{2})',
  M: '(?<month>\\d{1,2})',
  D: '(?<day>\\d{1,2})',
};

function escapeSeparator(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/**
 * The pattern of dates in a declared format: YYYY or YY, MM or M, and DD or D, once each, in any order, with
 * any characters except letters and digits between them. Undefined when the format is not of that kind.
 */
function patternOf(format: string): RegExp | undefined {
  const parts = format.match(/YYYY|YY|MM?|DD?|[^A-Za-z\d]+|./gu) ?? [];
  const fields = parts.filter((part) => /^[A-Za-z\d]/.test(part));
  const initials = fields.map((part) => part.charAt(0)).sort();
  if (initials.join('') !== 'DMY' || fields.some((part) => partPatterns[part] === undefined))
    return undefined;
  // Without a separator, parts of one or two digits cannot be separated.
  if (/[#DM][DM]|[DM]#/.test(format.replace(/YYYY|YY|MM|DD/g, '#'))) return undefined;
  return new RegExp(`^${parts.map((part) => partPatterns[part] ?? escapeSeparator(part)).join('')}$`);
}

/** Whether a mapping may declare this `dateFormat`. */
export function isDateFormat(format: string): boolean {
  return patternOf(format) !== undefined;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/**
 * The date as YYYY-MM-DD. No time zone is involved: a date is read and written as its digits. A birth date is not in the
 * future, so two digits of a year mean the latest such year in which the date is not after today.
 */
function readDay(text: string, pattern: RegExp, today: string): string | undefined {
  const { year, shortYear = '', month = '', day = '' } = pattern.exec(text)?.groups ?? {};
  const thisCentury = Number(today.slice(0, 2));
  const years =
    year === undefined ? [`${thisCentury}${shortYear}`, `${thisCentury - 1}${shortYear}`] : [year];
  const days = years
    .filter((each) => isCalendarDay(Number(each), Number(month), Number(day)))
    .map((each) => `${each}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  return days.find((each) => each <= today) ?? days[0];
}

/** Advice for a year of two digits, which is read only where the mapping declares it. */
function shortYearAdvice(text: string, dateFormat: string): string {
  const [, sign] = /^\d\d?([./-])\d\d?\1\d\d$/.exec(text) ?? [];
  if (sign === undefined || !dateFormat.includes('YYYY')) return '';
  return `; a year of two digits has to be declared in the mapping ("dateFormat": "DD${sign}MM${sign}YY")`;
}

/**
 * A date of birth between 1900 and today. A date in the form of ISO 8601 is read as such whatever is declared, except
 * where the declared form looks the same (`YYYY-DD-MM`): then the two cannot be distinguished.
 *
 * @param dateFormat how the file writes dates; date cells of spreadsheets are always YYYY-MM-DD
 * @param today YYYY-MM-DD in UTC
 * @throws Error when the format is not one that `isDateFormat` accepts
 */
export function createBirthDateCheck(dateFormat: string, today: string): ValueCheck {
  const isoPattern = patternOf(isoFormat);
  const pattern = patternOf(dateFormat);
  if (isoPattern === undefined || pattern === undefined) throw new Error(`not a date format: ${dateFormat}`);
  const isIsoTaken = pattern.test('2000-11-12');
  return (text: string, kind: CellKind | undefined): ValueResult => {
    const inOwnForm = kind === 'date' ? undefined : readDay(text, pattern, today);
    const inIsoForm = kind === 'date' || !isIsoTaken ? readDay(text, isoPattern, today) : undefined;
    const day = inOwnForm ?? inIsoForm;
    if (day === undefined || (kind !== undefined && kind !== 'date')) {
      const message = `${shorten(text)} is not a day of the calendar; write it as ${dateFormat}${shortYearAdvice(text, dateFormat)}`;
      return { code: 'invalid_date', message };
    }
    if (day > today) return { code: 'date_in_future', message: `${day} is after today (${today})` };
    if (day < earliestBirth) return { code: 'date_too_early', message: `${day} is before 1900` };
    return day === text ? day : { value: day, note: readingNote(day) };
  };
}
