/* Opens an `.ods` workbook, and turns the XML of its content into the rows of its sheets. */

import { Archive } from '../../file/archive.ts';
import { damagedFile, type InputLimits, limitExceeded } from '../../file/input-error.ts';
import { assertUnchanged, type ByteSource, contentHashOf } from '../../file/source.ts';
import { type XmlAttributes, type XmlHandler, XmlReader } from '../../file/xml.ts';
import type { RawRow } from '../../rows/header.ts';
import type { InputFile, InputOptions, MergedRange } from '../../rows/input-table.ts';
import { assertRow, columnNames, LAST_COLUMN, RowBuilder } from '../sheet/cell-value.ts';
import {
  listSheets,
  MergedCells,
  openSheets,
  type ReadSheets,
  type StreamedSheet,
  streamedTable,
} from '../sheet/sheets.ts';
import { CellText, odsCellValue } from './cell.ts';
import { OdsStyles, readCommonStyles } from './styles.ts';

/** A sheet as read from the content. */
interface OdsSheet extends StreamedSheet {
  readonly name: string;
}

/** A row, and how many times it is repeated. */
interface RepeatedRow {
  readonly sheet: OdsSheet;
  readonly row: RawRow;
  readonly times: number;
}

interface OpenRow {
  readonly builder: RowBuilder;
  readonly times: number;
  readonly defaultStyle: string | undefined;
  column: number;
  /** The number of cells with a value in this one row, repetitions included. */
  values: number;
}

interface OpenCell {
  readonly attributes: XmlAttributes;
  readonly column: number;
  readonly times: number;
}

const SHEETS = 1000;
const NAMESPACES = ['office', 'table'];
/** Sheets with such names cache the content of other files. */
const CACHE_OF_ANOTHER_FILE = /^'.*'#\$/;
/** Elements around a sheet's rows and columns that carry no information. */
const GROUPS: ReadonlySet<string> = new Set(
  ['table-row', 'table-column'].flatMap((name) => [
    `${name}s`,
    `${name}-group`,
    `table-header${name.slice(5)}s`,
  ]),
);

function repetitions(attributes: XmlAttributes, name: string): number {
  const stated = attributes[name];
  if (stated === undefined) return 1;
  if (!/^[1-9][0-9]{0,8}$/.test(stated)) throw damagedFile('a row or cell is repeated no number of times');
  return Number(stated);
}

function isHidden(attributes: XmlAttributes): boolean {
  const visibility = attributes['table:visibility'];
  return visibility === 'collapse' || visibility === 'filter';
}

function assertOpenDocument(attributes: XmlAttributes): void {
  for (const name of NAMESPACES) {
    if (attributes[`xmlns:${name}`] !== `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`) {
      throw damagedFile('its content is not that of a spreadsheet');
    }
  }
}

/**
 * Turns the content's XML into rows, which `take` returns, and lists the sheets. Repeated rows are returned once,
 * with their count, so that a short file cannot fill the memory.
 */
class ContentReader implements XmlHandler {
  readonly sheets: OdsSheet[] = [];
  readonly #styles: OdsStyles;
  readonly #limits: InputLimits;
  readonly #wants: (sheet: OdsSheet) => boolean;
  #rows: RepeatedRow[] = [];
  #isStarted = false;
  #isInSpreadsheet = false;
  /** The depth inside an element that is left out. */
  #skipped = 0;
  #sheet: OdsSheet | null = null;
  #columnStyles: (string | undefined)[] = [];
  #lastColumn = 0;
  #lastRow = 0;
  #row: OpenRow | null = null;
  #cell: OpenCell | null = null;
  readonly #text: CellText;
  #repeatedCells = 0;

  /** @param wants - whether to return a sheet's rows; called for every row */
  constructor(styles: OdsStyles, wants: (sheet: OdsSheet) => boolean, limits: InputLimits) {
    this.#styles = styles;
    this.#wants = wants;
    this.#limits = limits;
    this.#text = new CellText(limits);
  }

