/*
 * The layout of a row in the failed workbook: its message, its own cells, and the columns that identify it. Also the
 * values from which a person may choose in a column.
 */

import { isForPerson } from '../../domain/batches/open-rows.ts';
import { unmasked } from '../../domain/rows/finding.ts';
import { type Fault, type FaultyRow, faultsOf, type ResultRow } from '../../domain/rows/result-row.ts';
import { plainText } from '../../domain/settings/message.ts';
import type { MappedColumn, TableMapping } from '../../domain/tables/mapping.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { templateOf } from '../../kinds/template.ts';
import { statusLabel, statusMeaning, untouchedText } from '../words/wording.ts';
import type { CellNote, CellStyle, SheetCell, SheetForm } from '../workbook/sheet.ts';

/* The `result_` columns, and their positions after a row's own columns. */

/** The columns that follow a row's own columns in result files, in this order. */
export const resultColumns = [
  'result_row',
  'result_status',
  'result_id',
  'result_code',
  'result_field',
  'result_message',
  'result_http_status',
  'result_attempts',
  'result_idempotency_key',
  'result_batch',
  'result_at',
  'result_notes',
] as const;

type ResultColumn = (typeof resultColumns)[number];

const cellOf: Readonly<Record<ResultColumn, (row: ResultRow, batch: string) => string>> = {
  result_row: ({ row }) => String(row),
  result_status: ({ status }) => status,
  result_id: ({ objectId }) => objectId ?? '',
  result_code: ({ code }) => code ?? '',
  result_field: ({ field }) => field ?? '',
  result_message: ({ message }) => message ?? '',
  result_http_status: ({ httpStatus }) => (httpStatus === null ? '' : String(httpStatus)),
  result_attempts: ({ attempts }) => String(attempts),
  result_idempotency_key: ({ idempotencyKey }) => idempotencyKey ?? '',
  result_batch: (_, batch) => batch,
  result_at: ({ changedAt }) => (isoUtc.test(changedAt) ? changedAt : new Date(changedAt).toISOString()),
  result_notes: ({ notes, status }) => {
    const untouched = untouchedText(status);
    if (notes.length === 0) return untouched ?? '';
    return [...notes, ...(untouched === null ? [] : [untouched])].join('; ');
  },
};
/** The ledger's format of times. Parsing and formatting such a time gives the same text at ten times the cost. */
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether a title is one of the columns that result files add. */
export function isResultColumn(title: string): boolean {
  return (resultColumns as readonly string[]).includes(title.trim().toLowerCase());
}

/** The layout of one input's rows in its result files. */
export interface ResultLayout {
  readonly header: readonly string[];
  record(row: ResultRow): readonly string[];
}

/**
 * The input's own columns come first, then the result columns. If a failed file is imported again, its result columns
 * are replaced. Any other column stays, even one called `result_...`.
 *
 * @param header the input's header cells, in the order of its rows' cells
 */
export function resultLayout(header: readonly string[], batch: string): ResultLayout {
  return layoutWith(resultColumns, header, batch);
}

/** The same layout, with only those result columns that name the row which a row corrects. */
export function originLayout(header: readonly string[], batch: string): ResultLayout {
  return layoutWith(['result_row', 'result_batch'], header, batch);
}

function layoutWith(
  columns: readonly ResultColumn[],
  header: readonly string[],
  batch: string,
): ResultLayout {
  const kept = header.flatMap((title, index) => (isResultColumn(title) ? [] : [index]));
  const cells = columns.map((column) => cellOf[column]);
  return {
    header: [...kept.map((index) => header[index] ?? ''), ...columns],
    record: (row) => [
      ...kept.map((index) => row.cells[index] ?? ''),
      ...cells.map((cell) => cell(row, batch)),
      // A surplus cell made its row invalid. After the result columns it does not shift other cells, and the row is
      // refused again until a person has corrected it.
      ...row.cells.slice(header.length),
    ],
  };
}

export const messageWidth = 58;
export const leastWidth = 10;
export const mostWidth = 36;
/** The maximum width of the result columns. Notes are sentences, and only the batch column follows them. */
const mostResultWidth = 60;

/** A faulty cell of the workbook. */
export interface FaultyCell {
  readonly column: string;
  readonly value: string;
  readonly message: string;
}

const endColumns = ['result_row', 'result_status', 'result_id', 'result_notes'] as const;

