/* Finding the header row of a table, and the titles of its columns. */

import type { TableRow } from '../../domain/tables/table.ts';
import { InputError, type InputLimits } from '../file/input-error.ts';
import type { ReadingShare } from '../file/source.ts';
import type { InputOptions, MergedRange, OpenedTable } from './input-table.ts';

/** A row from a reader: of any width, with ascending numbers. A reader may leave out blank rows. */
export interface RawRow extends Omit<TableRow, 'cells' | 'cut'> {
  readonly cells: string[];
  readonly cut?: 'possible';
}

export type RawRows = AsyncIterable<readonly RawRow[]>;

/** The position of a table's header, and notes on finding it. */
interface Header {
  readonly cells: readonly string[];
  readonly row: number;
  readonly notes: readonly string[];
  /** The rows before it, without blank ones. */
  readonly above: readonly RawRow[];
}

const ROWS_IN_A_GROUP = 1000;

function isBlank(row: RawRow): boolean {
  if (row.kinds !== undefined && row.kinds.size > 0) return false;
  return row.cells.every((cell) => cell === '' || cell.trim() === '');
}

function headerCells(row: RawRow): string[] {
  return row.cells.map((cell) => cell.trim());
}

/**
 * Finds the header among rows that arrive one by one: the first row that is not empty, unless `isHeader` accepts
 * another one among the first rows.
 */
export class HeaderFinder {
  readonly #isHeader: InputOptions['isHeader'];
  readonly #limits: InputLimits;
  /** The filled rows before the header. The first of them is the header if no other row is. */
  readonly #before: RawRow[] = [];
  #found: Header | null = null;

  constructor(isHeader: InputOptions['isHeader'], limits: InputLimits) {
    this.#isHeader = isHeader;
    this.#limits = limits;
  }

