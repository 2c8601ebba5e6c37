/* Reads a whole .xls or .xlsb workbook: its code page, its sheets and its rows. */

import { type CellObject, read, set_cptable, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import iconv from 'iconv-lite';
import * as z from 'zod';
import { type CellMarks, cellMarks, noMarks, type RowLook } from '../../../domain/tables/row-marks.ts';
import { encryptedFile } from '../../file/archive.ts';
import { damagedFile, InputError, type InputLimits } from '../../file/input-error.ts';
import type { RawRow } from '../../rows/header.ts';
import {
  type CellValue,
  columnName,
  type DateSystem,
  EMPTY_CELL,
  numericCell,
  RowBuilder,
} from '../sheet/cell-value.ts';
import { builtInNumberFormat, type NumberFormat, parseNumberFormat } from '../sheet/number-format.ts';
import { hiddenSheet, MergedCells, type SheetRowRange, sheetNotes } from '../sheet/sheets.ts';
import type { SheetFacts } from './conversion.ts';
import { looksInXls } from './xls-looks.ts';
import { BEGIN } from './xls-records.ts';

/** A sheet of a workbook that was read as a whole. */
export interface WholeSheet extends SheetFacts {
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
      // Only the results of formulas are needed, and the library reads formulas without a limit.
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

function rangeOf(sheet: WorkSheet | undefined): SheetRowRange | null {
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
      firstRow: first.r + 1,
      lastRow: last.r + 1,
      firstColumn: first.c + 1,
      lastColumn: last.c + 1,
    });
  }
  return merged;
}

/**
 * Reads an `.xlsb` file, or an `.xls` file's workbook.
 *
 * @throws InputError when the library cannot read it, or its texts are in an unknown code page
 */
export function readWorkbook(bytes: Buffer, limits: InputLimits): WholeSheet[] {
  const workbook = readBytes(bytes);
  const system: DateSystem = workbook.Workbook?.WBProps?.date1904 === true ? 1904 : 1900;
  const looks = isXls(bytes) ? looksInXls(bytes) : null;
  return workbook.SheetNames.map((name, index) => {
    const sheet = workbook.Sheets[name];
    const rows = () => (sheet === undefined ? [] : rowsOfSheet(sheet, system, limits, looks?.[index]));
    const merged = mergedCells(sheet);
    const notes = notesOf(workbook, index, merged);
    const isHidden = isHiddenSheet(workbook, index);
    return { name, notes, isHidden, merged: merged.nearTop, range: rangeOf(sheet), rows };
  });
}

/** The version number of Excel 97, the first with Unicode texts. */
const UNICODE_VERSION = 0x0600;
/** Marks a workbook that does not name its code page; no code page has such a high number. */
const NO_CODE_PAGE = 0x10000;

/** Code pages that iconv-lite knows by another name than `cp` and the number. */
const NAMES: Readonly<Record<number, string>> = {
  10000: 'macroman',
  10006: 'macgreek',
  10007: 'maccyrillic',
  10010: 'macromania',
  10017: 'macukraine',
  10021: 'macthai',
  10029: 'maccenteuro',
  10079: 'maciceland',
  10081: 'macturkish',
  10082: 'maccroatian',
};

/** @returns whether an `.xls` file's workbook is older than Excel 97, so that its texts are bytes of a code page */
function hasCodePage(workbook: Buffer): boolean {
  return isXls(workbook) && workbook.readUInt16LE(4) < UNICODE_VERSION;
}

/** Whether it is an `.xls` file's workbook, and not an archive. */
function isXls(workbook: Buffer): boolean {
  return workbook.length >= 6 && workbook.readUInt16LE(0) === BEGIN;
}

function unknownCodePage(codePage: number): InputError {
  const message =
    codePage === NO_CODE_PAGE
      ? 'This workbook of Excel 95 or older does not say in which code page its texts are.'
      : `This workbook of Excel 95 or older has its texts in code page ${codePage}, which is not known here.`;
  return new InputError(
    'unknown_code_page',
    message,
    'open it in a spreadsheet program, look whether the names are right, and save it as .xlsx',
  );
}