/** The columns of the sheet: the message, the input's own columns, and those that identify the row. */
export class FailedLayout {
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
        if (column === 0) return { width: messageWidth, style: 'message' as const };
        const index = this.#kept[column - 1];
        if (index === undefined) {
          const place = column - 1 - this.#kept.length;
          const values = rows.map((row) => String(this.#ending(row)[place]?.value ?? ''));
          return { width: widthOf([title, ...values], mostResultWidth), style: 'result' as const };
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
    const faults = faultsOf(row).map((fault) => ({ ...fault, message: this.#inFull(fault, row) }));
    const isHeld = row.status === 'held';
    const isTheirs = isForPerson(row);
    const style = isTheirs ? (isHeld ? 'message-held' : 'message') : 'result';
    const texts = new Map<number, string[]>();
    for (const { column, message } of isTheirs ? faults : []) {
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
        { value: messageOf(row, faults), style },
        ...own,
        ...this.#ending(row),
        // A surplus cell made its row invalid. It is written last, so that it does not shift other cells.
        ...beyond.map((value): SheetCell => ({ value, style: 'fault' })),
      ],
      notes: [...texts].map(([column, messages]) => ({ row: number, column, text: messages.join('\n') })),
    };
  }

  /** The faulty cells of a row, each once. Empty cells are left out, because they have no faulty content. */
  faultyCells(row: FaultyRow): FaultyCell[] {
    const found = new Map<string, FaultyCell>();
    for (const fault of isForPerson(row) ? faultsOf(row) : []) {
      const { column } = fault;
      const index = this.#kept[(column === null ? 0 : (this.#places.get(column) ?? 0)) - 1];
      const value = index === undefined ? '' : guarded(row.cells[index] ?? '');
      if (column === null || value.trim() === '' || found.has(column)) continue;
      found.set(column, { column, value, message: this.#inFull(fault, row) });
    }
    return [...found.values()];
  }

  /** The message of a fault, with the whole value. */
  #inFull(fault: Fault, { cells }: FaultyRow): string {
    const place = fault.column === null ? undefined : this.#places.get(fault.column);
    const index = place === undefined ? undefined : this.#kept[place - 1];
    return plainText(index === undefined ? fault.message : unmasked(fault.message, cells[index] ?? ''));
  }

  #ending({ row, status, objectId, notes }: FaultyRow): (SheetCell | null)[] {
    const values = [String(row), statusLabel(status), objectId ?? '', notes.join('; ')];
    if (this.#batch !== null) values.push(this.#batch);
    return values.map((value) => (value === '' ? null : { value, style: 'result' as CellStyle }));
  }
}

/**
 * Spreadsheet programs never read a text cell as a formula, whatever its first character is. Only a text that would
 * lose its apostrophe when it is read gets a second one.
 */
function guarded(text: string): string {
  return unprotectCell(text) === text ? text : `'${text}`;
}

function messageOf(
  { status }: FaultyRow,
  faults: readonly { readonly column: string | null; readonly message: string }[],
): string {
  const untouched = untouchedText(status);
  const texts = faults.map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
  if (untouched !== null) return [untouched, ...texts].join('\n');
  return texts.length === 0 ? `${statusLabel(status)}: ${statusMeaning(status)}` : texts.join('\n');
}

/** A width for nearly every text of a column, in the unit of spreadsheets: the width of a digit. */
function widthOf(texts: readonly string[], most = mostWidth): number {
  const longest = Math.max(...texts.map((text) => text.length));
  return Math.min(Math.max(longest + 3, leastWidth), most);
}

/* The values from which a person may choose, by the titles of the file's columns. */

/** The possible values of a column of the file that has few values. */
export interface ColumnChoices {
  /** The column's title in the file. */
  readonly title: string;
  readonly values: readonly string[];
  /** Whether other values are refused. If not, the list only suggests values. */
  readonly isClosed: boolean;
}

/** @param institutions the names that rows may have; empty if there are too many names for a list, or none */
export function choicesIn(mapping: TableMapping, institutions: readonly string[]): readonly ColumnChoices[] {
  const { columns } = templateOf(mapping.kind, null);
  return mapping.columns.flatMap((column): ColumnChoices[] => {
    if (column.index === null) return [];
    const known = columns.find(({ name }) => name === column.field)?.choices ?? null;
    const values = column.field === 'institution_name' ? institutions : (known?.values ?? []);
    const written = inTheFile(column, values);
    // With translations, a file may write a value in more ways than the list has.
    const isClosed = known?.isClosed === true && column.values === undefined;
    return written.length === 0 ? [] : [{ title: column.title, values: written, isClosed }];
  });
}

/** The values as the file writes them: first those that the mapping translates, then the others. */
function inTheFile({ values: translations }: MappedColumn, values: readonly string[]): string[] {
  if (translations === undefined) return [...values];
  const meant = new Set(translations.values());
  return [...translations.keys(), ...values.filter((value) => !meant.has(value) && !translations.has(value))];
}
