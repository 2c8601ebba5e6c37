/* Working on groups of rows without keeping the event loop or the memory busy. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** Number of items that take a millisecond or two together: answers and database results wait no longer than that. */
const itemsPerTurn = 100;

/**
 * Maps items like `map`, but yields to other work of this thread after every few items: the work on a group of rows
 * takes as long as many requests.
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
 * The same for work that may begin only once the one before has ended, or takes long for each item: it yields before each.
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
 * Reads one group ahead: while the caller works on a group, the next one is being read. So at most two are in
 * memory. An error in reading a group is thrown when its turn comes.
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
    // The caller may stop early or fail: no read is left running.
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
