/* Days written year first: the one order of a date that nobody confuses with another, whatever signs stand between its parts. */

import { withPlainDigits } from '../../domain/text/characters.ts';

/** The words behind year, month and day: of Chinese and Japanese, and of Korean. */
const inWords = /^(\d{4}) ?([年년]) ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]$/u;
const withSigns = /^(\d{4}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{1,2})\.?$/;

/** An era of a calendar: its names, the Gregorian year of its first one, and its first and last day as YYYYMMDD. */
interface Era {
  readonly names: readonly string[];
  readonly first: number;
  readonly from: number;
  readonly to: number;
}

/** The eras of Japan since it has the Gregorian months (people date the day of a change by both), and the calendar of Taiwan. */
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

/** A day of an era: `昭和57年6月10日`, `S57.6.10`; undefined for a day that the era does not have. */
function eraDay(text: string): YearFirstDay | undefined {
  const words = eraInWords.exec(text);
  const signs = eraWithSigns.exec(text);
  const [name, number, sign, month, day] =
    words === null
      ? [signs?.[1], signs?.[2], signs?.[3], signs?.[4], signs?.[5]]
      : [words[1], words[2], '年', words[3], words[4]];
  const era = eras.find(({ names }) => name !== undefined && names.includes(name));
  if (era === undefined || sign === undefined || month === undefined || day === undefined) return undefined;
  const year = era.first + (number === '元' ? 1 : Number(number)) - 1;
  const date = year * 10_000 + Number(month) * 100 + Number(day);
  const isOfEra = number !== '0' && date >= era.from && date <= era.to;
  return isOfEra ? { year: String(year), sign, month, day } : undefined;
}

/** A day written year first: its parts as they are written, and the sign or word behind its year. */
export interface YearFirstDay {
  readonly year: string;
  readonly sign: string;
  readonly month: string;
  readonly day: string;
}

/**
 * The parts of a day with a year of four digits first, such as `1985/3/9` or `1990年1月5日`, or with the year of an era;
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
