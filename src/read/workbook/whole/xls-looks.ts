/* How the rows of an `.xls` file look, from its records: the library that reads their values gives no fonts. */

import {
  type CellMarks,
  fillMark,
  LookBuilder,
  noMarks,
  type RowLook,
  struckMark,
  textMark,
} from '../../../domain/tables/row-marks.ts';
import { numberedColour } from '../sheet/sheets.ts';
import {
  BEGIN,
  FONT_ASIDE,
  isCellRecord,
  PALETTE_ASIDE,
  SEVERAL_NUMBERS,
  SHEET_LISTED,
} from './xls-records.ts';

const CELL_STYLE = 0x00e0;
/** The bytes of a cell style since Excel 97; older ones have their colours elsewhere. */
const STYLE_BYTES = 20;
const STRUCK = 0x0008;
/** No font has this number, for compatibility with an older program. */
const FONT_LEFT_OUT = 4;
const FIRST_OF_PALETTE = 8;
const LAST_OF_PALETTE = 63;

/** What the records at the beginning of a workbook say about looks. */
interface Looks {
  readonly fonts: { readonly isStruck: boolean; readonly colour: number }[];
  readonly styles: { readonly font: number; readonly fill: number | null }[];
  palette: readonly string[];
  /** Where the sheets begin. */
  readonly places: number[];
}

/** The rows of each sheet that have a marked cell, by their number, in the order of the sheets in the file. */
export function looksInXls(workbook: Buffer): readonly ReadonlyMap<number, RowLook>[] {
  const looks: Looks = { fonts: [], styles: [], palette: [], places: [] };
  for (const { type, data } of recordsOf(workbook)) collect(looks, type, data);
  const marks = marksOfStyles(looks);
  const places = [...new Set(looks.places)].sort((left, right) => left - right);
  if (marks.every((each) => each.length === 0)) return places.map(() => new Map());
  return places.map((place) => looksOfSheet(workbook, place, marks));
}

function* recordsOf(workbook: Buffer, from = 0): Generator<{ type: number; data: Buffer; at: number }> {
  let at = from;
  while (at + 4 <= workbook.length) {
    const end = at + 4 + workbook.readUInt16LE(at + 2);
    if (end > workbook.length || (end === at + 4 && workbook.readUInt16LE(at) === 0)) return;
    yield { type: workbook.readUInt16LE(at), data: workbook.subarray(at + 4, end), at };
    at = end;
  }
}

function collect(looks: Looks, type: number, data: Buffer): void {
  if (type === FONT_ASIDE && data.length >= 6) {
    looks.fonts.push({
      isStruck: (data.readUInt16LE(2) & STRUCK) !== 0,
      colour: data.readUInt16LE(4),
    });
  } else if (type === PALETTE_ASIDE && data.length >= 2) looks.palette = paletteIn(data);
  else if (type === SHEET_LISTED && data.length >= 4) looks.places.push(data.readUInt32LE(0));
  else if (type === CELL_STYLE && data.length >= STYLE_BYTES) {
    const isFilled = data.readUInt32LE(14) >>> 26 !== 0;
    looks.styles.push({
      font: data.readUInt16LE(0),
      fill: isFilled ? data.readUInt16LE(18) & 0x7f : null,
    });
  }
}

function paletteIn(data: Buffer): readonly string[] {
  const count = Math.min(data.readUInt16LE(0), Math.floor((data.length - 2) / 4));
  return Array.from({ length: count }, (_, at) => data.toString('hex', 2 + 4 * at, 5 + 4 * at));
}

function marksOfStyles({ fonts, styles, palette }: Looks): readonly CellMarks[] {
  const colourOf = (index: number): string | undefined =>
    index > LAST_OF_PALETTE ? undefined : (palette[index - FIRST_OF_PALETTE] ?? numberedColour(index));
  return styles.map(({ font: number, fill }) => {
    const font = fonts[number > FONT_LEFT_OUT ? number - 1 : number];
    const marks = [
      ...(font?.isStruck === true ? [struckMark] : []),
      ...textMark(font === undefined ? undefined : colourOf(font.colour)),
      ...fillMark(fill === null ? undefined : colourOf(fill)),
    ];
    return marks.length === 0 ? noMarks : marks;
  });
}

/** The rows of a sheet; its records end where the next sheet begins. */
function looksOfSheet(
  workbook: Buffer,
  place: number,
  marks: readonly CellMarks[],
): ReadonlyMap<number, RowLook> {
  const looks = new Map<number, RowLook>();
  let row = -1;
  let builder = new LookBuilder();
  const end = (): void => {
    const look = builder.build();
    if (look !== undefined) looks.set(row + 1, look);
    builder = new LookBuilder();
  };
  for (const { type, data, at } of recordsOf(workbook, place)) {
    if (type === BEGIN && at > place) break;
    if (!isCellRecord(type) || data.length < 6) continue;
    if (data.readUInt16LE(0) !== row) {
      end();
      row = data.readUInt16LE(0);
    }
    // Several numbers: a style and a value of four bytes each, then the last column.
    const last = type === SEVERAL_NUMBERS ? data.length - 6 : 4;
    for (let style = 4; style <= last; style += 6) builder.add(marks[data.readUInt16LE(style)] ?? noMarks);
  }
  end();
  return looks;
}
