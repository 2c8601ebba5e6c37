/* Days in the forms in which people write them: declared forms, and forms whose order is unambiguous. */

import { readAs } from '../../domain/rows/finding.ts';
import { say } from '../../domain/settings/message.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import { escapePattern, withPlainDigits } from '../../domain/text/characters.ts';
import { type DayParts, dayInWords } from './days-in-words.ts';
import { plainValue, shownValue, type ValueCheck, type ValueResult } from './value-text.ts';

/* Days with the year first. This is the only order of digits that is unambiguous, whatever signs are between the parts. */

/** The words after year, month and day in Chinese, Japanese and Korean. */
const inWords = /^(\d{4}) ?([年년]) ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]$/u;
const withSigns = /^(\d{4}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{1,2})\.?$/;

/** An era of a calendar: its names, the Gregorian year of its first year, and its first and last day as YYYYMMDD. */
interface Era {
  readonly names: readonly string[];
  readonly first: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The eras of Japan since it uses the Gregorian months (for the day of a change people use both eras), and the calendar of
 * Taiwan.
 */
const eras: readonly Era[] = [
  { names: ['明治', 'M'], first: 1868, from: 18730101, to: 19120730 },
  { names: ['大正', 'T'], first: 1912, from: 19120730, to: 19261225 },
  { names: ['昭和', 'S'], first: 1926, from: 19261225, to: 19890108 },
  { names: ['平成', 'H'], first: 1989, from: 19890108, to: 20190501 },
  { names: ['令和', 'R'], first: 2019, from: 20190501, to: 99991231 },
  { names: ['民國', '民国'], first: 1912, from: 19120101, to: 99991231 },
];
const eraInWords = /^(\p{sc=Han}{2}) ?(\d{1,3}|元) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日$/u;
const eraWithSigns = /^(\p{sc=Han}{2}|[MTSHR]) ?(\d{1,3}|元)([./-])(\d{1,2})\3(\d{1,2})$/u;

/** A day of an era: `昭和57年6月10日`, `S57.6.10`; undefined for a day that is not in the era. */
function eraDay(text: string): YearFirstDay | undefined {
  const words = eraInWords.exec(text);
  const signs = eraWithSigns.exec(text);
  const [name, number, sign, month, day] =
    words === null ? (signs ?? []).slice(1) : [words[1], words[2], '年', words[3], words[4]];
  const era = eras.find(({ names }) => name !== undefined && names.includes(name));
  if (era === undefined || sign === undefined || month === undefined || day === undefined) return undefined;
  const year = era.first + (number === '元' ? 1 : Number(number)) - 1;
  const date = year * 10_000 + Number(month) * 100 + Number(day);
  const isOfEra = number !== '0' && date >= era.from && date <= era.to;
  return isOfEra ? { year: String(year), sign, month, day } : undefined;
}

/** A day with the year first, and the sign or word after its year. */
interface YearFirstDay extends DayParts {
  readonly sign: string;
}

/**
 * The parts of a day that begins with a year of four digits, such as `1985/3/9` or `1990年1月5日`, or with the year of an era;
 * undefined for another text.
 */
export function yearFirstDay(text: string): YearFirstDay | undefined {
  const plain = withPlainDigits(text.trim());
  const [, year, sign, month, day] = withSigns.exec(plain) ?? inWords.exec(plain) ?? [];
  if (year === undefined || sign === undefined || month === undefined || day === undefined)
    return eraDay(plain);
  return { year, sign, month, day };
}

/** Whether a declared format has the year, then the month, then the day, as YYYY/M/D does. */
export function isYearFirstFormat(format: string): boolean {
  return /^[^YMD]*YYYY[^YMD]*MM?[^YMD]*DD?[^YMD]*$/.test(format);
}

/**
 * A day of numbers with dots, without the dot behind its last part and the blanks between its parts, as languages with ordinal
 * numbers write them: `18. 10. 1969.` is `18.10.1969`.
 */
export function withoutLastDot(text: string): string {
  return /^\d{1,4}\.\s?\d{1,2}\.\s?\d{1,4}\.?$/.test(text) ? text.replace(/\.$|\s/g, '') : text;
}

/* Dates of birth, in the forms that a mapping may declare. */

const isoFormat = 'YYYY-MM-DD';
const shortIsoPattern = /^(?<shortYear>\d{2})-(?<month>\d{2})-(?<day>\d{2})$/;
const earliestBirth = '1900-01-01';
/** The part of a format for years of four or two digits. */
export const anyYear = 'Y';
const partPatterns: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  [anyYear]: '(?:(?<year>\\d{4})|(?<shortYear>\\d{2}))',
  YY: '(?<shortYear>\\d{2})',
  // This part matches no text. `dayInWords` reads days with a month as a word, whatever their order and signs are.
  MMM: '(?!)',
  MM: '(?<month>\\d{2})',
  DD: '(?<day>\\d{2})',
  M: '(?<month>\\d{1,2})',
  D: '(?<day>\\d{1,2})',
};

/**
 * The pattern for dates in a declared format. A format has YYYY or YY, MMM, MM or M, and DD or D, once each, in any order,
 * with any characters except letters and digits between them. Undefined for any other format.
 */
