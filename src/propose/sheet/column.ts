/* A column of the sheet that is read: its cells in plain digits, and its distinct values. */

import { isWrittenOtherwise, withoutTextMark, withPlainDigits } from '../../domain/text/characters.ts';
import { dayInWords, yearFirstDay } from '../../kinds/fields/days.ts';
import { cellText, type GridRow } from './grid.ts';

/** One column of a sheet, without lines that are not rows. */
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
  /** With the digits 0 to 9 where the column has only numbers, and without a sign that keeps it a text. */
  readonly text: string;
  /** As the file has it, where that differs: in digits of another script, or a sign before a text. */
  readonly written?: string;
  readonly row: number;
  readonly isNumber: boolean;
  readonly isDate: boolean;
}

/**
 * A column of rows.
 * @param counted the number of rows with each value in the whole sheet, where `rows` are a sample
 */
export function columnOf(
  index: number,
  title: string,
  rows: readonly GridRow[],
  counted?: ReadonlyMap<string, number>,
): Column {
  const areNumbers = rows.every(
    (row) => !isWrittenOtherwise(cellText(row, index)) || isNumber(withoutTextMark(cellText(row, index))),
  );
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

/** With fewer digits, a text of capitals may be a name or a part of an address. */
const fewestDigitsOfCode = 4;
const codeForm = /^[A-Z0-9][A-Z0-9 .,/+-]*$/;

/** A day with words for its parts, of an order that they tell. */
export function isDayWithWords(text: string): boolean {
  return yearFirstDay(text) !== undefined || dayInWords(text) !== undefined;
}

/**
 * Digits and signs without a letter, or with the words of a day: a date, an amount, a phone number. Capitals with digits are
 * a code: an IBAN, the number of a customer.
 */
function isNumber(text: string): boolean {
  const plain = withPlainDigits(text);
  if (!/\p{L}/u.test(plain) || isDayWithWords(text)) return true;
  return codeForm.test(plain) && plain.replace(/\D/g, '').length >= fewestDigitsOfCode;
}

/** The most distinct values of a column that are tested. */
export const enoughValues = 400;

/** The share of cells whose value passes a test, from 0 to 1. */
export function share(column: Column, test: (text: string) => boolean): number {
  const values = column.values.slice(0, enoughValues);
  const all = values.reduce((sum, { rows }) => sum + rows, 0);
  if (all === 0) return 0;
  return values.reduce((sum, { text, rows }) => (test(text) ? sum + rows : sum), 0) / all;
}
