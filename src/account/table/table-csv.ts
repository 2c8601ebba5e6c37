/* A table as a CSV file. */

import { byteOrderMark, csvText } from '../files/replacement-file.ts';
import { cellValue, columnsOf, type Line, type Table } from './table.ts';

/* A table as a CSV file. */

/** The titles, the rows and the total. Actions on a line are only for pages. */
export function csvOfTable(table: Pick<Table, 'columns' | 'rows' | 'totals'>): string {
  const columns = columnsOf(table);
  const places = columns.flatMap(({ kind }, place) => (kind === 'actions' ? [] : [place]));
  const record = (line: Line): string[] => places.map((place) => cellValue(line[place] ?? null));
  const titles = places.map((place) => columns[place]?.title ?? '');
  return byteOrderMark + csvText([titles, ...table.rows.map(record), ...(table.totals ?? []).map(record)]);
}
