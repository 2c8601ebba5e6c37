/* The XML of one sheet of a workbook: before, in and behind its rows. */

import {
  type CellStyle,
  cellStyles,
  columnLetters,
  DECLARATION,
  escapedCellText,
  escapeXml,
  styleNumber,
} from './styles.ts';

/** A cell: text, or a number where a spreadsheet program is to take it as one. */
export interface SheetCell {
  readonly value: string | number;
  readonly style: CellStyle;
}

/** The cells of one row; empty ones need not be there. */
export type SheetRow = readonly (SheetCell | null)[];

/** A drop-down list on a column, below the header. */
export interface DropDown {
  readonly column: number;
  readonly values: readonly string[];
  /** Whether other values are refused; otherwise the list only suggests. */
  readonly isClosed: boolean;
}

/** A note on a cell; the header is row 1. */
export interface CellNote {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/** A sheet without its rows. Its first row, the header, stays in sight. */
export interface SheetForm {
  readonly name: string;
  readonly columns: readonly { readonly width: number; readonly style: CellStyle }[];
  /** So many columns at the left stay in sight too. */
  readonly frozenColumns?: number;
  /** Whether it comes before all others, and is the one that a person sees first. */
  readonly isFirst?: boolean;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** As many rows as a person might fill in by hand have drop-down lists. */
const LAST_LISTED_ROW = 10_000;
/** Spreadsheet programs take no longer text in a cell, and no longer list in a formula. */
const MOST_CELL_CHARACTERS = 32_767;
const MOST_LIST_CHARACTERS = 255;
const MOST_ROWS = 1_048_576;

const HEADER_POINTS = 22;
const LINE_POINTS = 15;
/** Beyond this a row would fill the screen. */
const MOST_LINES = 12;

/** Everything of a sheet before its rows. */
export function sheetHead({ columns, frozenColumns = 0 }: SheetForm): string {
  const corner = `${columnLetters(frozenColumns)}2`;
  const split = frozenColumns === 0 ? '' : `xSplit="${frozenColumns}" `;
  const pane = frozenColumns === 0 ? 'bottomLeft' : 'bottomRight';
  return [
    `${DECLARATION}<worksheet xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}">`,
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    '<sheetViews><sheetView workbookViewId="0">',
    `<pane ${split}ySplit="1" topLeftCell="${corner}" activePane="${pane}" state="frozen"/>`,
    `<selection pane="${pane}" activeCell="${corner}" sqref="${corner}"/></sheetView></sheetViews>`,
    columnsXml(columns),
    '<sheetData>',
  ].join('');
}

function columnsXml(columns: SheetForm['columns']): string {
  const each = columns.map(
    ({ width, style }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${width}" style="${styleNumber(style)}" customWidth="1"/>`,
  );
  return `<cols>${each.join('')}</cols>`;
}

/** What stands between the place of a text cell and its text, by style. */
const beforeText: ReadonlyMap<CellStyle, string> = new Map(
  cellStyles.map((style) => [
    style,
    `" s="${styleNumber(style)}" t="inlineStr"><is><t xml:space="preserve">`,
  ]),
);

/**
 * Makes the writing of a sheet's rows; `number` counts from 1, the header's. A text is put together of few pieces, most
 * of them there already: nothing else of a workbook takes as much time.
 */
export function rowWriter({ columns }: SheetForm): (cells: SheetRow, number: number) => string {
  const begins = columns.map((_, index) => beginOf(index));
  return (cells, number) => {
    const height = number === 1 ? HEADER_POINTS : heightOf(cells, columns);
    const row = String(number);
    let written = `<row r="${row}" ht="${height}" customHeight="1">`;
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column];
      if (cell === null || cell === undefined) continue;
      const begin = begins[column] ?? beginOf(column);
      const { value, style } = cell;
      written +=
        typeof value === 'number'
          ? `${begin}${row}" s="${styleNumber(style)}"><v>${value}</v></c>`
          : `${begin}${row}${beforeText.get(style)}${escapedCellText(cut(value))}</t></is></c>`;
    }
    return `${written}</row>`;
  };
}

/** A cell up to the number of its row. */
function beginOf(column: number): string {
  return `<c r="${columnLetters(column)}`;
}

function cut(text: string): string {
  return text.length > MOST_CELL_CHARACTERS ? `${text.slice(0, MOST_CELL_CHARACTERS - 1)}…` : text;
}

const wrappedStyles: ReadonlySet<CellStyle> = new Set<CellStyle>(['wrapped', 'message', 'message-held']);

/** Some programs do not make rows with wrapped text higher by themselves. */
function heightOf(cells: SheetRow, columns: SheetForm['columns']): number {
  let lines = 1;
  for (let column = 0; column < cells.length; column += 1) {
    const cell = cells[column];
    if (cell === null || cell === undefined || !wrappedStyles.has(cell.style)) continue;
    lines = Math.max(lines, linesIn(String(cell.value), (columns[column]?.width ?? 10) - 2));
  }
  return LINE_POINTS * Math.min(lines, MOST_LINES);
}

/** How many lines a text takes where so many characters stand on one. */
function linesIn(text: string, width: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
}

/** What stands behind a sheet's rows, and needs to know how many there are. */
interface SheetEnd {
  readonly dropDowns: readonly DropDown[];
  readonly hasNotes: boolean;
  /** Where the values of a list stand that is too long for its own formula: a range of another sheet. */
  readonly rangeOf: (list: DropDown) => string;
}

/** Everything of a sheet behind its rows. Notes stand in parts of their own, which `rIdDrawing` and `rIdNotes` name. */
export function sheetTail({ columns }: SheetForm, { dropDowns, hasNotes, rangeOf }: SheetEnd): string {
  const last = columnLetters(Math.max(columns.length - 1, 0));
  const lists = dropDowns.map((list) => dropDownXml(list, rangeOf));
  return [
    '</sheetData>',
    lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`,
    // Printed, all columns stand on one page.
    '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>',
    `<ignoredErrors><ignoredError sqref="A1:${last}${MOST_ROWS}" numberStoredAsText="1"/></ignoredErrors>`,
    hasNotes ? '<legacyDrawing r:id="rIdDrawing"/>' : '',
    '</worksheet>',
  ].join('');
}

/** Whether a list fits into its own formula: its values must not hold a comma, and have to be short. */
function fitsIntoFormula({ values }: DropDown): boolean {
  return values.join(',').length <= MOST_LIST_CHARACTERS && values.every((value) => !value.includes(','));
}

function dropDownXml(list: DropDown, rangeOf: SheetEnd['rangeOf']): string {
  const letters = columnLetters(list.column);
  const refusal = list.isClosed
    ? 'errorStyle="stop" showErrorMessage="1" errorTitle="Not possible" error="Choose one of the values in the list."'
    : 'showErrorMessage="0"';
  const place = `${letters}2:${letters}${LAST_LISTED_ROW}`;
  const formula = fitsIntoFormula(list) ? `"${list.values.join(',')}"` : rangeOf(list);
  return `<dataValidation type="list" allowBlank="1" ${refusal} sqref="${place}"><formula1>${escapeXml(formula)}</formula1></dataValidation>`;
}
