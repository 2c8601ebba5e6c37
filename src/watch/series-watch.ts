/* Compares the payees of a file with those of the last file of its series, while its rows pass by. */

import type { PayeeGroup, PayeesOfRows, SeriesBatch, SeriesComparison } from '../domain/batches/series.ts';
import { AmountSums, type CurrencySum } from '../domain/money/expectation.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import { PayeeSet, payeeBytes } from './payee-set.ts';

/** Holds some sixteen bytes for each payee of the earlier file, and for each new one; no row. */
export class SeriesWatch {
  readonly #port: SeriesPort;
  readonly #earlier: SeriesBatch;
  readonly #before = new PayeeSet();
  /** By their numbers: payees of the earlier file that this one has as well. */
  #seen = new Uint8Array(0);
  #seenCount = 0;
  readonly #fresh = new PayeeSet();
  readonly #freshSums = new AmountSums();

  constructor(port: SeriesPort, earlier: SeriesBatch) {
    this.#port = port;
    this.#earlier = earlier;
  }

  /** The same groups, once their payees were looked for; after the last one the result is there. */
  async *follow(groups: AsyncIterable<StagedRow[]>): AsyncGenerator<StagedRow[]> {
    for await (const { payees } of this.#port.readPayees(this.#earlier.batch)) {
      for (let from = 0; from < payees.length; from += payeeBytes) this.#before.add(payees, from);
    }
    this.#seen = new Uint8Array(this.#before.size);
    for await (const group of groups) {
      for (const row of group) this.#take(row);
      yield group;
    }
  }

  #take({ payee, record: { amount, currency } }: StagedRow): void {
    if (payee === undefined) return;
    const number = this.#before.numberOf(payee);
    if (number < 0) {
      this.#fresh.add(payee);
      if (amount !== undefined && currency !== undefined) this.#freshSums.add(currency, amount);
    } else if (this.#seen[number] === 0) {
      this.#seen[number] = 1;
      this.#seenCount += 1;
    }
  }

  /** Of the file that was followed to its end. */
  async result(): Promise<SeriesComparison> {
    return {
      earlier: { ...this.#earlier, payees: this.#before.size },
      payees: this.#seenCount + this.#fresh.size,
      fresh: { payees: this.#fresh.size, sums: this.#freshSums.result() },
      missing: await this.#missing(),
    };
  }

  async #missing(): Promise<PayeeGroup> {
    const payees = this.#before.size - this.#seenCount;
    const sums = new AmountSums();
    if (payees === 0) return { payees, sums: [] };
    for await (const group of this.#port.readPayees(this.#earlier.batch)) {
      const isMissing = (at: number): boolean =>
        this.#seen[this.#before.numberOf(group.payees, at * payeeBytes)] === 0;
      const missing = group.rows.filter((_, at) => isMissing(at));
      if (missing.length === 0) continue;
      const added = await this.#port.sumRows(group.batch, missing);
      for (const { currency, amount, rows } of added) sums.add(currency, amount, rows);
    }
    return { payees, sums: sums.result() };
  }
}

/** What may be asked about an earlier file of a series. */
export interface SeriesPort {
  /** The payees of a batch's rows, and of those that correct them, in groups. */
  readonly readPayees: (batchId: string) => AsyncIterable<PayeesOfRows>;
  /** The amounts of some rows of a batch, by currency. */
  readonly sumRows: (batchId: string, rows: readonly number[]) => Promise<readonly CurrencySum[]>;
}
