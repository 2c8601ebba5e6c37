/* Legend sheets: two columns, a code and what it means, for the codes of a column of another sheet. */

import { foldWord } from '../domain/tables/mapping.ts';
import type { Column } from './evidence.ts';
import { cellText, type Grid } from './grid.ts';

/** What each code means, by the code as `foldWord` returns it. */
export type Legend = ReadonlyMap<string, string>;

const fewestCodes = 2;
const mostCodes = 500;
/** Lines of a legend have a code and its meaning, and hardly anything else. */
const mostPairs = 0.7;
/** The share of a column's values that have to be codes of the legend. */
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
  // A code with two meanings is none.
  return legend.size === pairs.length && legend.size >= fewestCodes ? legend : undefined;
}

/** Whether a sheet does nothing but explain the codes of these columns. */
export function isLegendOf(grid: Grid, columns: readonly Column[]): boolean {
  const legend = grid.isCut ? undefined : legendOf(grid);
  return legend !== undefined && columns.some((column) => legendFor(column, [legend]) !== undefined);
}

/** The legend that explains the values of a column; undefined for none. */
export function legendFor({ values }: Column, legends: readonly Legend[]): Legend | undefined {
  return legends.find((legend) => {
    const known = values.filter(({ text }) => legend.has(foldWord(text)));
    return known.length >= fewestCodes && known.length >= values.length * fewestValues;
  });
}
