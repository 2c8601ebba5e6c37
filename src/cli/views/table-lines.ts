/* Tables on a terminal. */

import { type Column, cellText, columnsOf, type Line, type Table } from '../../account/table/table.ts';
import { countOf } from '../../domain/money/figures.ts';
import {
  type AlignedColumn,
  alignedTable,
  type Colour,
  statusColour,
  TEXT_COLUMNS,
} from './terminal-text.ts';

interface TableLineOptions {
  readonly terminalColumns?: number | undefined;
  /** So many lines are shown, and how many more there are is said; all of them when absent. */
  readonly most?: number;
}

/** A table on a terminal: aligned lines under its titles, its total below. Nothing where it would be empty. */
export function tableLines(
  table: Table,
  colour: Colour,
  { terminalColumns = TEXT_COLUMNS, most = Number.POSITIVE_INFINITY }: TableLineOptions = {},
): string[] {
  if (table.rows.length === 0) return [];
  const columns = columnsOf(table);
  const shown = table.rows.slice(0, most);
  const totals = table.totals ?? [];
  const places = columns.flatMap(({ kind }, place) =>
    kind !== 'actions' && [...table.rows, ...totals].some((line) => isFilled(line, place)) ? [place] : [],
  );
  const left = table.rows.length - shown.length;
  const more = left === 0 ? [] : [[`and ${countOf(left, 'more line')}`]];
  const text = (line: Line): string[] => places.map((place) => cellText(line[place] ?? null));
  const [titles = '', ...lines] = alignedTable(
    places.flatMap((place) => columns[place] ?? []).map(alignedColumn),
    [...shown.map(text), ...more, ...totals.map(text)],
    colour,
    '  ',
    terminalColumns,
  );
  return [titles, ...lines.map((line, at) => withStatusColour(line, shown[at], colour))];
}

/** The same under the title of the table. */
export function titledTable(table: Table, colour: Colour, options: TableLineOptions = {}): string[] {
  const lines = tableLines(table, colour, options);
  return lines.length === 0 ? [] : [`  ${colour('bold', table.title)}`, ...lines];
}

function isFilled(line: Line, place: number): boolean {
  return (line[place] ?? '') !== '';
}

function alignedColumn({ title, kind, mayShrink = false }: Column): AlignedColumn {
  return { title: title.toLowerCase(), isFigure: kind === 'figure', mayShrink };
}

/** A line that begins with a status has the status in its colour. */
function withStatusColour(line: string, cells: Line | undefined, colour: Colour): string {
  const first = cells?.[0] ?? null;
  if (first === null || typeof first !== 'object' || !('status' in first)) return line;
  return line.replace(cellText(first), (label) => colour(statusColour(first.status), label));
}
