import type { WaitingRows } from '../../domain/batches/open-rows.ts';
import { countOf } from '../../output/words/wording.ts';

/** How many rows wait for what, and since when, in sentences. */
export function waitingNotes(waiting: readonly WaitingRows[]): string[] {
  return waiting.map(({ code, rows, since }) => {
    const wait = rows === 1 ? 'waits' : 'wait';
    return `${countOf(rows, 'row')} ${wait} since ${since.slice(0, 16).replace('T', ' ')} UTC: ${code}`;
  });
}
