/* Turns the tags of web pages into the rows of their tables. */

import { Parser } from 'htmlparser2';
import { cellMarks } from '../../../domain/tables/row-marks.ts';
import { cutFile, damagedFile, type InputLimits } from '../../file/input-error.ts';
import { cellTooLong } from '../../file/xml.ts';
import type { RawRow } from '../../rows/header.ts';
import { assertRow, columnName, type DateSystem, LAST_ROW, RowBuilder } from '../sheet/cell-value.ts';
import { MergedCells, type StreamedSheet } from '../sheet/sheets.ts';
import { pageCellValue, ShownText } from './cell.ts';
import { type ListedSheet, listedSheets, MOST_SHEETS } from './pages.ts';
import { type HtmlAttributes, type PageStyles, pageColour, type Style } from './styles.ts';

interface OpenCell {
  readonly element: string;
  readonly attributes: HtmlAttributes;
  readonly column: number;
  /** The depth of the cell's element in the page. */
  readonly depth: number;
  isStruck: boolean;
}

interface OpenTable {
  readonly sheet: StreamedSheet;
  /** By column from 1: the last row that a cell above reaches into it. */
  readonly reached: number[];
  readonly hidden: Set<number>;
  readonly text: ShownText;
  row: { readonly builder: RowBuilder; readonly style: Style; column: number } | null;
  rowNumber: number;
  columns: number;
  cell: OpenCell | null;
}

/** Deeper nesting than pages with lists have, also where their programs never close a tag. */
const DEPTH = 256;
/** At least one tag has to end within these characters. */
const CHARACTERS_WITHOUT_TAG = 1024 * 1024;
/** As browsers limit what a cell covers. */
const SPANNED_ROWS = 65_534;

/** Elements whose text is not shown. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  ...['script', 'style', 'title', 'template', 'noscript', 'iframe', 'object', 'svg', 'math'],
  ...['textarea', 'select', 'datalist', 'xml'],
]);
/** Elements whose text is struck through. */
const STRUCK: ReadonlySet<string> = new Set(['s', 'strike', 'del']);
const SECTIONS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

/** The colour behind a cell or a row: as its style says, or the attribute of old pages. */
function fillOf({ fill }: Style, { bgcolor }: HtmlAttributes): string {
  return fill ?? (bgcolor === undefined ? '' : pageColour(bgcolor));
}

function span(stated: string | undefined, most: number): number {
  const count = /^\s*([0-9]{1,9})/.exec(stated ?? '')?.[1];
  return count === undefined ? 1 : Math.min(Number(count), most);
}

/**
 * Reads the pages of a file, one after the other, piece by piece: `take` returns the rows of their tables. Nothing is
 * fetched, and no script is run. A table within a table is a sheet of its own.
 */
export class TableReader {
  readonly sheets: StreamedSheet[] = [];
  readonly listed: ListedSheet[] = [];
  readonly #styles: PageStyles;
  readonly #limits: InputLimits;
  readonly #wants: (sheet: StreamedSheet) => boolean;
  #parser: Parser;
  #rows: { sheet: StreamedSheet; row: RawRow }[] = [];
  readonly #tables: OpenTable[] = [];
  #dateSystem: DateSystem = 1900;
  #depth = 0;
  /** The depth of the outermost element that is hidden, or whose text is not shown. */
  #hiddenFrom: number | null = null;
  #silentFrom: number | null = null;
  #css: string | null = null;
  #charactersSinceTag = 0;

  /** @param wants - whether to return a sheet's rows; called for every row */
  constructor(styles: PageStyles, wants: (sheet: StreamedSheet) => boolean, limits: InputLimits) {
    this.#styles = styles;
    this.#wants = wants;
    this.#limits = limits;
    this.#parser = this.#newParser();
  }

