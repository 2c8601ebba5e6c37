import type { RowLook } from '../../domain/tables/row-marks.ts';
import { type CellKind, unprotectCell } from '../../domain/tables/table.ts';
import { knownTitleShare } from './title-words.ts';

/** The rows of one sheet in their form in the file, before the header is known, and the guess of its header. */

/** A row that is not empty. */
export interface GridRow {
  /** The row number that a spreadsheet program shows. */
  readonly number: number;
  readonly cells: readonly string[];
  readonly kinds?: ReadonlyMap<number, CellKind>;
  readonly isHidden?: true;
  readonly look?: RowLook;
}

/** A sheet, or a CSV file's only table. */
export interface Grid {
  /** Null for CSV. */
  readonly sheet: string | null;
  /** The sheets that are read together with this one because they have the same header; absent for one sheet. */
  readonly sheets?: readonly string[];
  /** The number of the first row of each later sheet. */
  readonly laterSheets?: readonly number[];
  readonly isHidden: boolean;
  readonly rows: readonly GridRow[];
  /** Whether the rows are only a sample. */
  readonly isCut: boolean;
  /** The number of filled rows in the sheet, including the header and the lines above it. */
  readonly allRows: number;
  /**
   * The number of rows with each value in the whole sheet, by column index. A sample has it for columns with few
   * distinct values.
   */
  readonly counts?: ReadonlyMap<number, ReadonlyMap<string, number>>;
  /** The number of rows with each mark in the whole sheet, if the rows are only a sample. */
  readonly marks?: ReadonlyMap<string, number>;
  /** The column titles of a header. Titles of two rows are `upper / lower`, as an import reads them. */
  readonly titles: (header: readonly number[]) => Promise<readonly string[]>;
}

/** The name of the sheet that a row of several sheets is on. */
export function sheetOfRow(
  { sheets = [], laterSheets = [] }: Grid,
  { number }: Pick<GridRow, 'number'>,
): string {
  return sheets[laterSheets.filter((first) => first <= number).length] ?? '';
}

/** Which rows are the header: one row, or two rows of which the upper one names groups of columns. */
export interface HeaderChoice {
  readonly rows: readonly [number] | readonly [number, number];
  /** The strength of the evidence, from 0 up. Only the order of scores has a meaning. */
  readonly score: number;
}

/** The number of filled rows at the beginning in which a header is searched. */
const rowsLookedAt = 40;
const rowsBelowLookedAt = 12;

/** The text of the cell, without its protection and without white space around it. */
export function cellText(row: GridRow, index: number): string {
  return unprotectCell(row.cells[index] ?? '').trim();
}

function filledCells(row: GridRow): number[] {
  return row.cells.flatMap((_, index) => (cellText(row, index) === '' ? [] : [index]));
}

/** Whether a text can be a column's title: it has letters or a number sign, and is not a row's value. */
function mayBeTitle(row: GridRow, index: number): boolean {
  const text = cellText(row, index);
  if (row.kinds?.has(index)) return false;
  if (/@|\d{5,}/.test(text) || text.length > 60) return false;
  return /\p{L}|#|№/u.test(text);
}

/** A span of days or an age, as in `31-60`, `91+` and `> 90`. */
const span = /^(?:\d{1,3}\s*[-–—]\s*\d{1,3}|\d{1,3}\s*\+|[<>≤≥]\s*\d{1,3})$/;

/** Whether a cell is a title without letters: a span, or one of several numbers that count on, such as years or days. */
function isSpan(row: GridRow, index: number): boolean {
  const text = cellText(row, index);
  if (span.test(text)) return true;
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return [cellText(row, index - 1), cellText(row, index + 1)].some(
    (beside) => /^\d{1,4}$/.test(beside) && Math.abs(Number(beside) - number) === 1,
  );
}

/** The rows that may be the header, the likeliest first. */
export function headerChoices(grid: Grid): readonly HeaderChoice[] {
  const rows = grid.rows.slice(0, rowsLookedAt + rowsBelowLookedAt);
  const width = Math.max(1, ...rows.map((row) => filledCells(row).length));
  const choices = rows.slice(0, rowsLookedAt).flatMap((row, position) => {
    const score = scoreOf(row, rows.slice(position + 1, position + 1 + rowsBelowLookedAt), width);
    const lower = rows[position + 1];
    const pair = lower === undefined ? [] : pairChoice(row, lower, rows.slice(position + 2), width);
    if (score === 0) return pair;
    // If two rows are equally likely, the upper one is the header and the other one repeats it.
    return [{ rows: [row.number], score: score - position * 0.01 } as const, ...pair];
  });
  return choices.sort((left, right) => right.score - left.score);
}

/** The likeliest header; the first line of the sheet if no row can be a header. */
export function proposedHeader(grid: Grid): HeaderChoice['rows'] {
  return headerChoices(grid)[0]?.rows ?? [grid.rows[0]?.number ?? 1];
}

function scoreOf(row: GridRow, below: readonly GridRow[], width: number): number {
  const filled = filledCells(row);
  const titles = filled.filter((index) => mayBeTitle(row, index));
  const others = filled.filter((index) => !titles.includes(index) && !isSpan(row, index));
  if (titles.length < 2 || others.length > filled.length * 0.1) return 0;
  const texts = filled.map((index) => cellText(row, index));
  const isDistinct = new Set(texts).size / texts.length;
  const covers = shareCovered(new Set(filled), below);
  return (
    2 * knownTitleShare(texts) + filled.length / width + 0.5 * isDistinct + covers + contrast(row, below)
  );
}

