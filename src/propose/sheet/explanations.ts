/* The explanations that a file has for its own codes and marks: sheets with legends, and lines that are no rows. */

import { foldWord } from '../../domain/tables/mapping.ts';
import { noFillMark } from '../../domain/tables/row-marks.ts';
import { isCalledTotal } from '../../read/mapping/non-rows.ts';
import { explainsMarks, explainsValue } from '../../read/rows/marked-rows.ts';
import type { Column } from './column.ts';
import { cellText, type Grid, type GridRow } from './grid.ts';
import type { Sheet } from './sheet.ts';

/* Lines of a file that are no rows and explain the marks in its rows, or the meaning of a value in a column. */

const mostCells = 3;
const mostExplanations = 5;
const longestShown = 150;

/** Lines that are no rows and explain marks, by their words or because they have the mark themselves. */
export function linesAboutMarks(sheet: Sheet, marks: ReadonlySet<string>): readonly string[] {
  const lines = besideRows(sheet).flatMap(({ row, text }) => {
    const looks = [...(row.look?.marks ?? []), ...(row.look?.partly ?? [])];
    const isLike = looks.some((mark) => mark !== noFillMark && marks.has(mark));
    return isLike || explainsMarks(text) ? [[...text].slice(0, longestShown).join('')] : [];
  });
  return [...new Set(lines)].slice(0, mostExplanations);
}

/** The lines that explain values of a column. */
export function linesAboutValues({ title, values }: Column, sheet: Sheet): readonly string[] {
  return besideRows(sheet)
    .map(({ text }) => text)
    .filter((text) => values.some((value) => explainsValue(text, title, value.text)))
    .map((text) => [...text].slice(0, longestShown).join(''))
    .slice(0, mostExplanations);
}

/** The lines of text that are no rows. Totals and headers are left out. */
function besideRows({
  grid,
  header,
  rows,
}: Sheet): readonly { readonly row: GridRow; readonly text: string }[] {
  const own = new Set([...rows.map(({ number }) => number), ...header]);
  return grid.rows.flatMap((row) => {
    if (own.has(row.number)) return [];
    const texts = row.cells.map((_, index) => cellText(row, index)).filter((text) => text !== '');
    const text = texts.join(' ');
    if (texts.length > mostCells || !/\p{L}/u.test(text) || isCalledTotal(texts[0] ?? '')) return [];
    return [{ row, text }];
  });
}

/* Legend sheets for the codes of a column in another sheet. They have two columns: a code and its meaning. */

/** The meaning of each code, by the code in the form that `foldWord` returns. */
export type Legend = ReadonlyMap<string, string>;

const fewestCodes = 2;
const mostCodes = 500;
/** The minimum share of lines that have a code and its meaning. */
const mostPairs = 0.7;
/** The minimum share of a column's values that are codes of the legend. */
const fewestValues = 0.5;

/** The legends among the sheets that are not read. */
export function legendsIn(
  grids: readonly Grid[],
  { sheet, sheets }: Pick<Grid, 'sheet' | 'sheets'>,
): readonly Legend[] {
  return grids.flatMap((grid) => {
    const isRead = grid.sheet === sheet || sheets?.includes(grid.sheet ?? '') === true;
    const legend = isRead || grid.isCut ? undefined : legendOf(grid);
    return legend === undefined ? [] : [legend];
  });
}

function legendOf({ rows }: Grid): Legend | undefined {
  const pairs = rows.flatMap((row): [string, string][] => {
    const filled = row.cells.map((_, index) => cellText(row, index)).filter((text) => text !== '');
    const [code = '', meaning = ''] = filled;
    return filled.length === 2 ? [[foldWord(code), meaning]] : [];
  });
  if (pairs.length < rows.length * mostPairs || pairs.length > mostCodes) return undefined;
  const legend = new Map(pairs);
  // A code with two meanings explains nothing.
  return legend.size === pairs.length && legend.size >= fewestCodes ? legend : undefined;
}

/** Whether a sheet only explains the codes of these columns. */
export function isLegendOf(grid: Grid, columns: readonly Column[]): boolean {
  const legend = grid.isCut ? undefined : legendOf(grid);
  return legend !== undefined && columns.some((column) => legendFor(column, [legend]) !== undefined);
}

/** The legend that explains the values of a column; undefined if none exists. */
export function legendFor({ values }: Column, legends: readonly Legend[]): Legend | undefined {
  return legends.find((legend) => {
    const known = values.filter(({ text }) => legend.has(foldWord(text)));
    return known.length >= fewestCodes && known.length >= values.length * fewestValues;
  });
}