  /** @returns whether the header is known, so that no more rows are needed */
  take(row: RawRow): boolean {
    if (this.#found !== null) return true;
    const [first] = this.#before;
    if (first !== undefined && row.number > this.#limits.headerRows) {
      this.#found = describeHeader(first, []);
    } else if (!isBlank(row)) {
      if (this.#isHeader === undefined || this.#isHeader(headerCells(row))) {
        this.#found = describeHeader(row, this.#before);
      } else {
        this.#before.push(row);
      }
    }
    return this.#found !== null;
  }

  /** @returns null when all rows were empty */
  finish(): Header | null {
    const [first] = this.#before;
    if (this.#found !== null || first === undefined) return this.#found;
    return describeHeader(first, []);
  }
}

/** Finds the header of a table by reading only its first rows. @returns as `HeaderFinder.finish` */
export async function findHeader(
  rows: RawRows,
  isHeader: InputOptions['isHeader'],
  limits: InputLimits,
): Promise<Header | null> {
  const finder = new HeaderFinder(isHeader, limits);
  for await (const group of rows) {
    for (const row of group) if (finder.take(row)) return finder.finish();
  }
  return finder.finish();
}

function describeHeader(row: RawRow, above: readonly RawRow[]): Header {
  const notes: string[] = [];
  if (above.length > 0) {
    notes.push(`the header is row ${row.number}; the lines above it are not read as rows`);
  }
  return { cells: headerCells(row), row: row.number, notes, above };
}

/** The error of a file, or of a sheet requested by name, without even a header. */
export function emptyFile(): InputError {
  return new InputError('empty_file', 'The file is empty: there is not even a header in it.', [
    'check that the right file was given',
    { action: 'help', of: 'template', effect: 'tells how to get one to fill in' },
  ]);
}

/** The source of a table's rows. */
interface RowSource {
  /** Null for CSV. */
  readonly sheet: string | null;
  /** Absent where the format hides no sheets. */
  readonly isHidden?: boolean;
  /** Notes that come before those of the header. */
  readonly notes: readonly string[];
  /** Notes after those of the header; they may grow while the rows are read. */
  readonly laterNotes?: readonly string[];
  /** Reads the sheet from its beginning; called anew for each reading. */
  readonly allRows: () => RawRows;
  /** The merged ranges near the top of the sheet. */
  readonly mergedRanges: () => Promise<readonly MergedRange[]>;
  /** The share of the newest reading; `allRows` updates it. */
  readonly share: ReadingShare;
  readonly limits: InputLimits;
}

/** The table that a header begins. */
export function tableBelow(header: Header, source: RowSource): OpenedTable {
  const { sheet, isHidden, notes, laterNotes = [], share, limits } = source;
  return {
    sheet,
    ...(isHidden === undefined ? {} : { isHidden }),
    header: header.cells,
    headerRow: header.row,
    ...(header.above.length === 0 ? {} : { above: header.above }),
    get notes() {
      return [...notes, ...header.notes, ...laterNotes];
    },
    rows: () => rowsBelow(source.allRows(), header),
    readShare: () => share.value,
    top: async () => ({
      rows: await firstRows(source, limits.headerRows),
      merged: await source.mergedRanges(),
    }),
    below: async (headerRows) => tableBelow(await headerIn(source, headerRows), source),
  };
}

/** The filled rows up to the one with that number. */
async function firstRows({ allRows }: RowSource, last: number): Promise<RawRow[]> {
  const first: RawRow[] = [];
  for await (const group of allRows()) {
    for (const row of group) {
      if (row.number > last) return first;
      if (!isBlank(row)) first.push(row);
    }
  }
  return first;
}

async function headerIn(source: RowSource, headerRows: readonly number[]): Promise<Header> {
  const last = Math.max(...headerRows);
  const first = await firstRows(source, last);
  const merged = headerRows.length < 2 ? [] : await source.mergedRanges();
  const cells = titlesIn(first, merged, headerRows);
  if (cells.every((cell) => cell === '')) {
    throw new InputError(
      'header_missing',
      `There is nothing in row ${headerRows.join(' and ')}, which is said to be the header.`,
      'correct "headerRows" in the mapping: a spreadsheet program shows the numbers of the rows',
    );
  }
  const above = first.filter(({ number }) => !headerRows.includes(number) && number < last);
  const name = headerRows.length === 1 ? `row ${last}` : `rows ${headerRows.join(' and ')}`;
  const isBelow = above.length === 0 ? '' : '; the lines above it are not read as rows';
  return { cells, row: last, notes: [`the header is ${name}, as stated${isBelow}`], above };
}

/** Rows below the header, without blank ones, padded to its width, in groups of up to 1,000. */
async function* rowsBelow(rows: RawRows, header: Header): AsyncGenerator<readonly TableRow[]> {
  let group: TableRow[] = [];
  let narrowest = header.cells.length;
  for await (const raw of rows) {
    for (const row of raw) {
      if (row.number <= header.row || isBlank(row)) continue;
      const isShort = row.cells.length < narrowest;
      if (isShort) narrowest = row.cells.length;
      fitToWidth(row, header.cells.length);
      group.push(row.cut !== undefined && isShort ? { ...row, cut: 'short' } : row);
      if (group.length === ROWS_IN_A_GROUP) {
        yield group;
        group = [];
      }
    }
  }
  if (group.length > 0) yield group;
}

/** Changes the cells in place: they are the reader's own, and a million copies would be waste. */
function fitToWidth(row: RawRow, width: number): void {
  const { cells, kinds } = row;
  while (cells.length < width) cells.push('');
  while (cells.length > width && cells[cells.length - 1] === '' && !kinds?.has(cells.length - 1)) cells.pop();
}

const between = ' / ';

/**
 * The titles of a header that a person has named by its rows. Of two rows, the upper title applies to all columns of
 * its merged cells, and is joined with the one below: `Bank / Account`. If only one of both is filled in, it is the
 * title.
 *
 * @param rows those of the header among them
 */
function titlesIn(
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
 * Without merged cells, an empty upper cell belongs to the nearest title on its left. A title with nothing below it
 * applies to its own column only, as cells merged over two rows do.
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
