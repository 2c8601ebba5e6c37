/* Which sheets of the opened files are read, whether with their hidden rows, and which are left out unasked. */

import type { HiddenChoice } from '../../domain/batches/batch.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import { isSheetBeside, type LeftOutSheet } from '../../domain/tables/table.ts';
import { hasTitle } from '../mapping/mapping-schema.ts';
import { detectKind } from '../mapping/table-mapping.ts';
import { nameOf } from './open-file.ts';
import type { TableReading } from './readings.ts';

/** Those of the left out sheets that have rows, that no mapping of their file leaves out, and that paybatch did not write. */
export async function leftOutSheets(
  leftOut: readonly TableReading[],
  found: readonly TableReading[],
): Promise<readonly LeftOutSheet[]> {
  const sheets: LeftOutSheet[] = [];
  for (const { file, table } of leftOut) {
    if (isSheetBeside(table.header)) continue;
    const meant = found.filter((other) => other.file === file).map(({ mapping }) => mapping.leaveOutSheets);
    if (
      hasTitle(
        meant.flatMap((names) => names ?? []),
        table.sheet ?? '',
      )
    )
      continue;
    let rows = 0;
    for await (const group of table.rows()) {
      // A line of prose has one filled cell, a row of a table has more.
      rows += group.filter(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1).length;
    }
    if (rows > 0) sheets.push({ file: nameOf(file), sheet: table.sheet ?? '', rows });
  }
  return sheets;
}

/** Whether nothing but the call itself says how the table is read. */
export function isFresh({ source }: TableReading): boolean {
  return source.from === 'stated' || source.from === 'titles';
}

/**
 * Of several sheets, those of a known kind are read, so a sheet of notes does not refuse the workbook. A sheet with
 * only paybatch's own columns holds the choice lists for cells of the others.
 */
export function isRead(
  own: TableReading,
  found: readonly TableReading[],
  profile: ReadingProfile,
  notes: Message[],
  leftOut: TableReading[],
): boolean {
  const { file, table } = own;
  if (file.tables.length <= 1 || profile.sheet !== undefined) return true;
  if (table.header.every((title) => title.startsWith('result_'))) return false;
  const isKnown = (other: TableReading): boolean =>
    !isFresh(other) ||
    other.kind !== null ||
    detectKind(other.table, other.mapping, other.rules) !== undefined;
  if (isKnown(own)) {
    // Unless it is the only one, or named by the setting.
    const isSkipped = table.isHidden === true && hiddenChoiceOf(own, found, profile) === 'skip';
    if (isSkipped) {
      const sheet = String(table.sheet);
      notes.push(
        say`${nameOf(file)}: the hidden sheet "${sheet}" is left out, as ${{ setting: 'hidden' }} says.`,
      );
    }
    return !isSkipped;
  }
  if (!found.some((other) => other.file === file && isKnown(other))) return true;
  leftOut.push(own);
  notes.push(`${nameOf(file)}: sheet "${table.sheet}" is left out, since its header is of no known kind.`);
  return false;
}

/**
 * The treatment of hidden rows: by option, else by the table's mapping, else by that of another table of its file.
 */
export function hiddenChoiceOf(
  { file, mapping }: TableReading,
  found: readonly TableReading[],
  profile: ReadingProfile,
): HiddenChoice | null {
  const ofFile = found.filter((other) => other.file === file).map((other) => other.mapping.hidden);
  return profile.hidden ?? mapping.hidden ?? ofFile.find((choice) => choice !== undefined) ?? null;
}
