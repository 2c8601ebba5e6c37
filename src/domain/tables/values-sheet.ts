/*
 * Sheets that paybatch writes beside the rows of a workbook. On that of a failed workbook one correction applies to every row
 * with the same value.
 */

import { type CellKind, type Table, type TableRow, tableLike } from './table.ts';

/**
 * The titles of the sheet of a failed workbook, in order. They are result columns, so that an import does not read the sheet as
 * input.
 */
export const valueTitles = [
  'result_column',
  'result_value',
  'result_rows',
  'result_message',
  'result_correction',
] as const;

/** What a person wrote beside a value; a cell of the workbook may be a number. */
interface Correction {
  readonly text: string;
  readonly kind?: CellKind;
}

/** By column, as the file calls it, and by value as in its cells. */
type ValueCorrections = ReadonlyMap<string, ReadonlyMap<string, Correction>>;

/** The most values that a person can go through as a list. */
const mostRead = 10_000;

/** Whether a table is the sheet of values of a failed workbook; other columns may be before or after these. */
export function isValuesSheet(header: readonly string[]): boolean {
  return valueTitles.every((title) => header.includes(title));
}

/** The titles of the sheet of a template that explains its columns. They are no columns, so that an import leaves it out. */
export const explanationTitles = ['Column', 'Needed', 'What belongs into it', 'Example', 'Values'] as const;

/** Whether paybatch wrote a sheet beside the rows of a workbook: its rows are not missed in an import. */
export function isSheetBeside(header: readonly string[]): boolean {
  return isValuesSheet(header) || explanationTitles.every((title) => header.includes(title));
}

/** Reads what a person has written on a sheet of values; values without a correction are left out. */
export async function correctionsOn(table: Table): Promise<ValueCorrections> {
  const [column = 0, value = 0, , , correction = 0] = valueTitles.map((title) => table.header.indexOf(title));
  const corrections = new Map<string, Map<string, Correction>>();
  let read = 0;
  for await (const rows of table.rows()) {
    for (const { cells, kinds } of rows) {
      read += 1;
      const text = cells[correction]?.trim() ?? '';
      if (read > mostRead || text === '') continue;
      const title = (cells[column] ?? '').trim();
      const ofColumn = corrections.get(title) ?? new Map<string, Correction>();
      const kind = kinds?.get(correction);
      corrections.set(title, ofColumn.set(cells[value] ?? '', { text, ...(kind && { kind }) }));
    }
  }
  return corrections;
}

/** The table with each value corrected in every row that has it, and a note on each of these rows. */
export function withCorrectedValues<Row extends TableRow>(
  table: Table<Row>,
  corrections: ValueCorrections,
): Table<Row> {
  const places = table.header.flatMap((title, index) => {
    const ofColumn = corrections.get(title.trim());
    return ofColumn === undefined ? [] : [{ title, index, ofColumn }];
  });
  if (places.length === 0) return table;
  return tableLike(table, { rows: () => correctRows(table, places) });
}

type Places = readonly {
  readonly title: string;
  readonly index: number;
  readonly ofColumn: ReadonlyMap<string, Correction>;
}[];

async function* correctRows<Row extends TableRow>(
  table: Table<Row>,
  places: Places,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of table.rows()) yield rows.map((row) => correctRow(row, places));
}

function correctRow<Row extends TableRow>(row: Row, places: Places): Row {
  const cells = [...row.cells];
  const kinds = new Map(row.kinds);
  const notes = [...(row.notes ?? [])];
  for (const { title, index, ofColumn } of places) {
    const value = row.cells[index] ?? '';
    const correction = value === '' ? undefined : ofColumn.get(value);
    if (correction === undefined) continue;
    cells[index] = correction.text;
    if (correction.kind === undefined) kinds.delete(index);
    else kinds.set(index, correction.kind);
    notes.push(`${title}: corrected on the sheet Values`);
  }
  return notes.length === (row.notes?.length ?? 0) ? row : { ...row, cells, kinds, notes };
}
