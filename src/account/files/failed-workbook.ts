/* The failed workbook: the rows that a person corrects, and the faulty values that several of these rows share. */

import type { FileSystem } from '../../disk/file-system.ts';
import { isForPerson } from '../../domain/batches/open-rows.ts';
import { groupedNumber } from '../../domain/money/money.ts';
import type { FaultyRow } from '../../domain/rows/result-row.ts';
import { valueTitles } from '../../domain/tables/values-sheet.ts';
import type { CellNote, SheetCell } from '../workbook/sheet.ts';
import { type SheetWriter, WorkbookWriter } from '../workbook/workbook.ts';
import { ArchiveTooLarge } from '../workbook/zip-writer.ts';
import {
  type ColumnChoices,
  FailedLayout,
  type FaultyCell,
  leastWidth,
  messageWidth,
  mostWidth,
} from './failed-layout.ts';
import { ReplacementFile, RowSpool } from './replacement-file.ts';

/** The maximum number of faulty values of a column that are kept and listed. The first values are kept. */
const MOST_VALUES = 500;

/** Counts the faulty values of each column; memory does not grow with the rows. */
class RepeatedValues {
  readonly #columns = new Map<string, Map<string, FaultyCell & { rows: number }>>();

  add(cell: FaultyCell): void {
    const ofColumn = this.#columns.get(cell.column) ?? new Map();
    this.#columns.set(cell.column, ofColumn);
    const known = ofColumn.get(cell.value);
    if (known !== undefined) known.rows += 1;
    else if (ofColumn.size < MOST_VALUES) ofColumn.set(cell.value, { ...cell, rows: 1 });
  }

  /** The values that several rows share, the most frequent first. */
  list(): readonly (FaultyCell & { readonly rows: number })[] {
    return [...this.#columns.values()]
      .flatMap((ofColumn) => [...ofColumn.values()].filter(({ rows }) => rows > 1))
      .sort((left, right) => right.rows - left.rows);
  }
}

export interface FailedWorkbookOptions {
  readonly path: string;
  /** The input's header cells. */
  readonly header: readonly string[];
  /** The batch's whole id; null for rows without a batch. */
  readonly batch: string | null;
  /** The sheet's name, cut to what a spreadsheet program accepts. */
  readonly sheet: string;
  readonly choices: readonly ColumnChoices[];
  /** A sentence that says where all rows are, because a workbook may not have all of them. */
  readonly allRows: string;
  readonly files: FileSystem;
  /** The maximum number of rows that are written; 100,000 if absent. */
  readonly mostRows?: number;
}

/**
 * With more rows, a spreadsheet program takes minutes to open the workbook, and no person corrects that many rows by
 * hand.
 */
const MOST_ROWS = 100_000;

/** Number of rows that determine the widths of the columns. */
const MEASURED_ROWS = 200;

/**
 * Each note is a drawing, and many drawings make spreadsheet programs slow. The first column has the message anyway.
 */
const MOST_NOTES = 2_000;

const SHEET_CHARACTERS = 31;

const NOTICE_SHEET = 'Not all rows';

const VALUES_SHEET = 'Values';

/** A title that paybatch reserves for itself, so that an import leaves the sheet out. */
const NOTICE_TITLE = 'result_rows_left_out';

const NOTICE_WIDTH = 100;

const howTo =
  'What is wrong with the row. Correct the coloured cells, save the file and import it as it is: no options are needed. The grey columns tell which row this is; leave them as they are.';

const howToTellOthers =
  'Rows with nothing to correct come last, with grey text in this column: a later run sends them, or they are done otherwise.';

/** If two rows contradict each other, the first one counts. So the later row is not moved before other rows. */
const codesOfLaterRows: readonly (string | null)[] = ['conflicting_duplicate', 'corrected_twice'];

/**
 * The rows that are not done, as a workbook for a person. The message comes first, and every cell is text. Faulty cells
 * are coloured, have a note that says what is wrong, and may have a list to choose from. The rows that need a person
 * come first; meanwhile the rows with nothing to correct wait in a temporary file. Memory grows with the rows only by
 * the notes, at most 2,000. The workbook ends at 100,000 rows, and a separate sheet then says so. Another sheet lists
 * faulty values that several rows share: one correction there applies to all of these rows.
 */
export class FailedWorkbook {
  readonly #options: FailedWorkbookOptions;
  readonly #layout: FailedLayout;
  #file: ReplacementFile | null = null;
  #workbook: WorkbookWriter | null = null;
  #sheet: SheetWriter | null = null;
  #waiting: FaultyRow[] = [];
  #rows = 0;
  #notes: CellNote[] = [];
  #received = 0;
  #isTooLarge = false;
  readonly #mostRows: number;
  readonly #values = new RepeatedValues();
  readonly #others: RowSpool<FaultyRow>;

