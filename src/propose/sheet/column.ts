/* A column of the sheet that is read: its cells with plain digits, and its distinct values. */

import { isWrittenOtherwise, withPlainDigits } from '../../domain/text/characters.ts';
import { withoutTextMark } from '../../domain/text/text-marks.ts';
import { yearFirstDay } from '../../kinds/fields/days.ts';
import { dayInWords } from '../../kinds/fields/days-in-words.ts';
import { cellText, type GridRow } from './grid.ts';

/** One column of a sheet. Lines that are not rows are left out. */
export interface Column {
  readonly index: number;
  readonly title: string;
  /** Filled cells only. */
  readonly cells: readonly ColumnCell[];
  /** The number of rows of the sheet, whether filled in this column or not. */
  readonly rows: number;
  /** The distinct texts, the most frequent first. */
  readonly values: readonly { readonly text: string; readonly rows: number }[];
}

interface ColumnCell {
  /** The text with the digits 0 to 9 if the column has only numbers, and without a sign that marks it as text. */
  readonly text: string;
  /** The text in the file, if it differs: with digits of another script, or with a sign that marks it as text. */
  readonly written?: string;
  readonly row: number;
  readonly isNumber: boolean;
  /** Whether the number format determines which digits of a number are shown. */
  readonly isShown?: true;
  readonly isDate: boolean;
}

/**
 * Makes a column from rows.
 * @param counted the number of rows with each value in the whole sheet, if `rows` are a sample
 */
export function columnOf(
  index: number,
  title: string,
  rows: readonly GridRow[],
  counted?: ReadonlyMap<string, number>,
): Column {
  const writtenOtherwise = rows
    .map((row) => withoutTextMark(cellText(row, index)))
    .filter(isWrittenOtherwise);
  const areNumbers = writtenOtherwise.filter(isNumber).length >= writtenOtherwise.length * mostNumbers;
  const cells = rows.flatMap((row): ColumnCell[] => {
    const written = cellText(row, index);
    const unmarked = withoutTextMark(written);
    const text = areNumbers ? withPlainDigits(unmarked) : unmarked;
    const kind = row.kinds?.get(index);
    if (text === '') return [];
    return [
      {
        text,
        ...(text === written ? {} : { written }),
        row: row.number,
        isNumber: kind === 'number' || kind === 'shown_number',
        ...(kind === 'shown_number' ? { isShown: true } : {}),
        isDate: kind === 'date',
      },
    ];
  });
  const counts = new Map<string, number>();
  for (const { text } of cells) counts.set(text, (counts.get(text) ?? 0) + 1);
  const values = [...counts]
    .map(([text, count]) => ({ text, rows: counted?.get(text) ?? count }))
    .sort((a, b) => b.rows - a.rows);
  return { index, title, cells, rows: rows.length, values };
}

/** The share of numbers among such cells: a few have words beside their number, or two numbers. */
const mostNumbers = 0.8;

/** With fewer digits, a text in capitals may be a name or a part of an address. */
const fewestDigitsOfCode = 4;
const codeForm = /^[A-Z0-9][A-Z0-9 .,/+-]*$/;

const dayInFigures = /^(?:\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2\d{4})\p{L}?\.?(?:[T ]\d.*)?$/u;

/** Whether a text is a day with its whole year, with or without a time: `3.7.1984`, `2026-11-30T08:15`. */
export function isDayInFigures(text: string): boolean {
  return dayInFigures.test(text);
}

/** Whether a text is a day with words in it that show the order of its parts. */
export function isDayWithWords(text: string): boolean {
  return yearFirstDay(text) !== undefined || dayInWords(text) !== undefined;
}

/**
 * Whether a text counts as a number. It has digits and signs without letters, or the words of a day: a date, an amount,
 * a phone number. Capitals with digits are a code, such as an IBAN or the number of a customer.
 */
function isNumber(text: string): boolean {
  const plain = withPlainDigits(text);
  if (!/\p{L}/u.test(plain) || isDayWithWords(text)) return true;
  return codeForm.test(plain) && plain.replace(/\D/g, '').length >= fewestDigitsOfCode;
}

/** The maximum number of distinct values of a column that are tested. */
export const enoughValues = 400;

/** The share of cells whose value passes a test, from 0 to 1. */
export function share(column: Column, test: (text: string) => boolean): number {
  const values = column.values.slice(0, enoughValues);
  const all = values.reduce((sum, { rows }) => sum + rows, 0);
  if (all === 0) return 0;
  return values.reduce((sum, { text, rows }) => (test(text) ? sum + rows : sum), 0) / all;
}
