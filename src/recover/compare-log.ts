/* Compares a run log with the ledger: events that only the log has, and rows that a damaged log leaves in doubt. */

import { type ReadingOptions, readRunLog } from '../disk/log/read-run-log.ts';
import type { LoggedRunEvent } from '../disk/log/run-event.ts';
import type { ClaimedRange, LoggedClaim, LogProof, RunOwner } from '../domain/batches/run.ts';
import type { OutcomeKind } from '../domain/sending/outcome.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { Doubt, EndWithoutRequest, LoggedEvent, LoggedRow } from './logged-rows.ts';

/** The events of a log with these names. Damaged lines are skipped. */
export async function* eventsOf(
  log: string,
  names: readonly LoggedRunEvent['event'][],
  proving: Pick<ReadingOptions, 'known' | 'onProof'> = {},
): AsyncGenerator<LoggedEvent> {
  const options = { events: new Set(names), passesOverDamage: true, ...proving };
  for await (const event of readRunLog(log, options)) {
    const outcome = loggedOutcome(event);
    if (outcome !== null) yield outcome;
  }
}

/** The parts of an event that a ledger needs; null if it needs none of them. */
export function loggedOutcome(event: LoggedRunEvent): LoggedEvent | null {
  switch (event.event) {
    case 'run.stopped':
    case 'audit.head':
    case 'log.mended':
    case 'log.completed':
      return null;
    default:
      return event;
  }
}

/** The events of a log that show whether a ledger has lost data. */
export const outcomeEvents = [
  'run.started',
  'run.finished',
  'claim.made',
  'row.answered',
  'batch.closed',
] as const;

/** The ledger's verbs that return which parts of a log the ledger does not know. */
type LogKnowledge = Pick<LedgerVerbs, 'countUnknownClaims' | 'countUnknownAnswers' | 'findClosing'>;

/** The findings from a run log about the ledger that is about to send. */
export interface LogComparison {
  /** Whether the log has a claim, an answer to a request, or a closing that the ledger does not know. */
  readonly isAhead: boolean;
  /** Processes of runs that the ledger does not know and that have not ended; null if the log does not name the process. */
  readonly unknownRuns: readonly (RunOwner | null)[];
}

/** Number of claims, answers or rows in one query. */
const groupSize = 2_000;

/**
 * Whether the ledger keeps a request with this answer, whatever happened to its row later. If the API cannot have executed
 * the request (no connection, refused credentials, a wrong path), the row may have been put back, and its request given up.
 */
function isKept({ outcome, status }: Extract<LoggedEvent, { event: 'row.answered' }>): boolean {
  return keptOutcomes.has(outcome) && status !== 404;
}

const keptOutcomes: ReadonlySet<string> = new Set<OutcomeKind>(['created', 'refused', 'unknown', 'conflict']);

/**
 * Compares a log of a batch with the ledger. Keys and claims are committed in the ledger before the log names requests that
 * use them. So if the log has events that the ledger does not know, the ledger was emptied or restored from a backup, or
 * another ledger has sent rows. If the ledger knows more than the log, this proves nothing, since the batch may have
 * several logs.
 * @param events of the log; events of other batches are skipped
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

/** Queries the ledger in groups, and stops after the first unknown item. */
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

/** Names of the events that show which rows another ledger has sent, and under which keys. */
export const sendingEvents = ['claim.made', 'row.staged', 'row.answered'] as const;

/** The ledger's verbs that return which of these rows the ledger has sent itself. */
type SentRows = Pick<LedgerVerbs, 'countUnknownClaims' | 'findRowsSentTwice'>;

/**
 * Finds the rows of a batch that this ledger has sent, and that another ledger has sent under another key. They are found
 * by the answers in the log, and by the claims of runs that this ledger does not know.
 * @param read returns the events of the log from its beginning
 * @returns the row numbers, in order
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

/* Finds rows for which a damaged run log does not show whether they were sent, or under which key. */

/** A number for each row, in two bytes per row, since a log is read completely and may be larger than memory. */
export class NumbersOfRows {
  #numbers = new Uint16Array(4_096);

  /** The number of a row; 0 if it was not set. */
  of(row: number): number {
    return this.#numbers[row] ?? 0;
  }

  set(row: number, number: number): void {
    if (row >= this.#numbers.length) {
      const numbers = new Uint16Array(Math.max(row + 1, this.#numbers.length * 2));
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers[row] = number;
  }
}

/** The generation of the newest key under which each row was claimed. */
export class ClaimedKeys {
  readonly #generations = new NumbersOfRows();

  note(ranges: readonly ClaimedRange[]): void {
    for (const [first, last, generation = 1] of ranges)
      for (let row = first; row <= last; row += 1)
        this.#generations.set(row, Math.max(this.generationOf(row), generation));
  }

  /** The generation of that key; 0 for a row that no claim names. */
  generationOf(row: number): number {
    return this.#generations.of(row);
  }
}

/** The entries about one row in the logs of a batch. */
interface LoggedOfRow {
  /** Undefined if the logs have no key of the row. */
  readonly known: LoggedRow | undefined;
  readonly rests: EndWithoutRequest | undefined;
  /** The generation of the newest key under which the row was claimed; 0 if it was not claimed. */
  readonly claimedKey: number;
  /** The last line about the row, by log. Logs that do not name the row are absent. */
  readonly lastLines: ReadonlyMap<number, number>;
}

/** What the logs of a batch prove, and how to treat rows for which they prove nothing. */
export interface ProvenLogs {
  /** In the order in which the logs were read. */
  readonly proofs: readonly LogProof[];
  /** Whether rows without a final event in an unproven log are held. */
  readonly holdsRest: boolean;
}

/**
 * Why the state of a row is in doubt after damage to its logs.
 * @returns null if the logs are complete for the row
 */
export function doubtAbout(
  { known, rests, claimedKey, lastLines }: LoggedOfRow,
  { proofs, holdsRest }: ProvenLogs,
): Doubt | null {
  const state = known?.end.state;
  // Created rows stay created, and the other rows in these states already wait for a person.
  const isDecided = state === 'created' || state === 'held' || state === 'unclear';
  if (rests !== undefined || isDecided) return null;
  // If the line with its key is missing, the row is held anyway.
  if (known !== undefined && known.generation === null) return null;
  if (claimedKey > (known?.generation ?? 0)) return 'key_lost';
  const isDoubtful = ({ doubtUntil }: LogProof, log: number): boolean =>
    doubtUntil > 0 && (lastLines.get(log) ?? 0) <= doubtUntil;
  // A row in doubt keeps its key until a person has decided. A row that was refused or never sent may have a new key.
  const mayHaveNewKey = known === undefined || state === 'rejected' || state === 'waiting';
  // At least two lines name a sent row: the line with its key, and the line of its claim. So with one lost line, no new key
  // can be missing.
  const lost = proofs.reduce((sum, { lostLines }) => sum + lostLines, 0);
  const mayLackNewKey = lost > 1 && proofs.some(({ mayLackClaims }) => mayLackClaims);
  if (proofs.some(isDoubtful) || (mayHaveNewKey && mayLackNewKey)) return 'log_damaged';
  return holdsRest && proofs.some(({ head }) => head !== 'there') ? 'log_unproven' : null;
}
