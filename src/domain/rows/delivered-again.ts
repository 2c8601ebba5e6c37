/* Whether a row of a file that was delivered again, whole, is an earlier row put right. */

/** A row of the earlier file that is for a person. */
export interface FaultyCells {
  readonly cells: readonly string[];
  /** At which columns something was found; empty for a row that the API refused. */
  readonly faultyColumns: readonly number[];
  /** Whether the earlier file ended in it. */
  readonly isCut: boolean;
}

/**
 * Whether a row in the same place of the later file is that row: it differs only where something was found, a row that the API
 * refused in one cell at most, and a cut one only behind what there was of it. Both have a value in common in any case.
 */
export function isPutRight({ cells, faultyColumns, isCut }: FaultyCells, later: readonly string[]): boolean {
  const width = Math.max(cells.length, later.length);
  const at = (row: readonly string[], column: number): string => row[column] ?? '';
  const columns = Array.from({ length: width }, (_, column) => column);
  const differing = columns.filter((column) => at(cells, column) !== at(later, column));
  if (!columns.some((column) => at(cells, column) !== '' && !differing.includes(column))) return false;
  if (isCut) {
    const last = cells.findLastIndex((cell) => cell !== '');
    return differing.every(
      (column) => column > last || (column === last && at(later, column).startsWith(at(cells, column))),
    );
  }
  return faultyColumns.length === 0
    ? differing.length <= 1
    : differing.every((column) => faultyColumns.includes(column));
}
