/* Unread columns of an export, and whether their cells are amounts. */

import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import { looksLikeAmount } from '../../kinds/fields/amount.ts';
import type { ExportColumns } from './columns.ts';

/** A filled column of an export that is not read. */
export interface UnreadColumn {
  readonly file: string;
  /** The export's title for it. */
  readonly title: string;
  /** Whether its cells are amounts, which are then not compared. */
  readonly hasAmounts: boolean;
}

/** The name of a column for people. */
export function titleOf(header: readonly string[], index: number): string {
  return unprotectCell(header[index] ?? '') || `column ${index + 1}`;
}

/** The share of filled cells that have to be amounts. */
const mostOf = 0.9;
/** The share of numbers that are one more than the number above, from which a column counts its rows. */
const nearlyAll = 0.8;

/** One column while the rows are read. */
class Watched {
  readonly title: string;
  readonly index: number;
  filled = 0;
  #amounts = 0;
  #steps = 0;
  #last = Number.NaN;

  constructor(title: string, index: number) {
    this.title = title;
    this.index = index;
  }

  add({ cells, kinds }: TableRow): void {
    const text = unprotectCell(cells[this.index] ?? '').trim();
    if (text === '') return;
    this.filled += 1;
    if (kinds?.get(this.index) === 'date' || !looksLikeAmount(text)) return;
    this.#amounts += 1;
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number - this.#last === 1) this.#steps += 1;
    this.#last = number;
  }

  get hasAmounts(): boolean {
    const isCounter = this.filled > 2 && this.#steps >= (this.filled - 1) * nearlyAll;
    return this.filled > 0 && this.#amounts >= this.filled * mostOf && !isCounter;
  }
}

/** Watches the unread columns of one table while it is read. */
export class UnreadColumns {
  readonly #file: string;
  readonly #columns: readonly Watched[];

  /** @param file its name for people */
  constructor(file: string, header: readonly string[], columns: ExportColumns) {
    this.#file = file;
    this.#columns = columns.unread.map((index) => new Watched(titleOf(header, index), index));
  }

  add(row: TableRow): void {
    for (const column of this.#columns) column.add(row);
  }

  /** The filled ones, in the order of the file. */
  result(): UnreadColumn[] {
    const filled = this.#columns.filter((column) => column.filled > 0);
    return filled.map(({ title, hasAmounts }) => ({ file: this.#file, title, hasAmounts }));
  }
}
