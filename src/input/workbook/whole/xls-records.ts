import { encryptedFile } from '../../file/archive.ts';
import { damagedFile } from '../../file/input-error.ts';

const BEGIN = 0x0809;
const END = 0x000a;
const CONTINUE = 0x003c;
const PASSWORD = 0x002f;
const COLUMNS = 0x007d;
const MERGED = 0x00e5;
const SHEET_LISTED = 0x0085;
const DIMENSIONS = 0x0200;
/** Says how menus looked once; every program passes over it. */
const NOTHING = 0x00c1;

/** What a workbook's beginning says that matters: code page, dates, formats, styles, sheets and texts. */
const OF_WORKBOOK: ReadonlySet<number> = new Set([0x0042, 0x0022, 0x041e, 0x00e0, SHEET_LISTED, 0x00fc]);
/** Apple Numbers writes formulas with the number that they had in versions 3 and 4, and means the same. */
const FORMULAS: ReadonlySet<number> = new Set([0x0006, 0x0206, 0x0406]);
/** Where in its record it says how long the formula itself is. */
const FORMULA_LENGTH_AT = 20;
/** The text that the formula before it gave. */
const TEXT_OF_FORMULA = 0x0207;
/** Records that stand in one cell, or in several of a row, and begin with the row and the column. */
const CELLS: ReadonlySet<number> = new Set([
  ...[...FORMULAS, 0x00bd, 0x00d6, 0x00fd],
  ...[0x0203, 0x0204, 0x0205, 0x027e],
]);
const SEVERAL_NUMBERS = 0x00bd;
/** Besides its cells: the properties of rows, the code page, the size. */
const OF_SHEET: ReadonlySet<number> = new Set([0x0208, 0x0042, DIMENSIONS]);

const COLUMNS_OF_SHEET = 256;
const SHEETS = 1000;
/** Each has up to 1,027 ranges; those of a header are among the first. */
const MERGED_RECORDS = 4;

/** What a group of records is about, by the second word of the record that begins it. */
type Group = 'workbook' | 'sheet' | 'other';

function groupOf(record: Buffer): Group {
  const kind = record.length < 4 ? 0 : record.readUInt16LE(2);
  if (kind === 0x0005) return 'workbook';
  return kind === 0x0010 || kind === 0x0040 ? 'sheet' : 'other';
}

/** What a formula gave, where it is no number: its kind, and the code of an error. */
class FormulaResult {
  static readonly #NO_NUMBER = 0xffff;
  static readonly #TEXT = 0;
  static readonly #ERROR = 2;
  static readonly #EMPTY_TEXT = 3;
  /** No error of any spreadsheet program has this code. */
  static readonly #UNKNOWN_ERROR = 0xff;
  readonly #bytes: Buffer;

  constructor(formula: Buffer) {
    this.#bytes = formula.subarray(6, 14);
  }

  /** Whether a record that follows has the value. */
  get isText(): boolean {
    return this.#isNoNumber && this.#bytes[0] === FormulaResult.#TEXT;
  }

  get isUnknown(): boolean {
    return this.#isNoNumber && (this.#bytes[0] ?? 0) > FormulaResult.#EMPTY_TEXT;
  }

  get #isNoNumber(): boolean {
    return this.#bytes.readUInt16LE(6) === FormulaResult.#NO_NUMBER;
  }

  /** A value that cannot be read is not the same as none: its row is refused. */
  becomeError(): void {
    this.#bytes[0] = FormulaResult.#ERROR;
    this.#bytes[2] = FormulaResult.#UNKNOWN_ERROR;
  }
}

/** Goes through a workbook's records, and takes out those that are of no use. */
class RecordFilter {
  #group: Group = 'other';
  #depth = 0;
  #isKept = false;
  #sheets = 0;
  #mergedRecords = 0;
  #columnRecords = 0;
  /** The formula whose text is still to come. */
  #withoutText: FormulaResult | null = null;

  /** @returns whether the record is of use; everything inside a chart is not */
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
    // The library reads formulas without a limit, and only their results count.
    record.writeUInt16LE(0, FORMULA_LENGTH_AT);
    const result = new FormulaResult(record);
    if (result.isText) this.#withoutText = result;
    else if (result.isUnknown) result.becomeError();
  }

  #endFormula(): void {
    this.#withoutText?.becomeError();
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
 * Makes an `.xls` file's workbook harmless for the library that reads it, in place: every record has to be
 * whole, and those that it needs not for texts, numbers and what is hidden (drawings, links, notes, names,
 * charts, ...) are given a number that means nothing. Places stay the same, since records point to each other.
 * A formula whose result cannot be read becomes an error.
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
    if (!filter.keeps(type, workbook.subarray(at + 4, end))) workbook.writeUInt16LE(NOTHING, at);
    at = end;
  }
}
