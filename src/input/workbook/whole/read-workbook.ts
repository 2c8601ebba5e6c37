import { read, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { encryptedFile } from '../../file/archive.ts';
import { damagedFile, InputError } from '../../file/input-error.ts';
import type { InputLimits } from '../../file/limits.ts';
import type { RawRow } from '../../table/header.ts';
import type { MergedRange } from '../../table/opened-table.ts';
import { columnName } from '../sheet/cell-reference.ts';
import type { DateSystem } from '../sheet/cell-value.ts';
import { hiddenSheet, MergedCells, type RowRange, sheetNotes } from '../sheet/sheet-notes.ts';
import { hasCodePage, loadCodePages, NO_CODE_PAGE } from './code-pages.ts';
import { rowsOfSheet } from './rows-of-sheet.ts';

/** A sheet of a workbook that was read as a whole. */
export interface WholeSheet {
  readonly name: string;
  readonly notes: readonly string[];
  readonly isHidden: boolean;
  readonly merged: readonly MergedRange[];
  /** The rows that the sheet says it has something in; null for an empty one. */
  readonly range: RowRange | null;
  rows(): Iterable<RawRow>;
}

function readBytes(bytes: Buffer): WorkBook {
  const isOld = hasCodePage(bytes);
  if (isOld) loadCodePages();
  try {
    return read(bytes, {
      ...(isOld ? { codepage: NO_CODE_PAGE } : {}),
      type: 'buffer',
      dense: true,
      cellNF: true,
      cellText: false,
      cellHTML: false,
      // Only the results of formulas count, and reading formulas has no limit.
      cellFormula: false,
      cellStyles: true,
      UTC: true,
    });
  } catch (error) {
    if (error instanceof InputError) throw error;
    const isEncrypted = error instanceof Error && /password|encrypt/i.test(error.message);
    throw isEncrypted ? encryptedFile() : damagedFile('it cannot be read as a workbook', { cause: error });
  }
}

function isHiddenSheet(workbook: WorkBook, index: number): boolean {
  return (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0;
}

function rangeOf(sheet: WorkSheet | undefined): RowRange | null {
  const stated = sheet?.['!ref'];
  if (stated === undefined) return null;
  const { s: start, e: end } = utils.decode_range(stated);
  return { first: start.r + 1, last: end.r + 1 };
}

function notesOf(workbook: WorkBook, index: number, merged: MergedCells): string[] {
  const sheet = workbook.Sheets[workbook.SheetNames[index] ?? ''];
  const notes = isHiddenSheet(workbook, index) ? [hiddenSheet] : [];
  const columns = sheet?.['!cols'] ?? [];
  const hiddenColumns = columns.flatMap((column, at) =>
    column?.hidden === true ? [columnName(at + 1)] : [],
  );
  return [...notes, ...sheetNotes({ hiddenColumns, merged })];
}

function mergedCells(sheet: WorkSheet | undefined): MergedCells {
  const merged = new MergedCells();
  for (const { s: first, e: last } of sheet?.['!merges'] ?? []) {
    merged.add({
      ...{ firstRow: first.r + 1, lastRow: last.r + 1 },
      ...{ firstColumn: first.c + 1, lastColumn: last.c + 1 },
    });
  }
  return merged;
}

/**
 * Reads an `.xlsb` file, or an `.xls` file's workbook.
 *
 * @throws InputError when the library cannot make anything of it, or its texts are in an unknown code page
 */
export function readWorkbook(bytes: Buffer, limits: InputLimits): WholeSheet[] {
  const workbook = readBytes(bytes);
  const system: DateSystem = workbook.Workbook?.WBProps?.date1904 === true ? 1904 : 1900;
  return workbook.SheetNames.map((name, index) => {
    const sheet = workbook.Sheets[name];
    const rows = () => (sheet === undefined ? [] : rowsOfSheet(sheet, system, limits));
    const merged = mergedCells(sheet);
    const notes = notesOf(workbook, index, merged);
    const isHidden = isHiddenSheet(workbook, index);
    return { name, notes, isHidden, merged: merged.nearTop, range: rangeOf(sheet), rows };
  });
}
