/* The failed workbook: the rows for a person to correct, and the faulty values that several of them have. */

import { type Fault, type FaultyRow, faultsOf } from '../../domain/rows/result-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { valueTitles } from '../../domain/tables/value-corrections.ts';
import { unmasked } from '../../domain/text/characters.ts';
import { groupedNumber, statusLabel, statusMeaning } from '../words/wording.ts';
import type { CellNote, SheetCell, SheetForm } from '../workbook/sheet.ts';
import type { CellStyle } from '../workbook/styles.ts';
import { type SheetWriter, WorkbookWriter } from '../workbook/workbook.ts';
import { ArchiveTooLarge } from '../workbook/zip.ts';
import type { FileSystem } from './file-system.ts';
import { ReplacementFile } from './replacement-file.ts';
import { isResultColumn } from './result-columns.ts';

/** How many faulty values of a column are kept and listed, the first ones. */
const MOST_VALUES = 500;

/** A faulty cell, as it stands in the workbook. */
interface FaultyCell {
  readonly column: string;
  readonly value: string;
  readonly message: string;
}

/** Counts the faulty values of each column; nothing grows with the rows. */
class RepeatedValues {
  readonly #columns = new Map<string, Map<string, FaultyCell & { rows: number }>>();

  add(cell: FaultyCell): void {
    const ofColumn = this.#columns.get(cell.column) ?? new Map();
    this.#columns.set(cell.column, ofColumn);
    const known = ofColumn.get(cell.value);
    if (known !== undefined) known.rows += 1;
    else if (ofColumn.size < MOST_VALUES) ofColumn.set(cell.value, { ...cell, rows: 1 });
  }

  /** Those of several rows, the most frequent first. */
  list(): readonly (FaultyCell & { readonly rows: number })[] {
    return [...this.#columns.values()]
      .flatMap((ofColumn) => [...ofColumn.values()].filter(({ rows }) => rows > 1))
      .sort((left, right) => right.rows - left.rows);
  }
}

/** The values that a column of the file may have, where they are few. */
export interface ColumnChoices {
  /** The column as the file calls it. */
  readonly title: string;
  readonly values: readonly string[];
  /** Whether other values are refused; otherwise the list only suggests. */
  readonly isClosed: boolean;
}

export interface FailedWorkbookOptions {
  readonly path: string;
  /** The input's header cells. */
  readonly header: readonly string[];
  /** The batch's whole id; null for rows that are in no batch. */
  readonly batch: string | null;
  /** What the sheet is called, cut to what a spreadsheet program takes. */
  readonly sheet: string;
  readonly choices: readonly ColumnChoices[];
  /** Where all rows are, as a sentence: a workbook of them may not have all. */
  readonly allRows: string;
  readonly files: FileSystem;
  /** The most rows that are written; 100,000 when absent. */
  readonly mostRows?: number;
}

/** Beyond this a spreadsheet program takes minutes to open it, and nobody corrects so many rows by hand. */
const MOST_ROWS = 100_000;
const MESSAGE_WIDTH = 58;
const LEAST_WIDTH = 10;
const MOST_WIDTH = 36;
/** Notes are sentences, and nothing stands behind them but the batch. */
const MOST_RESULT_WIDTH = 60;
/** How many rows decide the widths of the columns. */
const MEASURED_ROWS = 200;
/** Each note is a drawing, and spreadsheet programs become slow; the message stands in the first column anyway. */
const MOST_NOTES = 2_000;
const SHEET_CHARACTERS = 31;
const NOTICE_SHEET = 'Not all rows';
const VALUES_SHEET = 'Values';
/** A title of ours, so that an import leaves the sheet out. */
const NOTICE_TITLE = 'result_rows_left_out';
const NOTICE_WIDTH = 100;

const howTo =
  'What is wrong with the row. Correct the coloured cells, save the file and import it as it is: no options are needed. The grey columns tell which row this is; leave them as they are.';

/**
 * The rows that are not done, as a workbook for a person: the message first, every cell text, faulty cells coloured
 * with what is wrong as a note, and lists to choose from. Rows are written as they come; nothing grows with them but
 * the notes, of which there are at most 2,000. It ends at 100,000 rows, and then says so on a sheet of its own. Faulty values
 * of several rows are also listed on a sheet of their own, where one correction mends all of these rows.
 */
export class FailedWorkbook {
  readonly #options: FailedWorkbookOptions;
  readonly #layout: Layout;
  #file: ReplacementFile | null = null;
  #workbook: WorkbookWriter | null = null;
  #sheet: SheetWriter | null = null;
  #waiting: FaultyRow[] = [];
  #rows = 0;
  #notes: CellNote[] = [];
  #given = 0;
  #isTooLarge = false;
  readonly #mostRows: number;
  readonly #values = new RepeatedValues();

