import { damagedFile } from '../../file/input-error.ts';
import type { InputLimits } from '../../file/limits.ts';
import { cellTooLong, isTrue, type XmlAttributes, type XmlHandler } from '../../file/xml.ts';
import type { RawRow } from '../../table/header.ts';
import {
  type CellValue,
  cellNumber,
  columnName,
  columnNumber,
  type DateSystem,
  EMPTY_CELL,
  isoDateCell,
  LAST_COLUMN,
  LAST_ROW,
  mergedRange,
  numericCell,
} from '../sheet/cell-value.ts';
import { RowBuilder } from '../sheet/row-builder.ts';
import { MergedCells } from '../sheet/sheet-notes.ts';
import { type SharedTexts, type Styles, unescapeText } from './shared-texts.ts';

/** What a sheet's cells refer to elsewhere in the workbook. */
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
  /** What stands in `<v>`; null without one. */
  value: string | null;
  /** What stands in `<is>`; null without one. It counts in cells of the type `inlineStr` only. */
  inline: string | null;
  hasFormula: boolean;
}

/** Turns a sheet's XML into rows, which `take` hands out, and notes what it sees on the way. */
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
  /** Which of the cell's texts is being read. */
  #reads: 'value' | 'inline' | null = null;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** The rows that are complete since the last call; rows without any value are left out. */
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
      const [first, last] = [Number(attributes.min), Number(attributes.max)];
      this.hiddenColumns.push(
        first === last ? columnName(first) : `${columnName(first)} to ${columnName(last)}`,
      );
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

  /** Two values of one cell would be joined, 10 and 0 to 100. */
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
    this.#row?.put(cell.column, this.#valueOf(cell));
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
    const format = this.#context.styles[style];
    const value = Number(text);
    if (format === undefined) throw damagedFile('a cell has a style that is missing', { row: this.#lastRow });
    if (!/^\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*$/.test(text) || !Number.isFinite(value)) {
      throw damagedFile('a numeric cell does not hold a number', { row: this.#lastRow });
    }
    return numericCell(value, format, this.#context.dateSystem);
  }
}

function index(text: string): number {
  return /^\s*[0-9]+\s*$/.test(text) ? Number(text) : Number.NaN;
}
