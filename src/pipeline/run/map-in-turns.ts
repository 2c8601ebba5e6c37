/* Working on groups of rows without keeping the event loop or the memory busy. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** What takes a millisecond or two: answers, and what the database said, wait no longer than that. */
const itemsPerTurn = 100;

/**
 * Maps items like `map` does, but lets in what waits for this thread after every few of them: the work on a group of
 * rows takes as long as many requests.
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
 * Reads one group ahead: while the caller works on a group, the next one is on its way. So no more than two are in
 * memory. What goes wrong with a group is thrown when its turn comes.
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
    // The caller may have had enough, or failed: nothing is left behind that still reads.
    await coming.catch(() => {});
    await iterator.return?.();
  }
}

/** Its failure is looked at later; until then it is nobody's oversight. */
function askFor<Group>(iterator: AsyncIterator<Group>): Promise<IteratorResult<Group>> {
  const coming = iterator.next();
  coming.catch(() => {});
  return coming;
}
