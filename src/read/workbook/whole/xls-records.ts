/* The records of an `.xls` file's workbook: those that are not needed are taken away before it is converted. */

import { encryptedFile } from '../../file/archive.ts';
import { damagedFile } from '../../file/input-error.ts';

/** Begins the records of the workbook, of a sheet, or of a chart within one. */
export const BEGIN = 0x0809;
const END = 0x000a;
const CONTINUE = 0x003c;
const PASSWORD = 0x002f;
const COLUMNS = 0x007d;
const MERGED = 0x00e5;
export const SHEET_LISTED = 0x0085;
const DIMENSIONS = 0x0200;
/** An obsolete record about menus, which every program ignores. */
const NOTHING = 0x00c1;
/** Fonts and the palette get the numbers of other records about menus, which the library passes over. */
export const FONT_ASIDE = 0x00c2;
export const PALETTE_ASIDE = 0x00c3;
const ASIDE: ReadonlyMap<number, number> = new Map([
  [0x0031, FONT_ASIDE],
  [0x0092, PALETTE_ASIDE],
]);

/** The needed records at a workbook's beginning: code page, dates, formats, styles, sheets and texts. */
const OF_WORKBOOK: ReadonlySet<number> = new Set([0x0042, 0x0022, 0x041e, 0x00e0, SHEET_LISTED, 0x00fc]);
/** Apple Numbers writes formulas with the record numbers of versions 3 and 4, with the same meaning. */
const FORMULAS: ReadonlySet<number> = new Set([0x0006, 0x0206, 0x0406]);
/** The offset of the formula's length in its record. */
const FORMULA_LENGTH_AT = 20;
/** The text result of the preceding formula. */
const TEXT_OF_FORMULA = 0x0207;
/** Records of one cell, or of several in a row, which begin with the row and the column. */
const CELLS: ReadonlySet<number> = new Set([
  ...[...FORMULAS, 0x00bd, 0x00d6, 0x00fd],
  ...[0x0203, 0x0204, 0x0205, 0x027e],
]);
export const SEVERAL_NUMBERS = 0x00bd;
/** Needed records besides the cells: the properties of rows, the code page, the size. */
const OF_SHEET: ReadonlySet<number> = new Set([0x0208, 0x0042, DIMENSIONS]);

/** Whether a record is of one cell, or of several in a row. */
export function isCellRecord(type: number): boolean {
  return CELLS.has(type);
}

const COLUMNS_OF_SHEET = 256;
const SHEETS = 1000;
/** Each has up to 1,027 ranges; those of a header are among the first. */
const MERGED_RECORDS = 4;

/** The subject of a group of records, by the second word of its first record. */
type Group = 'workbook' | 'sheet' | 'other';

function groupOf(record: Buffer): Group {
  const kind = record.length < 4 ? 0 : record.readUInt16LE(2);
  if (kind === 0x0005) return 'workbook';
  return kind === 0x0010 || kind === 0x0040 ? 'sheet' : 'other';
}

/** The offset of a formula's result, of eight bytes. Without a number it is a kind, an error's code, and this word. */
const RESULT_AT = 6;
const NO_NUMBER = 0xffff;
const TEXT = 0;
const ERROR = 2;
const EMPTY_TEXT = 3;
/** No error of any spreadsheet program has this code. */
const UNKNOWN_ERROR = 0xff;

/** The kind of a formula's result; null for a number. A later record has the value of a text. */
function resultKind(formula: Buffer): number | null {
  return formula.readUInt16LE(RESULT_AT + 6) === NO_NUMBER ? formula.readUInt8(RESULT_AT) : null;
}

/** An unreadable result differs from an absent one: its row is refused. */
function makeError(formula: Buffer): void {
  formula.writeUInt8(ERROR, RESULT_AT);
  formula.writeUInt8(UNKNOWN_ERROR, RESULT_AT + 2);
}

/** Goes through a workbook's records and finds those that are not needed. */
class RecordFilter {
  #group: Group = 'other';
  #depth = 0;
  #isKept = false;
  #sheets = 0;
  #mergedRecords = 0;
  #columnRecords = 0;
  /** The formula whose text result has not been read yet. */
  #withoutText: Buffer | null = null;

