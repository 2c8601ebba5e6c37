/* Counts over all rows of a batch, for its pages. A count is kept until it may have changed. */

import type { Connections } from '../call/connections.ts';

const batchesKept = 100;

/** A count, with the state of the batch in which it was made. */
interface Kept<Value> {
  readonly state: string;
  readonly value: Value;
}

/** Counts of batches, for each engine. If a batch is opened again, it is counted only once for each of its states. */
export class KeptCounts<Value> {
  readonly #ofEngines = new WeakMap<Connections, Map<string, Kept<Value>>>();

  /**
   * The count of a batch.
   * @param state a text that changes whenever the count may change. It has to be read before the count, so that the next
   *   call notices changes during the count
   * @param count makes the count
   */
  async of(
    connections: Connections,
    batch: string,
    state: string,
    count: () => Promise<Value>,
  ): Promise<Value> {
    const kept = this.#ofEngines.get(connections) ?? new Map<string, Kept<Value>>();
    this.#ofEngines.set(connections, kept);
    const known = kept.get(batch);
    if (known?.state === state) return known.value;
    const value = await count();
    kept.delete(batch);
    kept.set(batch, { state, value });
    const [oldest] = kept.keys();
    if (kept.size > batchesKept && oldest !== undefined) kept.delete(oldest);
    return value;
  }
}
