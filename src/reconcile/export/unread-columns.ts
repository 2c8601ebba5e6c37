/* Columns of an export of which nothing is read, and whether their cells are amounts. */

import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import { looksLikeAmount } from '../../kinds/fields/amount.ts';
import type { ExportColumns } from './columns.ts';

/** A column of an export with something in it of which nothing is read. */
export interface UnreadColumn {
  readonly file: string;
  /** As the export calls it. */
  readonly title: string;
  /** Whether its cells are amounts: then amounts are there, and nobody has looked at them. */
  readonly hasAmounts: boolean;
}

/** What people call a column. */
export function titleOf(header: readonly string[], index: number): string {
  return unprotectCell(header[index] ?? '') || `column ${index + 1}`;
}

/** So much of the filled cells of a column has to be amounts. */
const mostOf = 0.9;
/** A column counts its rows where so many of its numbers are one more than the one above. */
const nearlyAll = 0.8;

/** One column while the rows go by. */
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

/** The columns of one table that nothing is read from, watched while it is read. */
export class UnreadColumns {
  readonly #file: string;
  readonly #columns: readonly Watched[];

  /** @param file as people call it */
  constructor(file: string, header: readonly string[], columns: ExportColumns) {
    this.#file = file;
    this.#columns = columns.unread.map((index) => new Watched(titleOf(header, index), index));
  }

  add(row: TableRow): void {
    for (const column of this.#columns) column.add(row);
  }

  /** Those with something in them, in the order of the file. */
  result(): UnreadColumn[] {
    const filled = this.#columns.filter((column) => column.filled > 0);
    return filled.map(({ title, hasAmounts }) => ({ file: this.#file, title, hasAmounts }));
  }
}
