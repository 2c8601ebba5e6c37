/* Compares a file with the last one of its series, if any, row by row. */

import type { PayeeGroup, SeriesBatch, SeriesComparison } from '../domain/batches/last-time.ts';
import { AmountSums } from '../domain/money/sums.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import { notePayeesIn } from './payee.ts';
import { wordAt } from './payees-of-file.ts';

/* The payees of a file, in about sixteen bytes each. */

/** How many bytes identify a payee, a byte in each character. */
const payeeBytes = 8;
const wordsPerPayee = 2;
const initialCapacity = 1 << 10;

/** A set of payees that numbers them in order of arrival: an open-addressing hash table of the numbers. */
export class PayeeSet {
  #size = 0;
  #words = new Uint32Array(initialCapacity * wordsPerPayee);
  /** A slot has the number of a payee plus one, or 0. */
  #slots = new Uint32Array(initialCapacity * 2);

  get size(): number {
    return this.#size;
  }

  /**
   * @param from where the payee begins in the text
   * @returns the payee's number; that of a new one is the size before
   */
  add(payee: string, from = 0): number {
    const slot = this.#slotOf(payee, from);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    if ((this.#size + 1) * wordsPerPayee > this.#words.length) {
      this.#grow();
      return this.add(payee, from);
    }
    const at = this.#size * wordsPerPayee;
    this.#words[at] = wordAt(payee, from);
    this.#words[at + 1] = wordAt(payee, from + payeeBytes / wordsPerPayee);
    this.#size += 1;
    this.#slots[slot] = this.#size;
    return this.#size - 1;
  }

  /** The number of a payee; -1 where it is missing. @param from where it begins in the text */
  numberOf(payee: string, from = 0): number {
    return (this.#slots[this.#slotOf(payee, from)] ?? 0) - 1;
  }

  /** The slot that has a payee, or the free one for it. */
  #slotOf(payee: string, from: number): number {
    return this.#freeOrSame(wordAt(payee, from), wordAt(payee, from + payeeBytes / wordsPerPayee));
  }

  #freeOrSame(first: number, second: number): number {
    const lastSlot = this.#slots.length - 1;
    for (let slot = first & lastSlot; ; slot = (slot + 1) & lastSlot) {
      const known = this.#slots[slot] ?? 0;
      if (known === 0) return slot;
      const at = (known - 1) * wordsPerPayee;
      if (this.#words[at] === first && this.#words[at + 1] === second) return slot;
    }
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(before.length * 2);
    this.#words.set(before);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#size; number += 1) {
      const at = number * wordsPerPayee;
      this.#slots[this.#freeOrSame(this.#words[at] ?? 0, this.#words[at + 1] ?? 0)] = number + 1;
    }
  }
}

/* Compares the payees of a file with those of the last file of its series, row by row. */

/** Holds about sixteen bytes for each payee of the earlier file and for each new one, and no rows. */
export class SeriesWatch {
  readonly #port: SeriesPort;
  readonly #earlier: SeriesBatch;
  readonly #before = new PayeeSet();
  /** By their numbers: payees of the earlier file that are also in this one. */
  #seen = new Uint8Array(0);
  #seenCount = 0;
  readonly #fresh = new PayeeSet();
  readonly #freshSums = new AmountSums();

  constructor(port: SeriesPort, earlier: SeriesBatch) {
    this.#port = port;
    this.#earlier = earlier;
  }

  /** Passes the groups on after their payees were looked up. After the last group the result is ready. */
  async *follow(groups: AsyncIterable<StagedRow[]>): AsyncGenerator<StagedRow[]> {
    for await (const { payees } of this.#port.readSeriesPayees(this.#earlier.batch)) {
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

  /** The result of the comparison. Call it once the file is read to its end. */
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
    for await (const group of this.#port.readSeriesPayees(this.#earlier.batch)) {
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

/** The queries about an earlier file of a series. */
type SeriesPort = Pick<LedgerVerbs, 'readSeriesPayees' | 'sumRows'>;

/**
 * Passes on the groups of a table that is staged again. It is not compared itself; the next file is compared with it.
 */
export async function* notedForSeries(
  verbs: Pick<LedgerVerbs, 'noteSeries'>,
  batchId: string,
  inputTable: InputTable,
  groups: AsyncIterable<StagedRow[]>,
): AsyncGenerator<readonly StagedRow[]> {
  for await (const group of groups) {
    notePayeesIn(group);
    yield group;
  }
  if (inputTable.series !== undefined) await verbs.noteSeries(batchId, inputTable.series, null);
}

/** Finds the file that a table is compared with; undefined where there is none. */
export type FindSeries = (
  inputTable: Pick<InputTable, 'series' | 'contentHash' | 'mapping'>,
) => Promise<SeriesWatch | undefined>;

/** The last files of series, within one environment. */
export function seriesIn(verbs: LedgerVerbs, environmentId: number): FindSeries {
  return async ({ series: keys, contentHash, mapping: { kind } }) => {
    if (keys === undefined) return undefined;
    const earlier = await verbs.findSeriesBatch({ environmentId, kind, contentHash, keys });
    if (earlier === undefined) return undefined;
    return new SeriesWatch(verbs, earlier);
  };
}
