import { damagedFile, type InputLimits, limitExceeded } from '../../file/input-error.ts';
import { cellTooLong, isTrue, readXml, type XmlAttributes, type XmlHandler } from '../../file/xml.ts';
import type { RawRow } from '../../rows/header.ts';
import {
  type CellValue,
  cellNumber,
  columnNames,
  columnNumber,
  type DateSystem,
  EMPTY_CELL,
  isoDateCell,
  LAST_COLUMN,
  LAST_ROW,
  mergedRange,
  numberIn,
  numericCell,
  RowBuilder,
} from '../sheet/cell-value.ts';
import { MergedCells } from '../sheet/sheets.ts';
import type { Styles } from './styles.ts';

/* The parts that cells of an `.xlsx` sheet refer to: shared texts. */

const TEXTS_IN_A_BLOCK = 1024;

/**
 * The texts that cells refer to by number. They are kept in blocks: one long text each, with the offsets of its
 * entries' ends. Millions of small texts would take several times the memory.
 */
export class SharedTexts {
  readonly #blocks: { text: string; ends: Uint32Array }[] = [];
  #open: string[] = [];
  #count = 0;
  #characters = 0;

  get count(): number {
    return this.#count;
  }

  get characters(): number {
    return this.#characters;
  }

  add(text: string): void {
    this.#open.push(text);
    this.#count += 1;
    this.#characters += text.length;
    if (this.#open.length === TEXTS_IN_A_BLOCK) this.#closeBlock();
  }

  #closeBlock(): void {
    let end = 0;
    const ends = Uint32Array.from(this.#open, (text) => {
      end += text.length;
      return end;
    });
    this.#blocks.push({ text: this.#open.join(''), ends });
    this.#open = [];
  }

  /** @throws InputError when the text does not exist */
  get(index: number): string {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) {
      throw damagedFile('a cell refers to a text that is missing');
    }
    const block = this.#blocks[Math.floor(index / TEXTS_IN_A_BLOCK)];
    const place = index % TEXTS_IN_A_BLOCK;
    if (block === undefined) return this.#open[place] ?? '';
    return block.text.slice(place === 0 ? 0 : block.ends[place - 1], block.ends[place]);
  }
}

/**
 * Workbooks write characters that XML cannot hold as `_x000D_`, and a real underscore before such a sequence as
 * `_x005F_`.
 */
function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Reads the part with the shared texts. Runs of rich text are joined; phonetic guides are left out. */
export async function readSharedTexts(
  chunks: AsyncIterable<Buffer>,
  limits: InputLimits,
): Promise<SharedTexts> {
  const texts = new SharedTexts();
  let text = '';
  let isInText = false;
  let isPhonetic = false;
  const handler: XmlHandler = {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isInText = !isPhonetic;
    },
    text(piece) {
      if (!isInText) return;
      text += piece;
      if (text.length > limits.cellCharacters) throw cellTooLong(limits);
    },
    close(name) {
      if (name === 't') isInText = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'si') {
        texts.add(unescapeText(text));
        assertWithin(texts, limits);
      }
    },
  };
  await readXml(chunks, handler, limits);
  return texts;
}

function assertWithin(texts: SharedTexts, limits: InputLimits): void {
  if (texts.characters <= limits.sharedTextCharacters && texts.count <= limits.sharedTexts) return;
  const millions = Math.round(limits.sharedTextCharacters / 1_000_000);
  throw limitExceeded(
    `the texts in the workbook are more than ${limits.sharedTexts} or longer than ${millions} million characters`,
    'save the list as CSV UTF-8, which may be of any length, or split it',
  );
}

/** The parts of the workbook that a sheet's cells refer to. */
export interface SheetContext {
  readonly texts: SharedTexts;
  readonly styles: Styles;
  readonly dateSystem: DateSystem;
  readonly limits: InputLimits;
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  /** The text of `<v>`; null without one. */
  value: string | null;
  /** The text of `<is>`; null without one. It is used only in cells of the type `inlineStr`. */
  inline: string | null;
  hasFormula: boolean;
}