function patternOf(format: string): RegExp | undefined {
  const parts = format.match(/YYYY|YY|M{1,3}|DD?|[^A-Za-z\d]+|./gu) ?? [];
  const fields = parts.filter((part) => /^[A-Za-z\d]/.test(part));
  const initials = fields.map((part) => part.charAt(0)).sort();
  if (initials.join('') !== 'DMY' || fields.some((part) => partPatterns[part] === undefined))
    return undefined;
  // Without a separator, parts of one or two digits cannot be separated.
  if (/[#DM][DM]|[DM]#/.test(format.replace(/YYYY|YY|MMM?|DD/g, '#'))) return undefined;
  return new RegExp(`^${parts.map((part) => partPatterns[part] ?? escapePattern(part)).join('')}$`);
}

const orderedFormat = /^(?<first>DD?|MM?)([./-])(?:DD?|MM?)\2(?:YYYY|YY|Y)$/;

/**
 * The formats with the same order and other signs between their parts. Where months come first, there is none with dots:
 * people who write them put the day first.
 */
export function formatsWithOtherSigns(format: string): readonly string[] {
  const { first } = orderedFormat.exec(format)?.groups ?? {};
  if (first === undefined) return [];
  const signs = first.startsWith('M') ? ['/', '-'] : ['/', '.', '-'];
  return signs.map((sign) => format.replace(/[./-]/g, sign)).filter((other) => other !== format);
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
 * The date as YYYY-MM-DD. No time zone is involved, because only digits are read and written. A date of birth is not in the
 * future. So a year of two digits means the latest such year in which the date is not after today.
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

/** Advice for a year of two digits, which is read only if the mapping declares it. */
function shortYearAdvice(text: string, dateFormat: string): string {
  const [, sign] = /^\d\d?([./-])\d\d?\1\d\d$/.exec(text) ?? [];
  if (sign === undefined || !dateFormat.includes('YYYY')) return '';
  return `; a year of two digits has to be declared in the mapping ("dateFormat": "DD${sign}MM${sign}YY")`;
}

/**
 * Checks a date of birth between 1900 and today. A date in the form of ISO 8601 is read as such whatever is declared, unless
 * the declared form looks the same (`YYYY-DD-MM`), because then the two cannot be distinguished. A declared format such as
 * YYYY/M/D states that years are first, so a column may mix forms with the year first. A day whose month is a word is read
 * in addition to every declared format, because its order is unambiguous. YYYY-MM-DD is the default, so declaring it states
 * nothing about other forms.
 * @param dateFormat the format of dates in the file; date cells of spreadsheets are always YYYY-MM-DD
 * @param today YYYY-MM-DD in UTC
 * @param anyDaySign whether days with other signs between their parts are read in the same order
 * @throws Error if `isDateFormat` does not accept the format
 */
export function createBirthDateCheck(dateFormat: string, today: string, anyDaySign = false): ValueCheck {
  const isoPattern = patternOf(isoFormat);
  const pattern = patternOf(dateFormat);
  if (isoPattern === undefined || pattern === undefined) throw new Error(`not a date format: ${dateFormat}`);
  const patterns = [
    pattern,
    ...(anyDaySign ? formatsWithOtherSigns(dateFormat).flatMap((each) => patternOf(each) ?? []) : []),
  ];
  const readOwn = (text: string): string | undefined => {
    for (const each of patterns) {
      const day = readDay(text, each, today);
      if (day !== undefined) return day;
    }
    return undefined;
  };
  const isIsoTaken = pattern.test('2000-11-12');
  const isAnyYearFirst = dateFormat !== isoFormat && isYearFirstFormat(dateFormat);
  const otherParts = (text: string): DayParts | undefined => {
    if (dateFormat === isoFormat) return undefined;
    const inWords = dayInWords(text);
    if (inWords !== undefined && (inWords.year.length === 4 || !dateFormat.includes('YYYY'))) return inWords;
    return isAnyYearFirst ? yearFirstDay(text) : undefined;
  };
  return (text: string, kind: CellKind | undefined): ValueResult => {
    const inOwnForm = kind === 'date' ? undefined : (readOwn(text) ?? readOwn(withoutLastDot(text)));
    const inIsoForm = kind === 'date' || !isIsoTaken ? readDay(text, isoPattern, today) : undefined;
    const parts = kind === 'date' ? undefined : otherParts(text);
    const inOtherForm =
      parts === undefined
        ? undefined
        : readDay(
            `${parts.year}-${parts.month.padStart(2, '0')}-${parts.day.padStart(2, '0')}`,
            parts.year.length === 2 ? shortIsoPattern : isoPattern,
            today,
          );
    const day = inOwnForm ?? inIsoForm ?? inOtherForm;
    if (day === undefined || (kind !== undefined && kind !== 'date')) {
      const message = say`${shownValue(text)} is not a day of the calendar; write it as ${dateFormat}${shortYearAdvice(text, dateFormat)}`;
      return { code: 'invalid_date', message };
    }
    if (day > today)
      return { code: 'date_in_future', message: say`${plainValue(day)} is after today (${today})` };
    if (day < earliestBirth)
      return { code: 'date_too_early', message: say`${plainValue(day)} is before 1900` };
    return day === text ? day : { value: day, notes: [readAs(day)] };
  };
}
