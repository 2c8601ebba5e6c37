/* Days written year first: the one order of a date that nobody confuses with another, whatever signs stand between its parts. */

import { withPlainDigits } from '../../domain/text/characters.ts';

/** The words behind year, month and day: of Chinese and Japanese, and of Korean. */
const inWords = /^(\d{4}) ?([年년]) ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]$/u;
const withSigns = /^(\d{4}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{1,2})\.?$/;

/** A day written year first: its parts as they are written, and the sign or word behind its year. */
export interface YearFirstDay {
  readonly year: string;
  readonly sign: string;
  readonly month: string;
  readonly day: string;
}

/** The parts of a day with a year of four digits first, such as `1985/3/9` or `1990年1月5日`; undefined for another text. */
export function yearFirstDay(text: string): YearFirstDay | undefined {
  const plain = withPlainDigits(text);
  const [, year, sign, month, day] = withSigns.exec(plain) ?? inWords.exec(plain) ?? [];
  if (year === undefined || sign === undefined || month === undefined || day === undefined) return undefined;
  return { year, sign, month, day };
}

/** Whether a declared format has the year, then the month, then the day, as YYYY/M/D does. */
export function isYearFirstFormat(format: string): boolean {
  return /^[^YMD]*YYYY[^YMD]*MM?[^YMD]*DD?[^YMD]*$/.test(format);
}
