/*
 * Which sheets of a workbook are read, and as which tables; notes for the person on them, and the colours that workbooks name
 * by a number.
 */

import { InputError, type InputLimits } from '../../file/input-error.ts';
import { ReadingShare } from '../../file/source.ts';
import { emptyFile, HeaderFinder, type RawRow, type RawRows, tableBelow } from '../../rows/header.ts';
import type { InputOptions, MergedRange, OpenedTable } from '../../rows/input-table.ts';

/* The colours that workbooks name by a number, where they have no palette of their own. */

/** The colours by number (18.8.27 of ISO/IEC 29500-1); the first eight are repeated once. */
const numbered = [
  ...['000000', 'FFFFFF', 'FF0000', '00FF00', '0000FF', 'FFFF00', 'FF00FF', '00FFFF'],
  ...['800000', '008000', '000080', '808000', '800080', '008080', 'C0C0C0', '808080'],
  ...['9999FF', '993366', 'FFFFCC', 'CCFFFF', '660066', 'FF8080', '0066CC', 'CCCCFF'],
  ...['000080', 'FF00FF', 'FFFF00', '00FFFF', '800080', '800000', '008080', '0000FF'],
  ...['00CCFF', 'CCFFFF', 'CCFFCC', 'FFFF99', '99CCFF', 'FF99CC', 'CC99FF', 'FFCC99'],
  ...['3366FF', '33CCCC', '99CC00', 'FFCC00', 'FF9900', 'FF6600', '666699', '969696'],
  ...['003366', '339966', '003300', '333300', '993300', '993366', '333399', '333333'],
];
const firstNumbered = 8;

/** The colour of a number, as six hexadecimal digits; undefined for the usual one. */
export function numberedColour(index: number | undefined): string | undefined {
  if (index === undefined) return undefined;
  return numbered[index < firstNumbered ? index : index - firstNumbered];
}

const NAMES_SHOWN = 10;

/**
 * The sheets to read: the one requested by name, without regard to case, or all of them.
 *
 * @throws InputError when there is no sheet of that name
 */
function chooseSheets<Sheet extends { readonly name: string }>(
  sheets: readonly Sheet[],
  asked: string | undefined,
): readonly Sheet[] {
  if (asked === undefined) return sheets;
  const wanted = asked.trim().toLowerCase();
  const chosen = sheets.filter((sheet) => sheet.name.trim().toLowerCase() === wanted);
  if (chosen.length > 0) return chosen;
  const others = sheets.length - NAMES_SHOWN;
  const [first, ...next] = sheets
    .slice(0, NAMES_SHOWN)
    .map(({ name }) => ({ setting: 'sheet', value: name }) as const);
  throw new InputError('sheet_not_found', 'There is no sheet of that name in the workbook.', {
    action: 'set',
    purpose: 'name one that there is',
    oneOf: first === undefined ? [{ setting: 'sheet' }] : [first, ...next],
    ...(others > 0 ? { remark: `or one of ${others} more` } : {}),
  });
}

/**
 * Opens the sheets to read as tables. A note names those that are left out.
 * @param open says why a sheet is not read, where it has no table
 * @param notes on the whole workbook
 */
export async function openSheets<Sheet extends { readonly name: string }>(
  sheets: readonly Sheet[],
  asked: string | undefined,
  open: (sheet: Sheet) => Promise<OpenedTable | 'it is empty' | 'it has no cells'>,
  notes: readonly string[] = [],
): Promise<OpenedTable[]> {
  const tables: OpenedTable[] = [];
  const left: string[] = [];
  for (const sheet of chooseSheets(sheets, asked)) {
    const table = await open(sheet);
    if (typeof table === 'object') tables.push(table);
    else left.push(`sheet "${sheet.name}" is not read: ${table}`);
  }
  const [first, ...others] = tables;
  if (first === undefined) throw emptyFile();
  return [withNotes(first, [...notes, ...left]), ...others];
}

/** What a reader found around a sheet's rows. */
interface SheetSurroundings {
  readonly hiddenColumns: readonly string[];
  readonly merged: MergedCells;
}

/** The note on a sheet that is hidden as a whole. */
export const hiddenSheet = 'the sheet is hidden';

const RANGES_SHOWN = 10;
/** The most ranges that are kept. A header is near the top, but a sheet may have as many ranges as rows. */
const RANGES_KEPT = 10_000;
const LAST_ROW_KEPT = 1_000;

/** Collects a sheet's merged ranges: those near its top, and whether there are any. */
export class MergedCells {
  readonly nearTop: MergedRange[] = [];
  areThere = false;

  add(range: MergedRange): void {
    this.areThere = true;
    if (range.firstRow <= LAST_ROW_KEPT && this.nearTop.length < RANGES_KEPT) this.nearTop.push(range);
  }
}

/** The notes on what was found around the rows. */
export function sheetNotes({ hiddenColumns, merged }: SheetSurroundings): string[] {
  const notes: string[] = [];
  if (hiddenColumns.length > 0) {
    const shown = hiddenColumns.slice(0, RANGES_SHOWN).join(', ');
    notes.push(`hidden columns are read like the others: ${shown}`);
  }
  if (merged.areThere) {
    notes.push('there are merged cells; their value counts for the first cell only, the others are empty');
  }
  return notes;
}

