/* Writes an `.xls` file record by record, with fonts, fills and a palette, which no library here can write. */

import { CFB } from '@e965/xlsx';

/** How cells look: colours are numbers of the palette. */
export interface XlsStyle {
  readonly isStruck?: boolean;
  readonly textColour?: number;
  readonly fill?: number;
}

/** A text or number with the place of its style; without one it looks like all others. */
export type XlsCell = string | number | readonly [value: string | number, style: number];

export interface XlsSheet {
  readonly name: string;
  /** The rows from the first line on. */
  readonly rows: readonly (readonly XlsCell[])[];
}

/** @param palette six hexadecimal digits each, from colour 8 on; the usual one where it is absent */
export interface XlsBook {
  readonly sheets: readonly XlsSheet[];
  readonly styles: readonly XlsStyle[];
  readonly palette?: readonly string[];
}

const usualColour = 0x7fff;
const solid = 1;
/** The first fonts of a workbook are the usual one; no font has the number 4. */
const usualFonts = 4;
const firstOwnFont = 5;

function record(type: number, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  return Buffer.concat([words(type, data.length), data]);
}

function words(...values: readonly number[]): Buffer {
  return Buffer.from(Uint16Array.from(values).buffer);
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** A text with its length in one byte, and two bytes a letter. */
function shortText(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length, 1]), Buffer.from(text, 'utf16le')]);
}

const begin = (kind: number): Buffer => record(0x0809, words(0x0600, kind, 0, 0), long(0), long(6));
const end = record(0x000a);

function font({ isStruck = false, textColour = usualColour }: XlsStyle): Buffer {
  return record(
    0x0031,
    words(200, isStruck ? 0x0008 : 0, textColour, 400, 0),
    Buffer.alloc(4),
    shortText('Arial'),
  );
}

function style(fontNumber: number, { fill }: XlsStyle): Buffer {
  const pattern = fill === undefined ? 0 : solid << 26;
  return record(0x00e0, words(fontNumber, 0), Buffer.alloc(10), long(pattern), words(fill ?? 0));
}

function cell(row: number, column: number, given: XlsCell): Buffer {
  const [value, at] = typeof given === 'object' ? [given[0], given[1] + 1] : [given, 0];
  const place = words(row, column, at);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return record(0x0203, place, bytes);
  }
  return record(0x0204, place, words(value.length), Buffer.from([1]), Buffer.from(value, 'utf16le'));
}

function sheetRecords({ rows }: XlsSheet): Buffer {
  const width = Math.max(...rows.map((cells) => cells.length));
  const dimension = record(0x0200, long(0), long(rows.length), words(0, width, 0));
  const cells = rows.flatMap((line, row) => line.map((given, column) => cell(row, column, given)));
  return Buffer.concat([begin(0x0010), dimension, ...cells, end]);
}

/** The stream of a workbook of Excel 97 or later, without the file around it. */
export function xlsWorkbook({ sheets, styles, palette }: XlsBook): Buffer {
  const usual: XlsStyle = {};
  const fonts = [...Array.from({ length: usualFonts }, () => usual), ...styles].map(font);
  const colours = (palette ?? []).map((rgb) => Buffer.from(`${rgb}00`, 'hex'));
  const ownPalette = palette === undefined ? [] : [record(0x0092, words(colours.length), ...colours)];
  const looks = [style(0, usual), ...styles.map((own, at) => style(firstOwnFont + at, own))];
  const bodies = sheets.map(sheetRecords);
  const start = (places: readonly number[]): Buffer =>
    Buffer.concat([
      begin(0x0005),
      record(0x0042, words(1200)),
      ...fonts,
      ...looks,
      ...ownPalette,
      ...sheets.map(({ name }, at) => record(0x0085, long(places[at] ?? 0), words(0), shortText(name))),
      end,
    ]);
  let place = start([]).length;
  const places = bodies.map((body) => {
    const own = place;
    place += body.length;
    return own;
  });
  return Buffer.concat([start(places), ...bodies]);
}

/** A whole `.xls` file. */
export function xlsFile(book: XlsBook): Buffer {
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, '/Workbook', xlsWorkbook(book));
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}