/** Turns a sheet's XML into rows, which `take` returns, and collects what notes need. */
export class SheetReader implements XmlHandler {
  readonly #context: SheetContext;
  readonly hiddenColumns: string[] = [];
  readonly merged = new MergedCells();
  #rows: RawRow[] = [];
  #row: RowBuilder | null = null;
  #cell: OpenCell | null = null;
  #lastRow = 0;
  #lastColumn = 0;
  #isInData = false;
  #isInline = false;
  #isPhonetic = false;
  /** The part of the cell that is being read. */
  #reads: 'value' | 'inline' | null = null;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** The rows completed since the last call, without empty rows. */
  take(): RawRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (!this.#isInData) this.#openAround(name, attributes);
    else if (this.#cell !== null) this.#openInCell(this.#cell, name);
    else if (name === 'c' && this.#row !== null) this.#cell = this.#openCell(this.#row, attributes);
    else if (name === 'row') this.#row = this.#openRow(attributes);
  }

  #openAround(name: string, attributes: XmlAttributes): void {
    if (name === 'sheetData') this.#isInData = true;
    else if (name === 'mergeCell') this.merged.add(mergedRange(attributes.ref ?? ''));
    else if (name === 'col' && isTrue(attributes.hidden)) {
      this.hiddenColumns.push(columnNames(Number(attributes.min), Number(attributes.max)));
    }
  }

  #openInCell(cell: OpenCell, name: string): void {
    if (name === 'v') {
      this.#assertFirst(cell.value);
      cell.value = '';
      this.#reads = 'value';
    } else if (name === 'f') cell.hasFormula = true;
    else if (name === 'is') {
      this.#assertFirst(cell.inline);
      cell.inline = '';
      this.#isInline = true;
    } else if (name === 'rPh') this.#isPhonetic = true;
    else if (name === 't' && this.#isInline) this.#reads = this.#isPhonetic ? null : 'inline';
  }

  /** Two values of one cell would be joined: 10 and 0 to 100. */
  #assertFirst(before: string | null): void {
    if (before !== null) throw damagedFile('a cell has two values', { row: this.#lastRow });
  }

  text(piece: string): void {
    if (this.#reads === null || this.#cell === null) return;
    const text = (this.#cell[this.#reads] ?? '') + piece;
    if (text.length > this.#context.limits.cellCharacters) {
      throw cellTooLong(this.#context.limits, this.#lastRow);
    }
    this.#cell[this.#reads] = text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#reads = null;
    else if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 'is') this.#isInline = false;
    else if (name === 'c' && this.#cell !== null) this.#closeCell(this.#cell);
    else if (name === 'row' && this.#row !== null) this.#closeRow(this.#row);
    else if (name === 'sheetData') this.#isInData = false;
  }

  #openRow(attributes: XmlAttributes): RowBuilder {
    const stated = attributes.r;
    const number = stated === undefined ? this.#lastRow + 1 : Number(stated);
    if (!Number.isInteger(number) || number <= this.#lastRow || number > LAST_ROW) {
      throw damagedFile('its rows are not in order', { row: this.#lastRow });
    }
    this.#lastRow = number;
    this.#lastColumn = 0;
    return new RowBuilder(number, isTrue(attributes.hidden), this.#context.limits);
  }

  #openCell(row: RowBuilder, attributes: XmlAttributes): OpenCell {
    const reference = attributes.r;
    const column = reference === undefined ? this.#lastColumn + 1 : columnNumber(reference);
    const isElsewhere = reference !== undefined && cellNumber(reference) !== row.number;
    if (!(column > this.#lastColumn) || column > LAST_COLUMN || isElsewhere) {
      throw damagedFile('its cells are not in order', { row: row.number });
    }
    this.#lastColumn = column;
    return {
      column,
      type: attributes.t ?? 'n',
      style: Number(attributes.s ?? '0'),
      value: null,
      inline: null,
      hasFormula: false,
    };
  }

  #closeCell(cell: OpenCell): void {
    this.#cell = null;
    this.#reads = null;
    this.#row?.put(cell.column, this.#valueOf(cell), this.#context.styles.marks[cell.style]);
  }

  #closeRow(open: RowBuilder): void {
    this.#row = null;
    const row = open.build();
    if (row !== null) this.#rows.push(row);
  }

  #valueOf(cell: OpenCell): CellValue {
    const { type, hasFormula } = cell;
    const value = type === 'inlineStr' ? (cell.inline ?? cell.value) : cell.value;
    const text = value ?? '';
    if (hasFormula && (value === null || (text === '' && type !== 'str'))) {
      return { text: '', kind: 'formula_without_value' };
    }
    if (type === 'inlineStr' || type === 'str') return { text: unescapeText(text), kind: null };
    if (text === '') return EMPTY_CELL;
    if (type === 's') return { text: this.#context.texts.get(index(text)), kind: null };
    if (type === 'n') return this.#numericValue(text, cell.style);
    if (type === 'b') return { text: isTrue(text) ? 'TRUE' : 'FALSE', kind: 'boolean' };
    if (type === 'e') return { text, kind: 'error' };
    if (type === 'd') return isoDateCell(text);
    throw damagedFile('it has a cell of an unknown type', { row: this.#lastRow });
  }

  #numericValue(text: string, style: number): CellValue {
    const format = this.#context.styles.formats[style];
    if (format === undefined) throw damagedFile('a cell has a style that is missing', { row: this.#lastRow });
    return numericCell(numberIn(text, this.#lastRow), format, this.#context.dateSystem);
  }
}

function index(text: string): number {
  return /^\s*[0-9]+\s*$/.test(text) ? Number(text) : Number.NaN;
}