  constructor(options: FailedWorkbookOptions) {
    this.#options = options;
    this.#others = new RowSpool(options.path, options.files);
    this.#layout = new FailedLayout(options.header, options.batch);
    this.#mostRows = options.mostRows ?? MOST_ROWS;
  }

  /** Number of rows that are not in the workbook. It counts all rows if their cells are too large for a workbook. */
  get leftOut(): number {
    return this.#isTooLarge ? this.#received : Math.max(0, this.#received - this.#mostRows);
  }

  /** @throws OutputError */
  async write(rows: readonly FaultyRow[]): Promise<void> {
    this.#received += rows.length;
    const first: FaultyRow[] = [];
    const others: FaultyRow[] = [];
    for (const row of rows) {
      const count = this.#others.count + others.length;
      const isLater = !isForPerson(row) || (count > 0 && codesOfLaterRows.includes(row.code));
      if (!isLater) first.push(row);
      else if (count < this.#mostRows && !this.#isTooLarge) others.push(keptOf(row));
    }
    await this.#others.add(others);
    await this.#append(first);
  }

  async #append(rows: readonly FaultyRow[]): Promise<void> {
    if (this.#isTooLarge || rows.length === 0) return;
    if (this.#sheet !== null) return this.#guarded(() => this.#writeRows(rows));
    this.#waiting.push(...rows);
    if (this.#waiting.length >= MEASURED_ROWS) await this.#guarded(() => this.#begin());
  }

  /** Writes everything to disk under its temporary name; false when there is nothing to publish. */
  async complete(): Promise<boolean> {
    for await (const rows of this.#others.rows()) {
      const room = this.#mostRows - this.#rows - this.#waiting.length;
      const last = rows.slice(0, room);
      // The same rows determine the widths, however the rows are grouped.
      const measured = this.#sheet === null ? MEASURED_ROWS - this.#waiting.length : 0;
      await this.#append(last.slice(0, measured));
      await this.#append(last.slice(measured));
      if (rows.length >= room) break;
    }
    await this.#others.discard();
    if (this.#waiting.length > 0) await this.#guarded(() => this.#begin());
    await this.#guarded(async () => {
      await this.#sheet?.close({ dropDowns: this.#dropDowns(), notes: [this.#howTo(), ...this.#notes] });
      if (this.#values.list().length > 0) await this.#writeValues();
      if (this.leftOut > 0) await this.#writeNotice();
      await this.#workbook?.finish();
      await this.#file?.complete();
    });
    return this.#file !== null;
  }

  async publish(): Promise<void> {
    await this.#file?.publish();
  }

  async discard(): Promise<void> {
    await this.#others.discard();
    await this.#file?.discard();
    this.#file = null;
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ArchiveTooLarge)) throw error;
      this.#isTooLarge = true;
      this.#sheet = null;
      this.#workbook = null;
      this.#waiting = [];
      await this.discard();
    }
  }

