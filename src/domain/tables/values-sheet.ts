/*
 * Sheets that paybatch writes next to the rows of a workbook. On the sheet of values of a failed workbook, one correction
 * applies to every row with the same value.
 */

import { type CellKind, type Table, type TableRow, tableLike } from './table.ts';

/** The titles of that sheet, in order. They are result columns, so that an import does not read the sheet as input. */
export const valueTitles = [
  'result_column',
  'result_value',
  'result_rows',
  'result_message',
  'result_correction',
] as const;

/** A person's correction of a value. A cell of the workbook may be a number. */
interface Correction {
  readonly text: string;
  readonly kind?: CellKind;
}

/** By the column's title in the file, and by the value as in its cells. */
type ValueCorrections = ReadonlyMap<string, ReadonlyMap<string, Correction>>;

/** The maximum number of values in a list that a person can work through. */
const mostRead = 10_000;

/** Whether a table is the sheet of values of a failed workbook. Other columns may be before or after its columns. */
export function isValuesSheet(header: readonly string[]): boolean {
  return valueTitles.every((title) => header.includes(title));
}

/**
 * The titles of the sheet that explains the columns of a template. They are not columns of a definition, so an import omits
 * the sheet.
 */
export const explanationTitles = ['Column', 'Needed', 'What belongs into it', 'Example', 'Values'] as const;

/**
 * Whether paybatch wrote a sheet next to the rows of a workbook. Then an import need not report that its rows are not read.
 */
export function isSheetBeside(header: readonly string[]): boolean {
  return isValuesSheet(header) || explanationTitles.every((title) => header.includes(title));
}

/** Reads a person's corrections on a sheet of values. Values without a correction are omitted. */
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

/** The table in which each corrected value is replaced in every row that has it, with a note on each of these rows. */
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
