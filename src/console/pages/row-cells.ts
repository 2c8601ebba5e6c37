/* The cells of a row under the titles of its file, each with what is wrong with it. */

import { isResultColumn } from '../../account/files/result-columns.ts';
import { numberToConfirm } from '../../domain/rows/draft.ts';
import { type Fault, faultsOf, type ResultRow, shownCells } from '../../domain/rows/result-row.ts';
import { unmasked } from '../../domain/text/characters.ts';
import { inPageWords } from './setting-words.ts';

/** What is wrong with a cell, in the words of pages. */
export interface ShownFault {
  readonly code: string | null;
  readonly text: string;
}

/** A cell as its file shows it, with what is said of it. */
export interface ShownCell {
  /** Its place among all columns of the file, those of an earlier result file included. */
  readonly place: number;
  readonly value: string;
  readonly faults: readonly ShownFault[];
}

/** A row, cell by cell. */
export interface ShownRow {
  readonly own: readonly ShownCell[];
  /** What is said of the row as a whole, or of something that its file has no column for. */
  readonly whole: readonly string[];
}

/** The code of a number that a spreadsheet program may have damaged, which a person may say is right. */
export const damagedNumber = 'damaged_number';

/** The titles of a file's own columns; those that a result file has added are left out. */
export function ownColumns(columns: readonly string[]): readonly string[] {
  return columns.flatMap((title, place) => (isResultColumn(title) ? [] : [columnName(columns, place)]));
}

/** A column as people name it: one without a title by its place. */
export function columnName(columns: readonly string[], place: number): string {
  const title = columns[place] ?? '';
  return title.trim() === '' ? `Column ${place + 1}` : title;
}

/**
 * What is wrong with a value, as a page says it. Of a damaged number the message tells what to do in a spreadsheet program
 * or with a result file; here the number is typed, or said to be right.
 * @param value as the cell shows it; null where several rows are meant
 */
export function faultText({ code, message }: Pick<Fault, 'code' | 'message'>, value: string | null): string {
  if (code !== damagedNumber) return inPageWords(value === null ? message : unmasked(message, value));
  if (value === null) return 'zeros or other signs may be missing at the beginning of numbers';
  return numberToConfirm(value) === undefined
    ? `“${value}” was changed by a spreadsheet program: type what is right from its source`
    : `“${value}” may lack zeros or other signs at its beginning, since a spreadsheet program took it for a number: type it as it should be, or say that it is right as it is`;
}

/** The cells of a row under its own columns, with its findings beside them. */
export function cellsWithFaults(row: ResultRow, columns: readonly string[]): ShownRow {
  const faults = faultsOf(row);
  const cells = shownCells(row);
  const own = columns.flatMap((title, place) => {
    if (isResultColumn(title)) return [];
    const value = cells[place] ?? '';
    // Of two columns with one title, the first is meant.
    const isMeant = columns.indexOf(title) === place;
    const found = isMeant ? faults.filter(({ column }) => column === title) : [];
    return [
      { place, value, faults: found.map((fault) => ({ code: fault.code, text: faultText(fault, value) })) },
    ];
  });
  const whole = faults.flatMap((fault) => {
    const { column } = fault;
    if (column === null) return [faultText(fault, null)];
    return columns.includes(column) && !isResultColumn(column)
      ? []
      : [`${column}: ${faultText(fault, null)}`];
  });
  // A cell too many has no title to stand under.
  const beyond = cells.slice(columns.length).filter((cell) => cell !== '');
  return {
    own,
    whole: beyond.length === 0 ? whole : [...whole, `More cells than titles: ${beyond.join(', ')}`],
  };
}
