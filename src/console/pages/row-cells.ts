/* The cells of a row under the titles of its file, each with what is wrong with it. */

import { faultsOf, type ResultRow } from '../../domain/rows/result-row.ts';
import { unmasked } from '../../domain/text/characters.ts';
import { isResultColumn } from '../../output/files/result-columns.ts';
import { inPageWords } from './setting-words.ts';

/** A cell as it came, with what is said of it. */
export interface ShownCell {
  /** Its place among all columns of the file, those of an earlier result file included. */
  readonly place: number;
  readonly value: string;
  readonly faults: readonly string[];
}

/** A row, cell by cell. */
export interface ShownRow {
  readonly own: readonly ShownCell[];
  /** What is said of the row as a whole, or of something that its file has no column for. */
  readonly whole: readonly string[];
}

/** The titles of a file's own columns; those that a result file has added are left out. */
export function ownColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((title) => !isResultColumn(title));
}

/** The cells of a row under its own columns, with its findings beside them. */
export function cellsWithFaults(row: ResultRow, columns: readonly string[]): ShownRow {
  const faults = faultsOf(row);
  const own = columns.flatMap((title, place) => {
    if (isResultColumn(title)) return [];
    const value = row.cells[place] ?? '';
    // Of two columns with one title, the first is meant.
    const isMeant = columns.indexOf(title) === place;
    const found = isMeant ? faults.filter(({ column }) => column === title) : [];
    return [{ place, value, faults: found.map(({ message }) => inPageWords(unmasked(message, value))) }];
  });
  const whole = faults.flatMap(({ column, message }) => {
    if (column === null) return [inPageWords(message)];
    return columns.includes(column) && !isResultColumn(column) ? [] : [`${column}: ${inPageWords(message)}`];
  });
  // A cell too many has no title to stand under.
  const beyond = row.cells.slice(columns.length).filter((cell) => cell !== '');
  return {
    own,
    whole: beyond.length === 0 ? whole : [...whole, `More cells than titles: ${beyond.join(', ')}`],
  };
}
