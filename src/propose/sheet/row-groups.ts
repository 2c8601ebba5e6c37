/* Groups of rows: what the headings between the rows and the names of the sheets say of the rows below them. */

import {
  columnOfLabel,
  HeadingsAbove,
  headingColumn,
  labelledHeading,
  type NonRow,
  type RowColumns,
} from '../../read/mapping/headings.ts';
import { isCalledTotal } from '../../read/mapping/non-rows.ts';
import { sheetColumn } from '../../read/mapping/titles.ts';
import { cellText, type Grid, type GridRow, sheetOfRow } from './grid.ts';

/** A column that is in no cell of the rows. */
interface ColumnBesideCells {
  readonly title: string;
  /** One for each row. */
  readonly texts: readonly string[];
}

/** With a heading above fewer of its rows, the lines between the rows of a sheet are remarks. */
const mostUnderHeadings = 0.5;

/** The rows among the lines below a header, and what the headings above them and the names of their sheets say. */
export function rowsAndHeadings(
  lines: readonly GridRow[],
  { own, above, labels }: Pick<Required<RowColumns>, 'own' | 'above' | 'labels'>,
  check: (row: GridRow) => NonRow | null,
  grid: Grid,
): { readonly rows: readonly GridRow[]; readonly beside: readonly ColumnBesideCells[] } {
  const seen = lines.map((row) => ({ row, looks: check(row) }));
  // Where each group has the titles once more, the heading of the first one is above the header.
  const areTitlesRepeated = seen.slice(1).some(({ looks }) => looks === 'repeated header');
  const first = new HeadingsAbove({ own, above: areTitlesRepeated ? above : [], labels });
  const ofSheets = new Map([[sheetOfRow(grid, { number: 0 }), first]]);
  const columns = [undefined, ...labels];
  const read = seen.flatMap(({ row, looks }) => {
    const sheet = sheetOfRow(grid, row);
    const headings = ofSheets.get(sheet) ?? new HeadingsAbove({ own, labels });
    ofSheets.set(sheet, headings);
    headings.next(row, looks);
    return looks === null ? [{ row, texts: columns.map((label) => headings.textOf(label)) }] : [];
  });
  const rows = read.map(({ row }) => row);
  const beside = columns.flatMap((label, at): ColumnBesideCells[] => {
    const texts = read.map((each) => each.texts[at] ?? '');
    if (grid.isCut || (label === undefined && !areGroups(texts))) return [];
    return [{ title: label === undefined ? headingColumn : columnOfLabel(label), texts }];
  });
  if (grid.sheets !== undefined)
    beside.push({ title: sheetColumn, texts: rows.map((row) => sheetOfRow(grid, row)) });
  return { rows, beside };
}

/** With fewer columns, a row may have as few cells as a heading. */
const fewestOwn = 6;

/** The largest share of the lines of a label that have the next one directly below: a value of a column is in many rows on end. */
const mostOnEnd = 0.3;

/**
 * The labels of headings that have their value in cells of their own, such as `BANK` of `BANK | 68 | Equity Bank`. A label is at the
 * beginning of several lines with different values, which have fewer cells than most rows, and of no row.
 */
export function labelsOf(lines: readonly GridRow[], own: readonly number[]): ReadonlySet<string> {
  if (own.length < fewestOwn) return new Set();
  const texts = lines.map((line) =>
    line.cells.map((_, index) => cellText(line, index)).filter((text) => text !== ''),
  );
  const usual = texts.map(({ length }) => length).sort((one, other) => one - other)[lines.length >> 1] ?? 0;
  const found = new Map<string, { readonly values: Set<string>; lines: number; onEnd: number }>();
  const ofRows = new Set<string>();
  let above: string | undefined;
  for (const [at, line] of lines.entries()) {
    const filled = texts[at] ?? [];
    const isShort = filled.length * 2 <= own.length || filled.length < usual;
    const heading = isShort ? labelledHeading(line.cells) : undefined;
    if (heading === undefined) ofRows.add(filled[0] ?? '');
    else {
      const known = found.get(heading.label) ?? { values: new Set(), lines: 0, onEnd: 0 };
      known.values.add(heading.text);
      known.lines += 1;
      if (above === heading.label) known.onEnd += 1;
      found.set(heading.label, known);
    }
    above = heading?.label;
  }
  const labels = [...found].filter(
    ([label, { values, lines: count, onEnd }]) =>
      values.size > 1 && onEnd <= count * mostOnEnd && !ofRows.has(label) && !isCalledTotal(label),
  );
  return new Set(labels.map(([label]) => label));
}

/** Whether the headings of rows divide most of them into groups. */
function areGroups(headings: readonly string[]): boolean {
  const texts = headings.filter((text) => text !== '');
  const { size } = new Set(texts);
  return size > 1 && size * 2 <= texts.length && texts.length >= headings.length * mostUnderHeadings;
}