  async #begin(): Promise<void> {
    const { path, sheet, files } = this.#options;
    const rows = this.#waiting;
    this.#waiting = [];
    const file = await ReplacementFile.create(path, files);
    this.#file = file;
    this.#workbook = new WorkbookWriter((bytes) => file.write(bytes));
    this.#sheet = await this.#workbook.open(this.#layout.form(sheetName(sheet), rows));
    await this.#sheet.write(this.#layout.header());
    await this.#writeRows(rows);
  }

  async #writeRows(rows: readonly FaultyRow[]): Promise<void> {
    const sheet = this.#sheet;
    for (const row of rows) {
      if (this.#rows >= this.#mostRows) return;
      this.#rows += 1;
      const { cells, notes } = this.#layout.row(row, this.#rows + 1);
      for (const fault of this.#layout.faultyCells(row)) this.#values.add(fault);
      if (this.#notes.length + notes.length < MOST_NOTES) this.#notes.push(...notes);
      const writing = sheet?.write(cells);
      if (writing !== null) await writing;
    }
  }

  /**
   * Writes one line for each faulty value that several rows share. A correction beside the value applies to all of
   * them.
   */
  async #writeValues(): Promise<void> {
    const widths = [mostWidth, mostWidth, leastWidth, messageWidth, mostWidth];
    const columns = widths.map((width, at) => ({
      width,
      style: at === 3 ? ('message' as const) : ('text' as const),
    }));
    const sheet = await this.#workbook?.open({ name: VALUES_SHEET, columns });
    const last = valueTitles.length - 1;
    await sheet?.write(
      valueTitles.map((value, at) => ({ value, style: at === last ? 'header-required' : 'header-result' })),
    );
    for (const { column, value, rows, message } of this.#values.list()) {
      const known = [column, value, String(rows)].map(
        (text): SheetCell => ({ value: text, style: 'result' }),
      );
      await sheet?.write([...known, { value: message, style: 'message' }, null]);
    }
    await sheet?.close({ dropDowns: [], notes: [{ row: 1, column: last, text: howToCorrectValues }] });
  }

  /** Writes the notice on a separate sheet, which comes first. As a row of the list, the notice would be imported. */
  async #writeNotice(): Promise<void> {
    const text = `Only the first ${groupedNumber(this.#rows)} of ${groupedNumber(this.#received)} rows are in this workbook. ${this.#options.allRows}`;
    const notice = await this.#workbook?.open({
      name: NOTICE_SHEET,
      isFirst: true,
      columns: [{ width: NOTICE_WIDTH, style: 'message' }],
    });
    await notice?.write([{ value: NOTICE_TITLE, style: 'header-result' }]);
    await notice?.write([{ value: text, style: 'message' }]);
    await notice?.close({ dropDowns: [], notes: [] });
  }

  #howTo(): CellNote {
    const text = this.#others.count === 0 ? howTo : `${howTo} ${howToTellOthers}`;
    return { row: 1, column: 0, text };
  }

  #dropDowns(): { column: number; values: readonly string[]; isClosed: boolean }[] {
    return this.#options.choices.flatMap(({ title, values, isClosed }) => {
      const column = this.#layout.placeOf(title);
      return column === undefined || values.length === 0 ? [] : [{ column, values, isClosed }];
    });
  }
}

const howToCorrectValues =
  'What is written here takes the place of the value in every row that has it. Leave it empty where the rows are corrected one by one.';

/** A name that a spreadsheet program accepts for a sheet. */
function sheetName(text: string): string {
  const plain = text.replace(/[\p{C}[\]:*?/\\]/gu, '_').replace(/^'|'$/g, '_');
  return Array.from(plain).slice(0, SHEET_CHARACTERS).join('');
}

/** The parts of a row that the workbook needs. */
function keptOf(faulty: FaultyRow): FaultyRow {
  const { row, cells, status, objectId, code, field, message, notes, findings } = faulty;
  const kept = { row, cells, status, objectId, code, field, message, notes };
  return findings === undefined ? kept : { ...kept, findings };
}