/** Nearly every code page has ASCII in its lower half. UTF-16 does not, since every second byte is NUL. */
function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte > 0 && byte < 0x80);
}

/** @throws InputError when there are non-ASCII letters in an unknown code page */
function decode(codePage: number, data: ArrayLike<number>): string {
  const bytes = Buffer.from(data);
  if (isAscii(bytes)) return bytes.toString('latin1');
  const name = NAMES[codePage] ?? `cp${codePage}`;
  if (codePage === NO_CODE_PAGE || !iconv.encodingExists(name)) throw unknownCodePage(codePage);
  return iconv.decode(bytes, name);
}

/** Without this, the library ignores the code page and takes every byte as a character code. */
function loadCodePages(): void {
  set_cptable({ utils: { decode } });
}

/** Error cells hold an error number in the file. */
const ERRORS: ReadonlyMap<unknown, string> = new Map([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
]);

const GENERAL = builtInNumberFormat(0);

function formatReader(): (code: string) => NumberFormat {
  const known = new Map<string, NumberFormat>();
  return (code) => {
    const format = known.get(code) ?? parseNumberFormat(code);
    if (known.size < 10_000) known.set(code, format);
    return format;
  };
}

const styleSchema = z.object({
  patternType: z.string(),
  fgColor: z.object({ rgb: z.string().regex(/^[0-9A-F]{6}$/i) }),
});

/** The fill of a cell of an `.xlsb` file. The library gives the fonts of no format. */
function marksReader(): (cell: CellObject) => CellMarks {
  const known = new Map<unknown, CellMarks>();
  return ({ s: style }) => {
    if (style === undefined) return noMarks;
    const marks = known.get(style) ?? cellMarks({ fill: styleSchema.safeParse(style).data?.fgColor.rgb });
    if (known.size < 10_000) known.set(style, marks);
    return marks;
  };
}

function cellValue(
  cell: CellObject,
  formatOf: (code: string) => NumberFormat,
  system: DateSystem,
): CellValue {
  const { t: type, v: value, z: code } = cell;
  if (type === 'e') return { text: ERRORS.get(value) ?? '#ERROR!', kind: 'error' };
  if (value === undefined || value === null || type === 'z') return EMPTY_CELL;
  if (type === 'n')
    return numericCell(Number(value), typeof code === 'string' ? formatOf(code) : GENERAL, system);
  if (type === 'b') return { text: value ? 'TRUE' : 'FALSE', kind: 'boolean' };
  return { text: String(value), kind: null };
}

/** The indexes of the filled cells, without going through empty cells from the left in a sparse list. */
function columnsOf(line: readonly unknown[], limits: InputLimits): Iterable<number> {
  return line.length <= limits.columns ? line.keys() : Object.keys(line).map(Number);
}

/**
 * The rows of a sheet that was read as a whole; rows without any value are left out.
 *
 * @param looks how rows look, by their number; by the cells' own styles when absent
 */
function* rowsOfSheet(
  sheet: WorkSheet,
  system: DateSystem,
  limits: InputLimits,
  looks?: ReadonlyMap<number, RowLook>,
): Generator<RawRow> {
  const formatOf = formatReader();
  const marksOf = looks === undefined ? marksReader() : () => noMarks;
  const lines: (readonly (CellObject | undefined)[] | undefined)[] = sheet['!data'] ?? [];
  for (const [index, line] of lines.entries()) {
    if (line === undefined) continue;
    const builder = new RowBuilder(index + 1, sheet['!rows']?.[index]?.hidden === true, limits);
    for (const column of columnsOf(line, limits)) {
      const cell = line[column];
      if (cell !== undefined) builder.put(column + 1, cellValue(cell, formatOf, system), marksOf(cell));
    }
    const row = builder.build();
    const look = looks?.get(index + 1);
    if (row !== null) yield look === undefined ? row : { ...row, look };
  }
}