  /** The rows completed since the last call, without empty rows. */
  take(): RepeatedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0) this.#skipped += 1;
    else if (this.#cell !== null) {
      if (!this.#text.open(name, attributes)) this.#skipped = 1;
    } else if (this.#row !== null) this.#openInRow(this.#row, name, attributes);
    else if (this.#sheet !== null) this.#openInSheet(this.#sheet, name, attributes);
    else if (this.#isInSpreadsheet) this.#openInSpreadsheet(name, attributes);
    else this.#openBefore(name, attributes);
  }

  #openBefore(name: string, attributes: XmlAttributes): void {
    if (!this.#isStarted) assertOpenDocument(attributes);
    this.#isStarted = true;
    if (name === 'spreadsheet') this.#isInSpreadsheet = true;
    else this.#styles.open(name, attributes);
  }

  #openInSpreadsheet(name: string, attributes: XmlAttributes): void {
    const sheet = attributes['table:name'] ?? '';
    if (name !== 'table' || CACHE_OF_ANOTHER_FILE.test(sheet)) {
      this.#skipped = 1;
      return;
    }
    if (this.sheets.length >= SHEETS) throw damagedFile('its list of sheets is wrong');
    this.#sheet = {
      index: this.sheets.length,
      name: sheet,
      isHidden: this.#styles.isHiddenTable(attributes['table:style-name']),
      hiddenColumns: [],
      merged: new MergedCells(),
    };
    this.sheets.push(this.#sheet);
    this.#columnStyles = [];
    this.#lastColumn = 0;
    this.#lastRow = 0;
  }

  #openInSheet(sheet: OdsSheet, name: string, attributes: XmlAttributes): void {
    if (name === 'table-row') this.#openRow(attributes);
    else if (name === 'table-column') this.#addColumns(sheet, attributes);
    else if (!GROUPS.has(name)) this.#skipped = 1;
  }

  #addColumns(sheet: OdsSheet, attributes: XmlAttributes): void {
    const first = this.#lastColumn + 1;
    this.#lastColumn += repetitions(attributes, 'table:number-columns-repeated');
    const style = attributes['table:default-cell-style-name'];
    const last = Math.min(this.#lastColumn, this.#limits.columns);
    while (this.#columnStyles.length < last) this.#columnStyles.push(style);
    if (!isHidden(attributes) || first > LAST_COLUMN) return;
    sheet.hiddenColumns.push(columnNames(first, Math.min(this.#lastColumn, LAST_COLUMN)));
  }

  #openRow(attributes: XmlAttributes): void {
    const times = repetitions(attributes, 'table:number-rows-repeated');
    const first = this.#lastRow + 1;
    this.#lastRow += times;
    this.#row = {
      builder: new RowBuilder(first, isHidden(attributes), this.#limits),
      times,
      defaultStyle: attributes['table:default-cell-style-name'],
      column: 0,
      values: 0,
    };
  }

  #openInRow(row: OpenRow, name: string, attributes: XmlAttributes): void {
    if (name !== 'table-cell' && name !== 'covered-table-cell') {
      this.#skipped = 1;
      return;
    }
    const times = repetitions(attributes, 'table:number-columns-repeated');
    this.#cell = { attributes, column: row.column + 1, times };
    row.column += times;
    this.#text.start(row.builder.number);
  }

  text(piece: string): void {
    if (this.#skipped > 0) return;
    if (this.#cell !== null) this.#text.add(piece);
    else if (!this.#isInSpreadsheet) this.#styles.text(piece);
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (this.#cell !== null) {
      if (name === 'table-cell' || name === 'covered-table-cell') this.#closeCell(this.#cell);
      else this.#text.close(name);
    } else if (this.#row !== null) this.#closeRow(this.#row);
    else if (this.#sheet !== null) {
      if (name === 'table') this.#sheet = null;
    } else if (!this.#isInSpreadsheet) this.#styles.close(name);
  }

  #closeCell({ attributes, column, times }: OpenCell): void {
    this.#cell = null;
    const [row, sheet] = [this.#row, this.#sheet];
    if (row === null || sheet === null || !this.#wants(sheet)) return;
    const range = mergedRange(attributes, row.builder.number, column);
    if (range !== null) sheet.merged.add(range);
    const style = attributes['table:style-name'] ?? row.defaultStyle ?? this.#columnStyles[column - 1];
    const value = odsCellValue({ attributes, text: this.#text.value, row: row.builder.number }, () =>
      this.#styles.formatOf(style),
    );
    if (value.text === '' && value.kind === null) return;
    row.values += times;
    const marks = this.#styles.marksOf(style);
    // `put` throws beyond the last allowed column, which bounds the loop.
    for (let at = column; at < column + times; at += 1) row.builder.put(at, value, marks);
    this.#countRepeated(times - 1);
  }

  #closeRow({ builder, times, values }: OpenRow): void {
    this.#row = null;
    const row = builder.build();
    if (row === null || this.#sheet === null) return;
    assertRow(this.#lastRow);
    this.#countRepeated(values * (times - 1));
    this.#rows.push({ sheet: this.#sheet, row, times });
  }

  #countRepeated(cells: number): void {
    this.#repeatedCells += cells;
    if (this.#repeatedCells <= this.#limits.repeatedCells) return;
    throw limitExceeded(
      `more than ${this.#limits.repeatedCells} of its cells are repetitions of others`,
      'remove the rows and columns that do not belong to the list, or save it as CSV UTF-8',
    );
  }
}

/** A cell that covers others on its right and below it; null for any other. */
function mergedRange(attributes: XmlAttributes, firstRow: number, firstColumn: number): MergedRange | null {
  const [columns = 1, rows = 1] = ['columns', 'rows'].map(
    (which) => Number(attributes[`table:number-${which}-spanned`] ?? '1') || 1,
  );
  if (columns === 1 && rows === 1) return null;
  return { firstRow, lastRow: firstRow + rows - 1, firstColumn, lastColumn: firstColumn + columns - 1 };
}

const CONTENT = 'content.xml';
const STYLES = 'styles.xml';

/**
 * Opens an `.ods` workbook. All of its sheets are in one part, which is read once to its end here, and again for the
 * rows of each sheet.
 *
 * @throws InputError when it is damaged, beyond a limit, or is empty
 */
export async function openOds(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<Pick<InputFile, 'tables' | 'contentHash'>> {
  const contentHash = await contentHashOf(source);
  // All of the content is read, since its checksum is checked at its end.
  const read: ReadSheets<OdsSheet> = async function* (wants, share) {
    const archive = await Archive.open(source.file, limits);
    try {
      const styles = new OdsStyles();
      if (archive.has(STYLES)) await readCommonStyles(archive.read(STYLES), styles, limits);
      const reader = new ContentReader(styles, wants, limits);
      share?.begin(archive.sizeOf(CONTENT));
      const xml = new XmlReader(reader, limits);
      for await (const chunk of archive.read(CONTENT)) {
        xml.write(chunk);
        yield { rows: reader.take(), sheets: reader.sheets };
        share?.pass(chunk.length);
      }
      xml.end();
      if (reader.sheets.length === 0) throw damagedFile('there is no sheet in it');
      yield { rows: reader.take(), sheets: reader.sheets };
    } finally {
      archive.close();
    }
    if (share !== undefined) assertUnchanged(contentHash, await contentHashOf(source));
  };
  const sheets = await listSheets(read, options.isHeader, limits);
  const open = async (sheet: (typeof sheets)[number]) => streamedTable(read, sheet, limits);
  return { tables: await openSheets(sheets, options.sheet, open), contentHash };
}
