/* What is gathered of the rows of a batch while all of them pass by, once. */

import type { Attention } from '../domain/batches/account.ts';
import type { RowTotals } from '../domain/batches/batch-facts.ts';
import { OpenRowsCounter } from '../domain/batches/open-rows.ts';
import { StatusSums } from '../domain/money/expectation.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { ResultStatus } from '../domain/rows/row-state.ts';
import { AttentionCollector, valuesRefusedIn } from './attention.ts';

/** Adds the rows of a batch up, and collects what is wrong with them. What it keeps does not grow with the rows. */
export class RowsWalk {
  readonly #attention: AttentionCollector;
  readonly #sums = new StatusSums();
  readonly #open = new OpenRowsCounter();
  readonly #counts: Partial<Record<ResultStatus, number>> = {};
  readonly #repeats: Partial<Record<ResultStatus, number>> = {};

  /** @param header the header cells of the batch's file */
  constructor(header: readonly string[]) {
    this.#attention = new AttentionCollector(header);
  }

  /** Passes the rows on as they are. */
  async *watch(groups: AsyncIterable<readonly ResultRow[]>): AsyncGenerator<readonly ResultRow[]> {
    for await (const rows of groups) {
      this.add(rows);
      yield rows;
    }
  }

  add(rows: readonly ResultRow[]): void {
    for (const row of rows) this.#add(row);
  }

  #add(row: ResultRow): void {
    const { status, sameAs } = row;
    this.#counts[status] = (this.#counts[status] ?? 0) + 1;
    // A row that repeats another one is about the same money.
    if (sameAs === undefined) this.#sums.add(status, row.money);
    else this.#repeats[status] = (this.#repeats[status] ?? 0) + 1;
    this.#open.add(row);
    this.#attention.add(row);
  }

  result(): { readonly totals: RowTotals; readonly attention: Attention } {
    const attention = this.#attention.result();
    const totals = {
      counts: this.#counts,
      repeats: this.#repeats,
      contradicted: attention.contradicted,
      sums: this.#sums.result(),
      open: this.#open.result(),
      valuesRefusedIn: valuesRefusedIn(attention),
    };
    return { totals, attention };
  }
}
