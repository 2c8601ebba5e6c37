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
