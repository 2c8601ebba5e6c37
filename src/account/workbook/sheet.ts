/* The XML of one sheet of a workbook before, in and after its rows, and the XML of the styles of all sheets. */

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const special = /[&<>"']/;
const specials = /[&<>"']/g;
const unusual = /[^\P{Cc}\t\n]|\p{Cs}|[\ufffe\uffff]|_x[\dA-Fa-f]{4}_/u;

/** Text escaped for XML, and for attributes. */
export function escapeXml(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(specials, (sign) => `&#${sign.charCodeAt(0)};`);
}

/**
 * A cell's text. Spreadsheet programs read `_x0041_` as a character, so the underscore before such a text is escaped in
 * the same way. Characters that XML cannot contain become U+FFFD. An import refuses U+FFFD, as it refused the original.
 */
export function escapedCellText(text: string): string {
  if (!unusual.test(text)) return escapeXml(text);
  return escapeXml(
    text
      .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
      .replaceAll('\r', '_x000D_')
      .replace(/[^\P{Cc}\t\n]|\p{Cs}|[\ufffe\uffff]/gu, '\ufffd'),
  );
}

/** A column's letters by its index from 0: 0 is `A`, 26 is `AA`. */
export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

/** Built-in format 49 is text: typed values stay unchanged, and keep leading zeros. */
const TEXT_FORMAT = 49;
const DAY_FORMAT = 164;
const AMOUNT_FORMAT = 165;

const fonts = [
  '<font><sz val="11"/><name val="Calibri"/><family val="2"/></font>',
  '<font><b/><sz val="11"/><color rgb="FFFFFFFF"/><name val="Calibri"/><family val="2"/></font>',
  '<font><b/><sz val="11"/><color rgb="FF1F3864"/><name val="Calibri"/><family val="2"/></font>',
  '<font><i/><sz val="11"/><color rgb="FF7F7F7F"/><name val="Calibri"/><family val="2"/></font>',
  '<font><sz val="11"/><color rgb="FF595959"/><name val="Calibri"/><family val="2"/></font>',
  '<font><sz val="11"/><color rgb="FF9C0006"/><name val="Calibri"/><family val="2"/></font>',
  '<font><sz val="11"/><color rgb="FF7F6000"/><name val="Calibri"/><family val="2"/></font>',
];

const solid = (colour: string): string =>
  `<fill><patternFill patternType="solid"><fgColor rgb="${colour}"/><bgColor indexed="64"/></patternFill></fill>`;

/** The file format fixes the first two fills. */
const fills = [
  '<fill><patternFill patternType="none"/></fill>',
  '<fill><patternFill patternType="gray125"/></fill>',
  solid('FF1F3864'),
  solid('FFB4C6E7'),
  solid('FFEDEDED'),
  solid('FFFFC7CE'),
  solid('FFFFEB9C'),
];

interface StyleParts {
  readonly format?: number;
  readonly font?: number;
  readonly fill?: number;
  readonly alignment?: string;
}

const middle = '<alignment vertical="center"/>';
const top = '<alignment vertical="top"/>';
const wrap = '<alignment vertical="top" wrapText="1"/>';

/** Every cell style of paybatch's workbooks, in the order of their numbers in the file. */
const styles = {
  general: {},
  text: { format: TEXT_FORMAT, alignment: top },
  day: { format: DAY_FORMAT },
  amount: { format: AMOUNT_FORMAT },
  'example-text': { format: TEXT_FORMAT, font: 3 },
  'example-day': { format: DAY_FORMAT, font: 3 },
  'example-amount': { format: AMOUNT_FORMAT, font: 3 },
  'header-required': { format: TEXT_FORMAT, font: 1, fill: 2, alignment: middle },
  'header-sometimes': { format: TEXT_FORMAT, font: 2, fill: 3, alignment: middle },
  'header-optional': { format: TEXT_FORMAT, font: 2, fill: 4, alignment: middle },
  wrapped: { format: TEXT_FORMAT, alignment: wrap },
  'header-result': { format: TEXT_FORMAT, font: 4, fill: 4, alignment: middle },
  result: { format: TEXT_FORMAT, font: 4, alignment: top },
  message: { format: TEXT_FORMAT, font: 5, alignment: wrap },
  'message-held': { format: TEXT_FORMAT, font: 6, alignment: wrap },
  fault: { format: TEXT_FORMAT, font: 5, fill: 5, alignment: top },
  'fault-held': { format: TEXT_FORMAT, font: 6, fill: 6, alignment: top },
} satisfies Record<string, StyleParts>;

export type CellStyle = keyof typeof styles;

const cellStyles = Object.keys(styles) as CellStyle[];

/** The number by which a cell or column names its style. */
function styleNumber(style: CellStyle): number {
  return cellStyles.indexOf(style);
}

function styleXml({ format = 0, font = 0, fill = 0, alignment = '' }: StyleParts): string {
  const attributes = `numFmtId="${format}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0"`;
  const applied = 'applyNumberFormat="1" applyFont="1" applyFill="1"';
  if (alignment === '') return `<xf ${attributes} ${applied}/>`;
  return `<xf ${attributes} ${applied} applyAlignment="1">${alignment}</xf>`;
}

/** The part of a workbook that defines its styles. */
export function stylesXml(): string {
  const list = (name: string, items: readonly string[]): string =>
    `<${name} count="${items.length}">${items.join('')}</${name}>`;
  const formats = [
    `<numFmt numFmtId="${DAY_FORMAT}" formatCode="yyyy-mm-dd"/>`,
    `<numFmt numFmtId="${AMOUNT_FORMAT}" formatCode="0.00##"/>`,
  ];
  return [
    `${DECLARATION}<styleSheet xmlns="${MAIN}">`,
    list('numFmts', formats),
    list('fonts', fonts),
    list('fills', fills),
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    list('cellStyleXfs', ['<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>']),
    list('cellXfs', Object.values(styles).map(styleXml)),
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ].join('');
}

/** A cell: text, or a number if a spreadsheet program has to treat it as a number. */
export interface SheetCell {
  readonly value: string | number;
  readonly style: CellStyle;
}

/** The cells of one row; empty ones may be left out. */
export type SheetRow = readonly (SheetCell | null)[];

/** A drop-down list on a column, below the header. */
export interface DropDown {
  readonly column: number;
  readonly values: readonly string[];
  /** Whether other values are refused. If not, the list only suggests values. */
  readonly isClosed: boolean;
}

/** A note on a cell; the header is row 1. */
export interface CellNote {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/** A sheet without its rows. Its first row, the header, is frozen. */
export interface SheetForm {
  readonly name: string;
  readonly columns: readonly { readonly width: number; readonly style: CellStyle }[];
  /** Number of columns at the left that are frozen too. */
  readonly frozenColumns?: number;
  /** Whether it comes before all others, and is shown first. */
  readonly isFirst?: boolean;
}

/** Number of rows with drop-down lists: as many as a person might fill in by hand. */
const LAST_LISTED_ROW = 10_000;
/** Spreadsheet programs accept neither a longer text in a cell nor a longer list in a formula. */
const MOST_CELL_CHARACTERS = 32_767;
const MOST_LIST_CHARACTERS = 255;
const MOST_ROWS = 1_048_576;

const HEADER_POINTS = 22;
const LINE_POINTS = 15;
/** With more lines, a row would fill the screen. */
const MOST_LINES = 12;

/** The XML of a sheet before its rows. */
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

/** The XML between the position of a text cell and its text, by style. */
const beforeText: ReadonlyMap<CellStyle, string> = new Map(
  cellStyles.map((style) => [
    style,
    `" s="${styleNumber(style)}" t="inlineStr"><is><t xml:space="preserve">`,
  ]),
);

/**
 * Creates the writer of a sheet's rows. `number` counts from 1, which is the header. A text is joined from few pieces,
 * most of them prepared, because this takes more time than anything else in a workbook.
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

/** A row's height, because some programs do not adjust the height of rows with wrapped text. */
function heightOf(cells: SheetRow, columns: SheetForm['columns']): number {
  let lines = 1;
  for (let column = 0; column < cells.length; column += 1) {
    const cell = cells[column];
    if (cell === null || cell === undefined || !wrappedStyles.has(cell.style)) continue;
    lines = Math.max(lines, linesIn(String(cell.value), (columns[column]?.width ?? 10) - 2));
  }
  return LINE_POINTS * Math.min(lines, MOST_LINES);
}

/** Number of lines of a text at `width` characters per line. */
function linesIn(text: string, width: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
}

/** What the XML after a sheet's rows needs. */
interface SheetEnd {
  readonly dropDowns: readonly DropDown[];
  readonly hasNotes: boolean;
  /** The range of another sheet with the values of a list that is too long for its own formula. */
  readonly rangeOf: (list: DropDown) => string;
}

/** The XML of a sheet after its rows. Notes are in parts of their own, which `rIdDrawing` and `rIdNotes` name. */
export function sheetTail({ columns }: SheetForm, { dropDowns, hasNotes, rangeOf }: SheetEnd): string {
  const last = columnLetters(Math.max(columns.length - 1, 0));
  const lists = dropDowns.map((list) => dropDownXml(list, rangeOf));
  return [
    '</sheetData>',
    lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`,
    // In print, all columns are on one page.
    '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>',
    `<ignoredErrors><ignoredError sqref="A1:${last}${MOST_ROWS}" numberStoredAsText="1"/></ignoredErrors>`,
    hasNotes ? '<legacyDrawing r:id="rIdDrawing"/>' : '',
    '</worksheet>',
  ].join('');
}

/** Whether a list fits into its own formula: its values must not contain a comma, and have to be short. */
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
