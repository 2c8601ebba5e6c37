/* What is counted over all rows of a batch for its pages, kept until it can have changed. */

import type { Connections } from '../call/connections.ts';

const batchesKept = 100;

/** A count, and the state of the batch in which it was made. */
interface Kept<Value> {
  readonly state: string;
  readonly value: Value;
}

/** Counts of batches, for each engine. A batch that is opened again and again is counted once for each of its states. */
export class KeptCounts<Value> {
  readonly #ofEngines = new WeakMap<Connections, Map<string, Kept<Value>>>();

  /**
   * The count of a batch.
   * @param state a text that differs once the count may differ. It was read before: changes during the count are counted
   *   the next time
   * @param count counts anew
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
