/* Rows that have left under two ledgers. */

import { isKept, type LogKnowledge } from './compare-log.ts';
import { ClaimedKeys } from './doubt.ts';
import type { LoggedEvent } from './logged-event.ts';

/** The events of a log that tell which rows another ledger has sent, and under which keys. */
export const sendingEvents = ['claim.made', 'row.staged', 'row.answered'] as const;

/** The ledger's verbs that tell which of these rows it has sent itself. */
interface SentRows extends Pick<LogKnowledge, 'countUnknownClaims'> {
  readonly findRowsSentTwice: (
    batchId: string,
    sent: readonly { readonly row: number; readonly key: string }[],
  ) => Promise<readonly number[]>;
}

/** How many rows one query asks for. */
const groupSize = 2_000;

/**
 * Finds the rows of a batch that this ledger has sent, and that another one has sent under another key: by the answers that
 * the log names, and by the claims of runs that this ledger does not know.
 * @param read gives the events of the log from its beginning
 * @returns their numbers, in order
 */
export async function findSentTwice(
  read: () => AsyncIterable<LoggedEvent>,
  batchId: string,
  ledger: SentRows,
): Promise<number[]> {
  const claimed = await claimedByOthers(read(), batchId, ledger);
  const found = new Set<number>();
  let sent: { row: number; key: string }[] = [];
  const ask = async (): Promise<void> => {
    for (const row of await ledger.findRowsSentTwice(batchId, sent)) found.add(row);
    sent = [];
  };
  for await (const event of read()) {
    if (event.batch !== batchId) continue;
    const isSent =
      (event.event === 'row.answered' && isKept(event)) ||
      (event.event === 'row.staged' && claimed.generationOf(event.row) > 0);
    if (!isSent) continue;
    sent.push({ row: event.row, key: event.key });
    if (sent.length >= groupSize) await ask();
  }
  await ask();
  return [...found].sort((one, other) => one - other);
}

/** The rows that runs have claimed which the ledger does not know. */
async function claimedByOthers(
  events: AsyncIterable<LoggedEvent>,
  batchId: string,
  ledger: SentRows,
): Promise<ClaimedKeys> {
  const claimed = new ClaimedKeys();
  const isUnknown = new Map<string, boolean>();
  for await (const event of events) {
    if (event.batch !== batchId || event.event !== 'claim.made') continue;
    const { run } = event;
    if (!isUnknown.has(run)) {
      isUnknown.set(run, (await ledger.countUnknownClaims(batchId, [{ run, claim: 0 }])) > 0);
    }
    if (isUnknown.get(run) === true) claimed.note(event.rows ?? []);
  }
  return claimed;
}
