/* Checks whether a run log knows more than the ledger. */

import type { RunOwner } from '../domain/batches/batch.ts';
import type { LoggedClaim } from '../domain/batches/run-log.ts';
import type { OutcomeKind } from '../domain/sending/outcome.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { ClaimedKeys } from './doubt.ts';
import type { LoggedEvent } from './logged-event.ts';

/** The events of a log that show whether a ledger has lost data. */
export const tellingEvents = [
  'run.started',
  'run.finished',
  'claim.made',
  'row.answered',
  'batch.closed',
] as const;

/** The ledger's verbs that return what it does not know of a log. */
export type LogKnowledge = Pick<LedgerVerbs, 'countUnknownClaims' | 'countUnknownAnswers' | 'findClosing'>;

/** What a run log shows about the ledger that is about to send. */
export interface LogComparison {
  /** Whether it has a claim, an answer to a request, or a closing that the ledger does not know. */
  readonly isAhead: boolean;
  /** Runs that the ledger does not know and that have not ended; null where the log does not name the process. */
  readonly unknownRuns: readonly (RunOwner | null)[];
}

/** Number of claims or answers in one query. */
const groupSize = 2_000;

/**
 * Whether the ledger keeps a request with this answer, whatever happened to its row since. Where nothing was carried out
 * (no connection, a refused credential, a path that is not the API's), the row may have been put back, and its request
 * given up.
 */
export function isKept({ outcome, status }: Extract<LoggedEvent, { event: 'row.answered' }>): boolean {
  return keptOutcomes.has(outcome) && status !== 404;
}

const keptOutcomes: ReadonlySet<string> = new Set<OutcomeKind>(['created', 'refused', 'unknown', 'conflict']);

/**
 * Compares a log of a batch with the ledger. Keys and claims are committed before the log names what was sent under them.
 * So a log that knows more than the ledger proves that the ledger was emptied or restored from a backup, or that another
 * ledger has sent. A log that knows less proves nothing: it may be one of several.
 * @param events of the log; those of other batches are skipped
 */
export async function compareLog(
  events: AsyncIterable<LoggedEvent>,
  batchId: string,
  ledger: LogKnowledge,
): Promise<LogComparison> {
  const unfinished = new Map<string, RunOwner | null>();
  let isClosed = false;
  const claims = asking<LoggedClaim>((group) => ledger.countUnknownClaims(batchId, group));
  const answers = asking<string>((group) => ledger.countUnknownAnswers(batchId, group));
  for await (const event of events) {
    if (event.batch !== batchId) continue;
    if (event.event === 'run.started') unfinished.set(event.run, ownerOf(event));
    else if (event.event === 'run.finished') unfinished.delete(event.run);
    else if (event.event === 'claim.made') await claims.add({ run: event.run, claim: event.claim });
    else if (event.event === 'row.answered' && isKept(event)) await answers.add(event.key);
    else if (event.event === 'batch.closed') isClosed = true;
  }
  const isAhead =
    (await claims.hasUnknown()) ||
    (await answers.hasUnknown()) ||
    (isClosed && (await ledger.findClosing(batchId)) === null);
  const unknownRuns: (RunOwner | null)[] = [];
  for (const [run, owner] of unfinished) {
    if ((await ledger.countUnknownClaims(batchId, [{ run, claim: 0 }])) > 0) unknownRuns.push(owner);
  }
  return { isAhead, unknownRuns };
}

export function ownerOf({ host, process }: Extract<LoggedEvent, { event: 'run.started' }>): RunOwner | null {
  return host === null || process === null ? null : { host, process };
}

/** Queries in groups, and stops once one item is unknown. */
function asking<Thing>(countUnknown: (group: readonly Thing[]) => Promise<number>): {
  readonly add: (thing: Thing) => Promise<void>;
  readonly hasUnknown: () => Promise<boolean>;
} {
  let group: Thing[] = [];
  let unknown = 0;
  const ask = async (): Promise<void> => {
    if (group.length > 0 && unknown === 0) unknown = await countUnknown(group);
    group = [];
  };
  return {
    add: async (thing) => {
      group.push(thing);
      if (group.length >= groupSize) await ask();
    },
    hasUnknown: async () => {
      await ask();
      return unknown > 0;
    },
  };
}

/* Rows that two ledgers have sent. */

/** The events of a log that show which rows another ledger has sent, and under which keys. */
export const sendingEvents = ['claim.made', 'row.staged', 'row.answered'] as const;

/** The ledger's verbs that return which of these rows it has sent itself. */
interface SentRows extends Pick<LogKnowledge, 'countUnknownClaims'> {
  readonly findRowsSentTwice: (
    batchId: string,
    sent: readonly { readonly row: number; readonly key: string }[],
  ) => Promise<readonly number[]>;
}

/** Number of rows in one query. */
const claimsPerQuery = 2_000;

/**
 * Finds the rows of a batch that this ledger has sent, and that another one has sent under another key: from the answers
 * in the log, and from the claims of runs that this ledger does not know.
 * @param read returns the events of the log from its beginning
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
    if (sent.length >= claimsPerQuery) await ask();
  }
  await ask();
  return [...found].sort((one, other) => one - other);
}

/** The rows that were claimed by runs that the ledger does not know. */
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
