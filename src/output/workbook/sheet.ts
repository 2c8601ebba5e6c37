import { type CellStyle, styleNumber } from './styles.ts';
import { columnLetters, DECLARATION, escapeXml } from './xml.ts';

/** A cell: text, or a number where a spreadsheet program is to take it as one. */
export interface SheetCell {
  readonly value: string | number;
  readonly style: CellStyle;
}

/** A drop-down list on a column, below the header. */
export interface DropDown {
  readonly column: number;
  readonly values: readonly string[];
  /** Whether other values are refused; otherwise the list only suggests. */
  readonly isClosed: boolean;
}

/** A note on a cell of the header. */
export interface HeaderNote {
  readonly column: number;
  readonly text: string;
}

/** A sheet whose first row is its header, which stays in sight. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly { readonly width: number; readonly style: CellStyle }[];
  /** The header first; empty cells need not be there. */
  readonly rows: readonly (readonly (SheetCell | null)[])[];
  readonly dropDowns: readonly DropDown[];
  readonly notes: readonly HeaderNote[];
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** As many rows as a person might fill in by hand have drop-down lists. */
const LAST_LISTED_ROW = 10_000;

function cellXml(cell: SheetCell | null, column: number, row: number): string {
  if (cell === null) return '';
  const place = `r="${columnLetters(column)}${row}" s="${styleNumber(cell.style)}"`;
  if (typeof cell.value === 'number') return `<c ${place}><v>${cell.value}</v></c>`;
  return `<c ${place} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell.value)}</t></is></c>`;
}

const HEADER_POINTS = 22;
const LINE_POINTS = 15;

/** Some programs do not make rows with wrapped text higher by themselves. */
function heightOf(cells: Sheet['rows'][number], columns: Sheet['columns']): number {
  const lines = cells.map((cell, column) => {
    if (cell?.style !== 'wrapped') return 1;
    return Math.ceil(String(cell.value).length / ((columns[column]?.width ?? 10) - 2));
  });
  return LINE_POINTS * Math.max(1, ...lines);
}

function rowXml(cells: Sheet['rows'][number], index: number, columns: Sheet['columns']): string {
  const number = index + 1;
  const height = index === 0 ? HEADER_POINTS : heightOf(cells, columns);
  const written = cells.map((cell, column) => cellXml(cell, column, number));
  return `<row r="${number}" ht="${height}" customHeight="1">${written.join('')}</row>`;
}

function columnsXml(columns: Sheet['columns']): string {
  const each = columns.map(
    ({ width, style }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${width}" style="${styleNumber(style)}" customWidth="1"/>`,
  );
  return `<cols>${each.join('')}</cols>`;
}

/** The list stands in the formula itself, so its values must not hold a comma, and have to be short. */
function dropDownXml({ column, values, isClosed }: DropDown): string {
  const letters = columnLetters(column);
  const refusal = isClosed
    ? 'errorStyle="stop" showErrorMessage="1" errorTitle="Not possible" error="Choose one of the values in the list."'
    : 'showErrorMessage="0"';
  const range = `${letters}2:${letters}${LAST_LISTED_ROW}`;
  const list = escapeXml(`"${values.join(',')}"`);
  return `<dataValidation type="list" allowBlank="1" ${refusal} sqref="${range}"><formula1>${list}</formula1></dataValidation>`;
}

/** The XML of a sheet. Notes stand in parts of their own, which its relationship `rIdNotes` names. */
export function sheetXml(sheet: Sheet): string {
  const { columns, rows, dropDowns, notes } = sheet;
  const last = columnLetters(columns.length - 1);
  const lists = dropDowns.map(dropDownXml);
  const written = rows.map((cells, index) => rowXml(cells, index, columns));
  return [
    `${DECLARATION}<worksheet xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}">`,
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    '<sheetViews><sheetView workbookViewId="0">',
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
    '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>',
    columnsXml(columns),
    `<sheetData>${written.join('')}</sheetData>`,
    lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`,
    // Printed, all columns stand on one page.
    '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>',
    `<ignoredErrors><ignoredError sqref="A1:${last}${LAST_LISTED_ROW}" numberStoredAsText="1"/></ignoredErrors>`,
    notes.length === 0 ? '' : '<legacyDrawing r:id="rIdDrawing"/>',
    '</worksheet>',
  ].join('');
}
