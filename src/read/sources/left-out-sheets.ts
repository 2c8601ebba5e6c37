/* Sheets with rows that a call leaves out, although nobody has said so. */

import { isSheetBeside, type LeftOutSheet, type SourceRow } from '../../domain/tables/table.ts';
import { isSameTitle } from '../mapping/mapping-file.ts';
import { nameOf } from './open-file.ts';
import type { TableReading } from './readings.ts';

/** A line of prose has one filled cell, a row of a table has more. */
function isOfTable({ cells }: SourceRow): boolean {
  return cells.filter((cell) => cell.trim() !== '').length > 1;
}

/** Those of the left out sheets that have rows, that no mapping of their file leaves out, and that paybatch did not write. */
export async function leftOutSheets(
  leftOut: readonly TableReading[],
  found: readonly TableReading[],
): Promise<readonly LeftOutSheet[]> {
  const sheets: LeftOutSheet[] = [];
  for (const { file, table } of leftOut) {
    if (isSheetBeside(table.header)) continue;
    const meant = found.filter((other) => other.file === file).map(({ mapping }) => mapping.leaveOutSheets);
    if (meant.flatMap((names) => names ?? []).some((name) => isSameTitle(name, table.sheet ?? ''))) continue;
    let rows = 0;
    for await (const group of table.rows()) rows += group.filter(isOfTable).length;
    if (rows > 0) sheets.push({ file: nameOf(file), sheet: table.sheet ?? '', rows });
  }
  return sheets;
}