  /** @returns whether the record is needed; nothing inside a chart is */
  keeps(type: number, record: Buffer): boolean {
    if (type === PASSWORD) throw encryptedFile();
    if (type === CONTINUE) return this.#isKept;
    this.#isKept = type === BEGIN || type === END ? this.#turn(type, record) : this.#isOfUse(type, record);
    return this.#isKept;
  }

  #turn(type: number, record: Buffer): true {
    this.#endFormula();
    this.#depth += type === BEGIN ? 1 : -1;
    if (this.#depth < 0) throw damagedFile('its parts do not begin and end in order');
    if (type === BEGIN && this.#depth === 1) {
      this.#group = groupOf(record);
      this.#mergedRecords = 0;
      this.#columnRecords = 0;
    }
    return true;
  }

  #isOfUse(type: number, record: Buffer): boolean {
    if (this.#depth !== 1) return false;
    if (this.#group === 'workbook') return this.#isOfWorkbook(type);
    if (this.#group === 'other') return type === DIMENSIONS;
    if (CELLS.has(type)) {
      assertColumns(type, record);
      this.#endFormula();
      if (FORMULAS.has(type)) this.#beginFormula(record);
      return true;
    }
    if (type === TEXT_OF_FORMULA) {
      const isAwaited = this.#withoutText !== null;
      this.#withoutText = null;
      return isAwaited;
    }
    if (type === COLUMNS) return this.#isHiddenColumns(record);
    if (type === MERGED) {
      this.#mergedRecords += 1;
      return this.#mergedRecords <= MERGED_RECORDS;
    }
    return OF_SHEET.has(type);
  }

  #beginFormula(record: Buffer): void {
    if (record.length < FORMULA_LENGTH_AT + 2) throw damagedFile('it has a formula that is cut off');
    // The library reads formulas without a limit, and only their results are needed.
    record.writeUInt16LE(0, FORMULA_LENGTH_AT);
    const kind = resultKind(record);
    if (kind === TEXT) this.#withoutText = record;
    else if (kind !== null && kind > EMPTY_TEXT) makeError(record);
  }

  #endFormula(): void {
    if (this.#withoutText !== null) makeError(this.#withoutText);
    this.#withoutText = null;
  }

  #isOfWorkbook(type: number): boolean {
    if (type === SHEET_LISTED) {
      this.#sheets += 1;
      if (this.#sheets > SHEETS) throw damagedFile('its list of sheets is wrong');
    }
    return OF_WORKBOOK.has(type);
  }

  #isHiddenColumns(record: Buffer): boolean {
    if (record.length < 10 || this.#columnRecords >= COLUMNS_OF_SHEET) return false;
    this.#columnRecords += 1;
    return (record.readUInt16LE(8) & 1) === 1 && record.readUInt16LE(2) <= COLUMNS_OF_SHEET;
  }
}

function assertColumns(type: number, record: Buffer): void {
  const last =
    record.length < 6
      ? COLUMNS_OF_SHEET
      : record.readUInt16LE(type === SEVERAL_NUMBERS ? record.length - 2 : 2);
  if (last >= COLUMNS_OF_SHEET) throw damagedFile('it has cells where its sheets have none');
}

/**
 * Makes an `.xls` file's workbook harmless for the library that reads it, in place: every record has to be complete.
 * Records other than those of texts, numbers and hidden parts (drawings, links, notes, names, charts, ...) get a
 * meaningless number. Offsets stay the same, since records refer to each other. A formula whose result cannot be read
 * becomes an error.
 *
 * @throws InputError when a record is cut off or the workbook is encrypted
 */
export function keepOnlyCells(workbook: Buffer): void {
  const filter = new RecordFilter();
  let at = 0;
  while (at + 4 <= workbook.length) {
    const type = workbook.readUInt16LE(at);
    const end = at + 4 + workbook.readUInt16LE(at + 2);
    // Programs fill the last sector with zeros.
    if (type === 0 && end === at + 4) return;
    if (end > workbook.length) throw damagedFile('it is cut off');
    if (!filter.keeps(type, workbook.subarray(at + 4, end))) {
      workbook.writeUInt16LE(ASIDE.get(type) ?? NOTHING, at);
    }
    at = end;
  }
}
