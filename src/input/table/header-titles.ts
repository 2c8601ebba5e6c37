import type { TableRow } from '../../domain/tables/table.ts';
import type { MergedRange } from './opened-table.ts';

const between = ' / ';

/**
 * The titles of a header that a person has named by its rows. Of two rows, the upper title counts for all columns of
 * its merged cells, and is joined with the one below it: `Bank / Account`. Where only one of both is filled in, that
 * one is the title.
 *
 * @param rows those of the header among them
 */
export function titlesIn(
  rows: readonly Pick<TableRow, 'number' | 'cells'>[],
  merged: readonly MergedRange[],
  headerRows: readonly number[],
): string[] {
  const [lower = [], upper] = headerRows.map((number) => cellsOf(rows, number)).reverse();
  if (upper === undefined) return lower;
  const [upperRow = 0] = headerRows;
  const width = Math.max(upper.length, lower.length);
  const groups = isMergedAcross(merged, upperRow)
    ? (column: number) => mergedTitle(column, upperRow, merged, rows) ?? upper[column] ?? ''
    : titlesByPlace(upper, lower);
  return Array.from({ length: width }, (_, column) => joinTitles(groups(column), lower[column] ?? ''));
}

function cellsOf(rows: readonly Pick<TableRow, 'number' | 'cells'>[], number: number): string[] {
  return (rows.find((row) => row.number === number)?.cells ?? []).map((cell) => cell.trim());
}

function joinTitles(upper: string, lower: string): string {
  return upper === lower ? upper : [upper, lower].filter((title) => title !== '').join(between);
}

function rangesAcross(merged: readonly MergedRange[], row: number): readonly MergedRange[] {
  return merged.filter(({ firstRow, lastRow }) => firstRow <= row && lastRow >= row);
}

function isMergedAcross(merged: readonly MergedRange[], row: number): boolean {
  return rangesAcross(merged, row).some(({ firstColumn, lastColumn }) => lastColumn > firstColumn);
}

function mergedTitle(
  column: number,
  row: number,
  merged: readonly MergedRange[],
  rows: readonly Pick<TableRow, 'number' | 'cells'>[],
): string | undefined {
  const range = rangesAcross(merged, row).find(
    ({ firstColumn, lastColumn }) => firstColumn <= column + 1 && lastColumn >= column + 1,
  );
  return range === undefined ? undefined : (cellsOf(rows, range.firstRow)[range.firstColumn - 1] ?? '');
}

/**
 * Where nothing is known of merged cells, an empty upper cell belongs to the nearest title on its left. A title with
 * nothing below it stands for its own column only, as merged cells of two rows do.
 */
function titlesByPlace(upper: readonly string[], lower: readonly string[]): (column: number) => string {
  return (column) => {
    if ((upper[column] ?? '') !== '') return upper[column] ?? '';
    if ((lower[column] ?? '') === '') return '';
    for (let left = column - 1; left >= 0; left -= 1) {
      const title = upper[left] ?? '';
      if (title !== '') return (lower[left] ?? '') === '' ? '' : title;
    }
    return '';
  };
}