/** A range of rows of a sheet, first and last included. */
export interface SheetRowRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The note on declared rows in which nothing was found. They may hold data that only the program that wrote the file
 * can read.
 *
 * @param range - the rows below the header that the sheet declares as filled
 * @param rowsRead - the number of rows that were read
 */
export function unreadRowsNotes({ first, last }: SheetRowRange, rowsRead: number): string[] {
  const unread = last - first + 1 - rowsRead;
  if (unread <= 0) return [];
  const rows = `of the rows ${first} to ${last} of the sheet`;
  return [
    unread === 1
      ? `one ${rows} has no cell that can be read, and is left out`
      : `${unread} ${rows} have no cell that can be read, and are left out`,
  ];
}

/** The notes of one table, which grow whenever its rows are read; each note is kept once. */
export class TableNotes {
  readonly all: string[] = [];

  add(notes: readonly string[]): void {
    for (const note of notes) if (!this.all.includes(note)) this.all.push(note);
  }
}

/** Adds the notes on the whole workbook to its first table, whose own notes may still grow. */
function withNotes(table: OpenedTable, notes: readonly string[]): OpenedTable {
  if (notes.length === 0) return table;
  return {
    ...table,
    get notes() {
      return [...notes, ...table.notes];
    },
    below: async (headerRows) => withNotes(await table.below(headerRows), notes),
  };
}

/** A sheet of a file that has all of them in one stream; complete once its last row was read. */
export interface StreamedSheet extends SheetSurroundings {
  readonly index: number;
  readonly isHidden: boolean;
  readonly hiddenColumns: string[];
}

/**
 * Reads a whole file, piece by piece: the rows that were completed, and the sheets so far.
 * @param wants whether to return a sheet's rows; called for every row
 */
export type ReadSheets<Sheet extends StreamedSheet> = (
  wants: (sheet: Sheet) => boolean,
  share?: ReadingShare,
) => AsyncGenerator<{
  readonly rows: readonly { readonly sheet: Sheet; readonly row: RawRow; readonly times?: number }[];
  readonly sheets: readonly Sheet[];
}>;

const ROWS_IN_A_GROUP = 1000;

/** The sheets of a file in order, each with the finder of its header. */
export async function listSheets<Sheet extends StreamedSheet>(
  read: ReadSheets<Sheet>,
  isHeader: InputOptions['isHeader'],
  limits: InputLimits,
): Promise<(Sheet & { readonly finder: HeaderFinder })[]> {
  const finders: HeaderFinder[] = [];
  const withHeader = new Set<number>();
  const finderOf = (index: number) => (finders[index] ??= new HeaderFinder(isHeader, limits));
  let listed: readonly Sheet[] = [];
  for await (const { rows, sheets } of read(({ index }) => !withHeader.has(index))) {
    listed = sheets;
    for (const { sheet, row } of rows) if (finderOf(sheet.index).take(row)) withHeader.add(sheet.index);
  }
  return listed.map((sheet) => ({ ...sheet, finder: finderOf(sheet.index) }));
}

/** Every filled row of a sheet. */
async function* rowsOf<Sheet extends StreamedSheet>(
  read: ReadSheets<Sheet>,
  index: number,
  share: ReadingShare,
  atEnd: (sheet: Sheet) => void,
): RawRows & AsyncGenerator<readonly RawRow[]> {
  let group: RawRow[] = [];
  let found: Sheet | undefined;
  for await (const { rows, sheets } of read((sheet) => sheet.index === index, share)) {
    for (const { row, times = 1 } of rows) {
      for (let count = 0; count < times; count += 1) {
        // Every repeated row gets its own cells, since readers may change them.
        group.push(times === 1 ? row : { ...row, number: row.number + count, cells: [...row.cells] });
        if (group.length < ROWS_IN_A_GROUP) continue;
        yield group;
        group = [];
      }
    }
    found = sheets[index];
  }
  if (group.length > 0) yield group;
  if (found !== undefined) atEnd(found);
}

/** A sheet with the name and the finder of the header that were found for it. */
export interface ListedTable extends Pick<StreamedSheet, 'index' | 'isHidden'> {
  readonly name: string;
  readonly finder: HeaderFinder;
}

/** The table of a sheet. */
export function streamedTable<Sheet extends StreamedSheet>(
  read: ReadSheets<Sheet>,
  { index, name, isHidden, finder }: ListedTable,
  limits: InputLimits,
): OpenedTable | 'it is empty' {
  const header = finder.finish();
  if (header === null) return 'it is empty';
  const notes = new TableNotes();
  const share = new ReadingShare();
  return tableBelow(header, {
    sheet: name,
    isHidden,
    share,
    limits,
    allRows: () => rowsOf(read, index, share, (sheet) => notes.add(sheetNotes(sheet))),
    notes: isHidden ? [hiddenSheet] : [],
    laterNotes: notes.all,
    mergedRanges: async () => {
      let found: readonly MergedRange[] = [];
      for await (const { sheets } of read((sheet) => sheet.index === index))
        found = sheets[index]?.merged.nearTop ?? [];
      return found;
    },
  });
}
