/* The styles of a workbook, and the escaping of its XML. */

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const special = /[&<>"']/;
const specials = /[&<>"']/g;
const unusual = /[^\P{Cc}\t\n]|\p{Cs}|[\ufffe\uffff]|_x[\dA-Fa-f]{4}_/u;

/** Text as it stands in XML, in an attribute too. */
export function escapeXml(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(specials, (sign) => `&#${sign.charCodeAt(0)};`);
}

/**
 * A cell's text. Spreadsheet programs read `_x0041_` as a character, so an underscore before such is written in that
 * way itself. What XML cannot hold becomes U+FFFD, which is refused when it is read, as it was before.
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

/** Every cell style of our workbooks, in the order of their numbers in the file. */
export const cellStyles = [
  'general',
  'text',
  'day',
  'amount',
  'example-text',
  'example-day',
  'example-amount',
  'header-required',
  'header-sometimes',
  'header-optional',
  'wrapped',
  'header-result',
  'result',
  'message',
  'message-held',
  'fault',
  'fault-held',
] as const;

export type CellStyle = (typeof cellStyles)[number];

const styleNumbers: ReadonlyMap<CellStyle, number> = new Map(cellStyles.map((name, index) => [name, index]));

/** The number by which a cell or column names its style. */
export function styleNumber(style: CellStyle): number {
  return styleNumbers.get(style) ?? 0;
}

/** Built-in format 49 is text: what is typed stays as it is, leading zeros and all. */
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

/** The first two are fixed by the format. */
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

const styles: Readonly<Record<CellStyle, StyleParts>> = {
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
};

function styleXml({ format = 0, font = 0, fill = 0, alignment = '' }: StyleParts): string {
  const attributes = `numFmtId="${format}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0"`;
  const applied = 'applyNumberFormat="1" applyFont="1" applyFill="1"';
  if (alignment === '') return `<xf ${attributes} ${applied}/>`;
  return `<xf ${attributes} ${applied} applyAlignment="1">${alignment}</xf>`;
}

/** The part of a workbook that says what its styles look like. */
export function stylesXml(): string {
  const list = (name: string, items: readonly string[]): string =>
    `<${name} count="${items.length}">${items.join('')}</${name}>`;
  const formats = [
    `<numFmt numFmtId="${DAY_FORMAT}" formatCode="${escapeXml('yyyy-mm-dd')}"/>`,
    `<numFmt numFmtId="${AMOUNT_FORMAT}" formatCode="${escapeXml('0.00##')}"/>`,
  ];
  const empty = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>';
  return [
    `${DECLARATION}<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`,
    list('numFmts', formats),
    list('fonts', fonts),
    list('fills', fills),
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    list('cellStyleXfs', [empty]),
    list(
      'cellXfs',
      cellStyles.map((name) => styleXml(styles[name])),
    ),
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ].join('');
}