  constructor(options: FailedWorkbookOptions) {
    this.#options = options;
    this.#layout = new Layout(options.header, options.batch);
    this.#mostRows = options.mostRows ?? MOST_ROWS;
  }

  /** How many of the rows are not in the workbook: all of them where their cells are larger than any workbook. */
  get leftOut(): number {
    return this.#isTooLarge ? this.#given : Math.max(0, this.#given - this.#mostRows);
  }

  /** @throws OutputError */
  async write(rows: readonly FaultyRow[]): Promise<void> {
    this.#given += rows.length;
    if (this.#isTooLarge) return;
    if (this.#sheet !== null) return this.#guarded(() => this.#writeRows(rows));
    this.#waiting.push(...rows);
    if (this.#waiting.length >= MEASURED_ROWS) await this.#guarded(() => this.#begin());
  }

  /** Brings everything to disk under its temporary name; false when there is nothing to publish. */
  async complete(): Promise<boolean> {
    if (this.#waiting.length > 0) await this.#guarded(() => this.#begin());
    await this.#guarded(async () => {
      await this.#sheet?.close({ dropDowns: this.#dropDowns(), notes: this.#notes });
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
    this.#notes.push({ row: 1, column: 0, text: howTo });
    await this.#writeRows(rows);
  }

  async #writeRows(rows: readonly FaultyRow[]): Promise<void> {
    for (const row of rows) {
      if (this.#rows >= this.#mostRows) return;
      this.#rows += 1;
      const { cells, notes } = this.#layout.row(row, this.#rows + 1);
      for (const fault of this.#layout.faultyCells(row)) this.#values.add(fault);
      if (this.#notes.length + notes.length <= MOST_NOTES) this.#notes.push(...notes);
      await this.#sheet?.write(cells);
    }
  }

  /** One line for each faulty value of several rows: what is written beside it counts for all of them. */
  async #writeValues(): Promise<void> {
    const widths = [MOST_WIDTH, MOST_WIDTH, LEAST_WIDTH, MESSAGE_WIDTH, MOST_WIDTH];
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

  /** On a sheet of its own, the first: a row of the list would be imported. */
  async #writeNotice(): Promise<void> {
    const text = `Only the first ${groupedNumber(this.#rows)} of ${groupedNumber(this.#given)} rows are in this workbook. ${this.#options.allRows}`;
    const notice = await this.#workbook?.open({
      name: NOTICE_SHEET,
      isFirst: true,
      columns: [{ width: NOTICE_WIDTH, style: 'message' }],
    });
    await notice?.write([{ value: NOTICE_TITLE, style: 'header-result' }]);
    await notice?.write([{ value: text, style: 'message' }]);
    await notice?.close({ dropDowns: [], notes: [] });
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

/** What a spreadsheet program takes for the name of a sheet. */
function sheetName(text: string): string {
  const plain = text.replace(/[\p{C}[\]:*?/\\]/gu, '_').replace(/^'|'$/g, '_');
  return Array.from(plain).slice(0, SHEET_CHARACTERS).join('');
}

const endColumns = ['result_row', 'result_status', 'result_id', 'result_notes'] as const;

/** Which column of the sheet is what: the message, the input's own columns, and what tells which row it is. */
class Layout {
  readonly #titles: readonly string[];
  /** Indexes into the row's own cells. */
  readonly #kept: readonly number[];
  readonly #ownWidth: number;
  readonly #batch: string | null;
  readonly #places: ReadonlyMap<string, number>;

  constructor(header: readonly string[], batch: string | null) {
    this.#kept = header.flatMap((title, index) => (isResultColumn(title) ? [] : [index]));
    this.#ownWidth = header.length;
    this.#batch = batch;
    const own = this.#kept.map((index) => header[index] ?? '');
    this.#titles = [
      'result_message',
      ...own.map(guarded),
      ...endColumns,
      ...(batch === null ? [] : ['result_batch']),
    ];
    this.#places = new Map(own.map((title, at) => [title, at + 1]));
  }

  placeOf(title: string): number | undefined {
    return this.#places.get(title);
  }

  form(name: string, rows: readonly FaultyRow[]): SheetForm {
    return {
      name,
      frozenColumns: 1,
      columns: this.#titles.map((title, column) => {
        if (column === 0) return { width: MESSAGE_WIDTH, style: 'message' as const };
        const index = this.#kept[column - 1];
        if (index === undefined) {
          const place = column - 1 - this.#kept.length;
          const values = rows.map((row) => String(this.#ending(row)[place]?.value ?? ''));
          return { width: widthOf([title, ...values], MOST_RESULT_WIDTH), style: 'result' as const };
        }
        return {
          width: widthOf([title, ...rows.map(({ cells }) => cells[index] ?? '')]),
          style: 'text' as const,
        };
      }),
    };
  }

  header(): SheetCell[] {
    const isOwn = (column: number): boolean => column > 0 && column <= this.#kept.length;
    return this.#titles.map((value, column) => ({
      value,
      style: isOwn(column) ? 'header-sometimes' : column === 0 ? 'header-required' : 'header-result',
    }));
  }

  row(row: FaultyRow, number: number): { cells: (SheetCell | null)[]; notes: CellNote[] } {
    const faults = faultsOf(row).map((fault) => this.#inFull(fault, row));
    const isHeld = row.status === 'held';
    const texts = new Map<number, string[]>();
    for (const { column, message } of faults) {
      const place = column === null ? undefined : this.#places.get(column);
      if (place !== undefined) texts.set(place, [...(texts.get(place) ?? []), message]);
    }
    const own = this.#kept.map((index, at): SheetCell | null => {
      const value = guarded(row.cells[index] ?? '');
      if (texts.has(at + 1)) return { value, style: isHeld ? 'fault-held' : 'fault' };
      return value === '' ? null : { value, style: 'text' };
    });
    const beyond = row.cells.slice(this.#ownWidth);
    return {
      cells: [
        { value: messageOf(row, faults), style: isHeld ? 'message-held' : 'message' },
        ...own,
        ...this.#ending(row),
        // A cell too many made its row invalid. Written last, it moves nothing out of place.
        ...beyond.map((value): SheetCell => ({ value, style: 'fault' })),
      ],
      notes: [...texts].map(([column, messages]) => ({ row: number, column, text: messages.join('\n') })),
    };
  }

  /** The faulty cells of a row, each once; empty ones are not faulty for what stands in them. */
  faultyCells(row: FaultyRow): FaultyCell[] {
    const found = new Map<string, FaultyCell>();
    for (const fault of faultsOf(row)) {
      const { column } = fault;
      const index = this.#kept[(column === null ? 0 : (this.#places.get(column) ?? 0)) - 1];
      const value = index === undefined ? '' : guarded(row.cells[index] ?? '');
      if (column === null || value.trim() === '' || found.has(column)) continue;
      found.set(column, { column, value, message: this.#inFull(fault, row).message });
    }
    return [...found.values()];
  }

  #inFull(fault: Fault, { cells }: FaultyRow): Fault {
    const place = fault.column === null ? undefined : this.#places.get(fault.column);
    const index = place === undefined ? undefined : this.#kept[place - 1];
    return index === undefined ? fault : { ...fault, message: unmasked(fault.message, cells[index] ?? '') };
  }

  #ending({ row, status, objectId, notes }: FaultyRow): (SheetCell | null)[] {
    const values = [String(row), statusLabel(status), objectId ?? '', notes.join('; ')];
    if (this.#batch !== null) values.push(this.#batch);
    return values.map((value) => (value === '' ? null : { value, style: 'result' as CellStyle }));
  }
}

/** Text cells are no formulas, whatever they begin with; only what reading would take an apostrophe off gets one more. */
function guarded(text: string): string {
  return unprotectCell(text) === text ? text : `'${text}`;
}

function messageOf({ status }: FaultyRow, faults: readonly Fault[]): string {
  if (faults.length === 0) return `${statusLabel(status)}: ${statusMeaning(status)}`;
  return faults
    .map(({ column, message }) => (column === null ? message : `${column}: ${message}`))
    .join('\n');
}

/** Wide enough for nearly everything that stands in a column, in the unit of spreadsheets: the width of a digit. */
function widthOf(texts: readonly string[], most = MOST_WIDTH): number {
  const longest = Math.max(...texts.map((text) => text.length));
  return Math.min(Math.max(longest + 3, LEAST_WIDTH), most);
}