/** The share of the filled columns below a header that have a title. */
function shareCovered(titled: ReadonlySet<number>, below: readonly GridRow[]): number {
  const cells = below.flatMap(filledCells);
  return cells.length === 0 ? 0 : cells.filter((index) => titled.has(index)).length / cells.length;
}

/** How much the rows below differ from words, measured by numbers, dates and codes in some columns. */
function contrast(row: GridRow, below: readonly GridRow[]): number {
  const filled = filledCells(row);
  const isOther = filled.filter((index) => below.some((each) => isFigure(each, index))).length;
  return filled.length === 0 ? 0 : isOther / filled.length;
}

/** A number, perhaps with a currency or the side of an account: `1,200.00`, `2204500 Dr`. */
const figure = /^[^\p{L}]*\d[^\p{L}]*(?: \p{L}{2,3}\.?)?$/u;

function isFigure(row: GridRow, index: number): boolean {
  const text = cellText(row, index);
  return text !== '' && (row.kinds?.has(index) === true || figure.test(text));
}

/**
 * A row of groups above a row of titles. The upper row names columns that the lower row leaves unnamed, or several
 * groups of the lower row's columns. It may have more titles than the lower row if these cannot be values.
 */
function pairChoice(
  upper: GridRow,
  lower: GridRow,
  below: readonly GridRow[],
  width: number,
): readonly HeaderChoice[] {
  if (lower.number !== upper.number + 1) return [];
  const [above, named] = [filledCells(upper), filledCells(lower)];
  if (above.length < 2 || named.length < 2) return [];
  if (!above.every((index) => mayNameGroup(upper, index))) return [];
  const isGroup = above.filter((index, at) => {
    const end = above[at + 1] ?? Number.POSITIVE_INFINITY;
    return named.filter((other) => other >= index && other < end).length > 1;
  });
  const areTitles = isUnderGroups(above, named, isGroup) || isAboveFigures(lower, below);
  if (above.length > named.length && !areTitles) return [];
  const isMissingBelow = above.some(
    (index) => cellText(lower, index) === '' && below.some((row) => cellText(row, index) !== ''),
  );
  if (isGroup.length < 2 && !isMissingBelow && !isDistinguished(upper, lower)) return [];
  const score = scoreOf(joined(upper, lower), below.slice(0, rowsBelowLookedAt), width);
  if (score === 0) return [];
  return [{ rows: [upper.number, lower.number], score: score + 0.5 }];
}

/** Whether the lower row has a title twice, and the upper row distinguishes these columns. */
function isDistinguished(upper: GridRow, lower: GridRow): boolean {
  const titles = filledCells(lower).map((index) => cellText(lower, index).toLowerCase());
  const pairs = filledCells(lower).map((index) => `${cellText(upper, index)} / ${cellText(lower, index)}`);
  return (
    new Set(titles).size < titles.length &&
    new Set(pairs.map((pair) => pair.toLowerCase())).size === pairs.length
  );
}

/** The title of a group of columns that the sheet repeats for each period: `Nov 2026`, `Q3 2026`, `novembre 26`. */
const period = /^(?:\p{L}{3,}\.?|[QT][1-4])[\s/'’-]*(?:20)?\d{2}$/iu;

/** The number of a question in a form: `3. What is your name?` */
const questionNumber = /^\d{1,3}[.)]\s+/;
/** A question in the answers to a form may be a whole sentence. */
const longestQuestion = 200;

/**
 * Whether a cell may name a group. A group has a title in words, a question or a period; `Prepared by:` belongs to the value
 * beside it.
 */
function mayNameGroup(row: GridRow, index: number): boolean {
  const text = cellText(row, index).replace(questionNumber, '');
  if (row.kinds?.has(index) || text.length > longestQuestion || /@/.test(text)) return false;
  return /\p{L}/u.test(text) && (!/\d/.test(text) || period.test(text)) && !text.endsWith(':');
}

/**
 * Whether each title of the lower row is under a group of several columns. A row of values below a header that has a
 * title for each column never is.
 */
function isUnderGroups(
  above: readonly number[],
  named: readonly number[],
  groups: readonly number[],
): boolean {
  return named.every((index) => {
    const own = above.filter((start) => start <= index).at(-1);
    return own !== undefined && groups.includes(own);
  });
}

/** In each column below a title of figures nearly all cells are figures, and no row of values has a word in two of them. */
const fewestFigures = 2;
const nearlyAllFigures = 0.9;

/** Whether a row has only words, and columns of figures below several of them: `Amount`, `by days`. */
function isAboveFigures(row: GridRow, below: readonly GridRow[]): boolean {
  const filled = filledCells(row);
  if (!filled.every((index) => mayBeTitle(row, index))) return false;
  const ofFigures = filled.filter((index) => {
    const cells = below.filter((each) => cellText(each, index) !== '');
    const figures = cells.filter((each) => isFigure(each, index)).length;
    return cells.length > 1 && figures >= cells.length * nearlyAllFigures;
  });
  return ofFigures.length >= fewestFigures;
}

/** Both rows as one: the lower title if a column has one, else the upper title. */
function joined(upper: GridRow, lower: GridRow): GridRow {
  const width = Math.max(upper.cells.length, lower.cells.length);
  const cells = Array.from({ length: width }, (_, index) => cellText(lower, index) || cellText(upper, index));
  return { number: lower.number, cells };
}
