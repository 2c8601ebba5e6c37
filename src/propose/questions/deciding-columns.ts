/* Whether the values of a column may decide which rows are sent: a status, an answer, the day on which somebody left. */

import { asksWhetherToSend, isAnswer } from '../../read/rows/marked-rows.ts';
import { type Column, isDayInFigures, isDayWithWords, share } from '../sheet/column.ts';

/** Whether a column has more values than a status has. Such values are notes by people about single rows. */
export function isRemark({ values }: Column): boolean {
  return values.length > mostOfStatus;
}

/** With more values, a column is not the answer to a question. */
export const mostAnswers = 3;
/** With more values, a column is not a status, but has remarks. */
const mostOfStatus = 8;

/** Whether a column may say which rows are to be sent, according to its title and its values. */
export function maySayWhatIsSent(column: Column, excludes: (value: string) => boolean): boolean {
  const { title, values, cells, rows } = column;
  const texts = values.map(({ text }) => text);
  if (texts.some(excludes)) return true;
  if (values.length === 0 || values.length > mostOfStatus) return false;
  const isAlwaysSame = values.length === 1 && cells.length === rows;
  if (isAlwaysSame) return false;
  if (hasRareWords(column)) return true;
  if (asksWhetherToSend(title)) return texts.some(isAnswer) || hasRareCode(values);
  return values.length <= mostAnswers && texts.every(isAnswer);
}

const longestCode = 3;
/** The largest share of rows in which a code is an exception. */
const rareShare = 0.2;

/**
 * Whether a column has only codes that the file does not explain, and few rows have one of them: `A` and, rarely, `I`.
 */
function hasRareCode(values: Column['values']): boolean {
  const all = values.reduce((sum, { rows }) => sum + rows, 0);
  return (
    values.length > 1 &&
    values.every(({ text }) => text.length <= longestCode) &&
    values.some(({ rows }) => rows <= all * rareShare)
  );
}

/** With fewer rows, a share of them says nothing. */
const fewestCounted = 40;
/** The least share of rows with a usual value of a status, and of rows that have any value. */
const usualShare = 0.1;
const filledShare = 0.75;
/** The largest share of rows in which a word is an exception, and of rows with any such word. */
const rareWordShare = 0.05;
const rareWordsShare = 0.15;
const mostUsual = 3;

/**
 * Whether almost all rows of a column have the same one to three words and a few rows have others, in whatever language: a
 * status, a role or a way of paying, by which a few rows may not be meant. Values that differ only in a number are none.
 */
export function hasRareWords({ values, cells, rows }: Column): boolean {
  const all = values.reduce((sum, value) => sum + value.rows, 0);
  if (all < fewestCounted || cells.length < rows * filledShare) return false;
  const rare = values.filter((value) => value.rows <= all * rareWordShare);
  const usual = values.filter((value) => value.rows >= all * usualShare);
  return (
    rare.length > 0 &&
    usual.length <= mostUsual &&
    usual.length + rare.length === values.length &&
    rare.reduce((sum, value) => sum + value.rows, 0) <= all * rareWordsShare &&
    values.every(({ text }) => /(?:\p{L}.*){3}/u.test(text)) &&
    rare.some(({ text }) => !usual.some((value) => withoutDigits(value.text) === withoutDigits(text)))
  );
}

/** The largest share of rows with a day of an end, and the most years between the first and the last of these days. */
const endedShare = 0.2;
const mostYears = 3;

/**
 * Whether a few rows of a column have a day, and all these days are of a few years: the day on which somebody left, or something
 * was paid or cancelled. Days that lie far apart, as of birth or marriage, say nothing about the row.
 */
export function hasFewRecentDays(column: Column): boolean {
  const { cells, values, rows } = column;
  if (rows < fewestCounted || cells.length < 2 || cells.length > rows * endedShare) return false;
  const years = values.flatMap(({ text }) => /(?<!\d)(?:19|20)\d\d(?!\d)/.exec(text)?.[0] ?? []).map(Number);
  return (
    years.length === values.length &&
    Math.max(...years) - Math.min(...years) <= mostYears &&
    share(column, (text) => isDayInFigures(text) || isDayWithWords(text)) === 1
  );
}

function withoutDigits(text: string): string {
  return text.replace(/\d/g, '');
}
