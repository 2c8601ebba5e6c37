/* Processes groups of rows without blocking the event loop or filling the memory. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** The number of items that together take a millisecond or two. Answers and database results wait no longer than that. */
const itemsPerTurn = 100;

/**
 * Maps items like `map`, but yields to other work of this thread after every few items. Without this, the work on a group of
 * rows would block the thread for as long as many requests take.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += itemsPerTurn) {
    if (start > 0) await turnOfEventLoop();
    const turn = items.slice(start, start + itemsPerTurn);
    results.push(...turn.map((item, at) => work(item, start + at)));
  }
  return results;
}

/**
 * The same for work on one item at a time that may begin only after the previous work has ended, or that takes long. It
 * yields before each item.
 */
export async function eachInTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result> | Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    await turnOfEventLoop();
    results.push(await work(item));
  }
  return results;
}

/**
 * Reads one group ahead: while the caller works on a group, the next one is being read. So at most two groups are in memory.
 * An error while reading a group is thrown when that group is requested.
 */
export async function* readAhead<Group>(groups: AsyncIterable<Group>): AsyncGenerator<Group> {
  const iterator = groups[Symbol.asyncIterator]();
  let coming = askFor(iterator);
  try {
    for (;;) {
      const next = await coming;
      if (next.done === true) return;
      coming = askFor(iterator);
      yield next.value;
    }
  } finally {
    // If the caller stops early or fails, this waits for the pending read.
    await coming.catch(() => {});
    await iterator.return?.();
  }
}

/** The rejection is handled later. Until then it must not count as unhandled. */
function askFor<Group>(iterator: AsyncIterator<Group>): Promise<IteratorResult<Group>> {
  const coming = iterator.next();
  coming.catch(() => {});
  return coming;
}