  #newParser(): Parser {
    return new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes),
      onclosetag: (name) => this.#close(name),
      ontext: (text) => this.#text(text),
      oncomment: (comment) => this.#comment(comment),
    });
  }

  /** The rows completed since the last call, without empty rows. */
  take(): { sheet: StreamedSheet; row: RawRow }[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  write(text: string): void {
    this.#charactersSinceTag += text.length;
    this.#parser.write(text);
    if (this.#charactersSinceTag > CHARACTERS_WITHOUT_TAG) throw cellTooLong(this.#limits);
  }

  /** Ends a page. @throws InputError when a table has no end */
  endPage(): void {
    if (this.#tables.length > 0) throw cutFile('its last table has no end');
    this.#parser.end();
    this.#parser = this.#newParser();
    this.#depth = 0;
    this.#hiddenFrom = null;
    this.#silentFrom = null;
    this.#css = null;
  }

  #open(name: string, attributes: HtmlAttributes): void {
    this.#charactersSinceTag = 0;
    this.#depth += 1;
    if (this.#depth > DEPTH) throw damagedFile('its elements are nested too deeply');
    if (this.#silentFrom !== null) return;
    if (NOT_SHOWN.has(name)) {
      this.#silentFrom = this.#depth;
      if (name === 'style') this.#css = '';
      return;
    }
    const table = this.#tables.at(-1);
    const style = this.#styles.of(name, attributes);
    const isHidden = style.isHidden ?? attributes.hidden !== undefined;
    if (table !== undefined && this.#openInTable(table, name, attributes, isHidden)) return;
    if (isHidden && this.#hiddenFrom === null) this.#hiddenFrom = this.#depth;
    if (name === 'table') this.#openTable();
    else if (name === 'tr' && table !== undefined)
      this.#openRow(table, { ...style, fill: fillOf(style, attributes) });
    else this.#passInCell(table, name);
    if (table !== undefined) this.#strike(table, name, style);
  }

  /** @returns whether the element was a part of the table that is not hidden as others are */
  #openInTable(table: OpenTable, name: string, attributes: HtmlAttributes, isHidden: boolean): boolean {
    if (name === 'td' || name === 'th') this.#openCell(table, name, attributes, isHidden);
    else if (name === 'col') this.#addColumns(table, attributes, isHidden);
    else if (SECTIONS.has(name)) this.#endSection(table);
    return ['td', 'th', 'col', 'colgroup'].includes(name);
  }

  #openTable(): void {
    if (this.sheets.length >= MOST_SHEETS)
      throw damagedFile('there are more tables in it than can be sheets');
    const sheet: StreamedSheet = {
      index: this.sheets.length,
      isHidden: this.#hiddenFrom !== null,
      hiddenColumns: [],
      merged: new MergedCells(),
    };
    this.sheets.push(sheet);
    const text = new ShownText(this.#limits);
    const nothingYet = { row: null, rowNumber: 0, columns: 0, cell: null };
    this.#tables.push({ sheet, text, reached: [], hidden: new Set(), ...nothingYet });
  }

  #openRow(table: OpenTable, style: Style = {}): void {
    this.#closeRow(table);
    table.rowNumber += 1;
    // A row of a hidden table is not hidden itself.
    const isHidden = this.#hiddenFrom !== null && !table.sheet.isHidden;
    const builder = new RowBuilder(table.rowNumber, isHidden, this.#limits);
    table.row = { builder, style, column: 0 };
  }

  #openCell(table: OpenTable, element: string, attributes: HtmlAttributes, isHidden: boolean): void {
    this.#closeCell(table);
    if (table.row === null) this.#openRow(table);
    const { row, reached, rowNumber, sheet } = table;
    if (row === null) return;
    let column = row.column + 1;
    while ((reached[column] ?? 0) >= rowNumber) column += 1;
    const columns = span(attributes.colspan, this.#limits.columns) || 1;
    const rows = span(attributes.rowspan, SPANNED_ROWS);
    row.column = column + columns - 1;
    if (isHidden) this.#hideColumns(table, column, row.column);
    const lastRow = rows === 0 ? LAST_ROW : rowNumber + rows - 1;
    if (lastRow > rowNumber && column <= this.#limits.columns) {
      for (let at = column; at <= row.column; at += 1) reached[at] = lastRow;
    }
    const isMerged = columns > 1 || lastRow > rowNumber;
    if (isMerged && this.#wants(sheet) && !/mso-ignore\s*:\s*colspan/i.test(attributes.style ?? '')) {
      sheet.merged.add({ firstRow: rowNumber, lastRow, firstColumn: column, lastColumn: row.column });
    }
    table.cell = { element, attributes, column, depth: this.#depth, isStruck: false };
    table.text.start(rowNumber);
  }

  #addColumns(table: OpenTable, attributes: HtmlAttributes, isHidden: boolean): void {
    const first = table.columns + 1;
    table.columns += span(attributes.span, this.#limits.columns) || 1;
    if (isHidden) this.#hideColumns(table, first, table.columns);
  }

  #hideColumns({ hidden, sheet }: OpenTable, first: number, last: number): void {
    for (let column = first; column <= Math.min(last, this.#limits.columns); column += 1) {
      if (!hidden.has(column)) sheet.hiddenColumns.push(columnName(column));
      hidden.add(column);
    }
  }

  /** A cell reaches into rows of its own section only. */
  #endSection(table: OpenTable): void {
    this.#closeRow(table);
    table.reached.length = 0;
  }

  #passInCell(table: OpenTable | undefined, name: string): void {
    if (table === undefined || table.cell === null) return;
    if (name === 'br') table.text.breakLine();
    else table.text.pass(name);
  }

  #strike({ cell }: OpenTable, name: string, style: Style): void {
    if (cell !== null && (STRUCK.has(name) || style.isStruck === true)) cell.isStruck = true;
  }

  #text(piece: string): void {
    if (this.#css !== null) {
      this.#css += piece;
      if (this.#css.length > this.#limits.recordBytes) throw cellTooLong(this.#limits);
    }
    const table = this.#tables.at(-1);
    if (this.#silentFrom !== null || table === undefined || table.cell === null) return;
    // What is hidden within a cell is not shown; a cell in a hidden row is read like others.
    if (this.#hiddenFrom !== null && this.#hiddenFrom > table.cell.depth) return;
    table.text.add(piece);
  }

  #comment(comment: string): void {
    this.#charactersSinceTag = 0;
    if (/<x:Date1904\b/i.test(comment)) this.#dateSystem = 1904;
    if (this.listed.length < MOST_SHEETS) this.listed.push(...listedSheets(comment));
  }

  #close(name: string): void {
    this.#charactersSinceTag = 0;
    const depth = this.#depth;
    this.#depth -= 1;
    if (this.#hiddenFrom === depth) this.#hiddenFrom = null;
    if (this.#silentFrom !== null) {
      if (this.#silentFrom === depth) this.#endSilence();
      return;
    }
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    if (name === 'table') this.#closeTable(table);
    else if (name === 'td' || name === 'th') this.#closeCell(table);
    else if (name === 'tr') this.#closeRow(table);
    else if (SECTIONS.has(name)) this.#endSection(table);
    else if (name !== 'br') this.#passInCell(table, name);
  }

  #endSilence(): void {
    this.#silentFrom = null;
    if (this.#css !== null) this.#styles.addSheet(this.#css);
    this.#css = null;
  }

  #closeTable(table: OpenTable): void {
    this.#closeRow(table);
    this.#tables.pop();
    this.#passInCell(this.#tables.at(-1), 'table');
  }

  #closeCell(table: OpenTable): void {
    const { cell, row, sheet, text } = table;
    table.cell = null;
    if (cell === null || row === null || !this.#wants(sheet)) return;
    const { element, attributes, column } = cell;
    const style = this.#styles.of(element, attributes);
    const value = pageCellValue({ attributes, style, text: text.value }, this.#dateSystem);
    if (value.text.length > this.#limits.cellCharacters) throw cellTooLong(this.#limits, table.rowNumber);
    const isStruck = cell.isStruck || style.isStruck === true || row.style.isStruck === true;
    const fill = fillOf(style, attributes) || row.style.fill;
    row.builder.put(column, value, cellMarks({ isStruck, fill }));
  }

  #closeRow(table: OpenTable): void {
    this.#closeCell(table);
    const row = table.row?.builder.build() ?? null;
    table.row = null;
    if (row === null) return;
    assertRow(row.number);
    this.#rows.push({ sheet: table.sheet, row });
  }
}
