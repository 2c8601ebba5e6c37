import type { MergedRange } from '../../table/opened-table.ts';

/** The size of a sheet, which is the same in all programs that write the format. */
export const LAST_ROW = 1_048_576;
export const LAST_COLUMN = 16_384;

const LETTERS = 26;
const CODE_BEFORE_A = 64;

/** `AB12` is 28; NaN when it is no reference to a cell. */
export function columnNumber(reference: string): number {
  let column = 0;
  let at = 0;
  for (; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - CODE_BEFORE_A;
    if (letter < 1 || letter > LETTERS) break;
    column = column * LETTERS + letter;
  }
  return at === 0 || at > 3 ? Number.NaN : column;
}

/** `AB12` is 12; NaN when it is no reference to a cell. */
export function cellNumber(reference: string): number {
  return Number(/^[A-Z]{1,3}([0-9]{1,7})$/.exec(reference)?.[1] ?? Number.NaN);
}

/** 28 is `AB`. */
export function columnName(column: number): string {
  let name = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / LETTERS)) {
    name = String.fromCharCode(CODE_BEFORE_A + 1 + ((rest - 1) % LETTERS)) + name;
  }
  return name;
}

/** `B4:D5` as rows and columns; NaN where it is no reference. */
export function mergedRange(reference: string): MergedRange {
  const [first = '', last = first] = reference.split(':');
  return {
    ...{ firstRow: cellNumber(first), lastRow: cellNumber(last) },
    ...{ firstColumn: columnNumber(first), lastColumn: columnNumber(last) },
  };
}
