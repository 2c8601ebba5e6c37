/* The compound file and the records of an `.xls` file, read before the file is converted. */

import { encryptedFile } from '../../file/archive.ts';
import { damagedFile } from '../../file/input-error.ts';

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MINI_SECTOR_BYTES = 64;
const ADDRESSES_IN_HEADER = 109;
/** Higher numbers are not sectors, but mark the end of a chain, a free sector, or a part of the table itself. */
const LAST_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const STREAM = 2;

interface Entry {
  readonly name: string;
  readonly isStream: boolean;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly bytes: number;
}

function damaged(): Error {
  return damagedFile('its parts do not hang together');
}

/**
 * The top-level streams of a compound file, the format of old Office files. A chain of sectors is followed only for
 * as many steps as the file has sectors, so a circular one is noticed.
 */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #sectorCount: number;
  readonly #miniCutoff: number;
  readonly #table: Buffer;
  readonly #entries: readonly Entry[];

  /** @throws InputError when the bytes contradict each other */
  constructor(bytes: Buffer) {
    const shift = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt16LE(30);
    if (shift !== 9 && shift !== 12) throw damaged();
    this.#bytes = bytes;
    this.#sectorBytes = 2 ** shift;
    this.#sectorCount = Math.ceil(bytes.length / this.#sectorBytes) - 1;
    this.#miniCutoff = bytes.readUInt32LE(56);
    this.#table = Buffer.concat(this.#tableSectors().map((sector) => this.#sector(sector)));
    this.#entries = readEntries(this.#chained(bytes.readUInt32LE(48)));
  }

  /** The top-level stream of that name, without regard to case, or null. */
  stream(name: string): Buffer | null {
    const wanted = name.toLowerCase();
    const entry = this.#top().find((each) => each.isStream && each.name.toLowerCase() === wanted);
    if (entry === undefined) return null;
    const content = entry.bytes < this.#miniCutoff ? this.#mini(entry) : this.#chained(entry.start);
    if (content.length < entry.bytes) throw damagedFile('it is cut off');
    return content.subarray(0, entry.bytes);
  }

  /** The children of the root are a tree of siblings. */
  #top(): Entry[] {
    const found = new Set<Entry>();
    const left = [this.#entries[0]?.child ?? NO_ENTRY];
    for (let index = left.pop(); index !== undefined; index = left.pop()) {
      if (index === NO_ENTRY) continue;
      const entry = this.#entries[index];
      if (entry === undefined || found.has(entry)) throw damaged();
      found.add(entry);
      left.push(entry.left, entry.right);
    }
    return [...found];
  }

  #sector(index: number): Buffer {
    const start = (index + 1) * this.#sectorBytes;
    if (index >= this.#sectorCount) throw damagedFile('it is cut off');
    return this.#bytes.subarray(start, start + this.#sectorBytes);
  }

  /** The sectors of the table that links each sector to the next one. */
  #tableSectors(): number[] {
    const addresses = wordsOf(this.#bytes.subarray(76, 76 + ADDRESSES_IN_HEADER * 4));
    let next = this.#bytes.readUInt32LE(68);
    for (let count = 0; next < LAST_SECTOR; count += 1) {
      if (count > this.#sectorCount) throw damaged();
      const words = wordsOf(this.#sector(next));
      next = words.pop() ?? LAST_SECTOR;
      addresses.push(...words);
    }
    const sectors = addresses.filter((address) => address < LAST_SECTOR);
    if (sectors.length > this.#sectorCount) throw damaged();
    return sectors;
  }

  #chained(start: number): Buffer {
    const sectors: Buffer[] = [];
    for (let sector = start; sector < LAST_SECTOR; sector = wordAt(this.#table, sector)) {
      if (sectors.length >= this.#sectorCount) throw damaged();
      sectors.push(this.#sector(sector));
    }
    return Buffer.concat(sectors);
  }

  /** Short streams are kept in a special stream, in small sectors. */
  #mini(entry: Entry): Buffer {
    const store = this.#chained(this.#entries[0]?.start ?? NO_ENTRY);
    const table = this.#chained(this.#bytes.readUInt32LE(60));
    const sectors: Buffer[] = [];
    for (let sector = entry.start; sector < LAST_SECTOR; sector = wordAt(table, sector)) {
      const start = sector * MINI_SECTOR_BYTES;
      if (start >= store.length || sectors.length > store.length / MINI_SECTOR_BYTES) throw damaged();
      sectors.push(store.subarray(start, start + MINI_SECTOR_BYTES));
    }
    return Buffer.concat(sectors);
  }
}

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}

function wordAt(table: Buffer, index: number): number {
  if ((index + 1) * 4 > table.length) throw damaged();
  return table.readUInt32LE(index * 4);
}

function readEntries(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
    const entry = directory.subarray(at, at + ENTRY_BYTES);
    const nameBytes = Math.min(Math.max(entry.readUInt16LE(64) - 2, 0), 62);
    entries.push({
      name: entry.toString('utf16le', 0, nameBytes),
      isStream: entry[66] === STREAM,
      left: entry.readUInt32LE(68),
      right: entry.readUInt32LE(72),
      child: entry.readUInt32LE(76),
      start: entry.readUInt32LE(116),
      bytes: entry.readUInt32LE(120),
    });
  }
  return entries;
}

const BEGIN = 0x0809;
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

/** The non-numeric result of a formula: its kind, and an error's code. */
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

  /** Whether a later record has the value. */
  get isText(): boolean {
    return this.#isNoNumber && this.#bytes[0] === FormulaResult.#TEXT;
  }

  get isUnknown(): boolean {
    return this.#isNoNumber && (this.#bytes[0] ?? 0) > FormulaResult.#EMPTY_TEXT;
  }

  get #isNoNumber(): boolean {
    return this.#bytes.readUInt16LE(6) === FormulaResult.#NO_NUMBER;
  }

  /** An unreadable value differs from an absent one: its row is refused. */
  becomeError(): void {
    this.#bytes[0] = FormulaResult.#ERROR;
    this.#bytes[2] = FormulaResult.#UNKNOWN_ERROR;
  }
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
  #withoutText: FormulaResult | null = null;

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
