/* Lines about rows of a content that was read in more than one way: each content has one. */

import type { OpenBatch } from '../ledger/after-sending/worklist.ts';

/** A line about rows of a batch, and how far the batch is where that is known. */
interface ReadingLine {
  readonly batch: { readonly id: string };
  readonly state?: unknown;
}

/** What the rows of batches are, by batch: two batches with one text are readings of the same rows. */
export function contentsOf(batches: readonly OpenBatch[]): ReadonlyMap<string, string> {
  return new Map(
    batches.map(({ id, mode, origin, kind, sheet, content }) => [
      id,
      JSON.stringify([mode, origin, kind, sheet, content]),
    ]),
  );
}

/**
 * Lists the rows of a content that was read in two ways only once, as those of the newest reading. A closed reading does
 * not count, and a batch that is being sent is shown in full.
 */
export function onceOfReadings(batches: readonly OpenBatch[], contents: ReadonlyMap<string, string>) {
  const closed = new Set(batches.flatMap(({ id, isClosed }) => (isClosed ? [id] : [])));
  return <Line extends ReadingLine>(lines: readonly Line[], workOf: (line: Line) => string): Line[] => {
    const newest = new Map<string, string>();
    return lines.filter((line) => {
      const { id } = line.batch;
      const work = `${workOf(line)} ${contents.get(id)}`;
      const before = newest.get(work) ?? id;
      if (!closed.has(id)) newest.set(work, before);
      return before === id || line.state === 'under_way';
    });
  };
}
