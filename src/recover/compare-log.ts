/* Compares a run log with the ledger: what it knows more, and what a damaged one leaves in doubt. */

import { type ReadingOptions, readRunLog } from '../disk/log/read-run-log.ts';
import type { LoggedRunEvent } from '../disk/log/run-event.ts';
import type { ClaimedRange, LoggedClaim, LogProof, RunOwner } from '../domain/batches/run.ts';
import type { OutcomeKind } from '../domain/sending/outcome.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { Doubt, EndWithoutRequest, LoggedEvent, LoggedRow } from './logged-rows.ts';

/** The events of a log that have these names, whatever other damage it has. */
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

/** The parts of an event that a ledger needs; null where it needs none. */
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

/** The ledger's verbs that return what it does not know of a log. */
type LogKnowledge = Pick<LedgerVerbs, 'countUnknownClaims' | 'countUnknownAnswers' | 'findClosing'>;

/** What a run log shows about the ledger that is about to send. */
export interface LogComparison {
  /** Whether it has a claim, an answer to a request, or a closing that the ledger does not know. */
  readonly isAhead: boolean;
  /** Runs that the ledger does not know and that have not ended; null where the log does not name the process. */
  readonly unknownRuns: readonly (RunOwner | null)[];
}

/** Number of claims, answers or rows in one query. */
const groupSize = 2_000;

/**
 * Whether the ledger keeps a request with this answer, whatever happened to its row since. Where nothing was carried out
 * (no connection, a refused credential, a path that is not the API's), the row may have been put back, and its request
 * given up.
 */
function isKept({ outcome, status }: Extract<LoggedEvent, { event: 'row.answered' }>): boolean {
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
type SentRows = Pick<LedgerVerbs, 'countUnknownClaims' | 'findRowsSentTwice'>;

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

/* Finds the rows of which a damaged run log does not show whether they were sent, or under which key. */

/** A number for each row, in two bytes: a log is read as a whole, and may be larger than memory. */
export class NumbersOfRows {
  #numbers = new Uint16Array(4_096);

  /** 0 where none was set. */
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

/** The newest key of each row under which it was claimed. */
export class ClaimedKeys {
  readonly #generations = new NumbersOfRows();

  note(ranges: readonly ClaimedRange[]): void {
    for (const [first, last, generation = 1] of ranges)
      for (let row = first; row <= last; row += 1)
        this.#generations.set(row, Math.max(this.generationOf(row), generation));
  }

  /** The number of that key; 0 for a row that no claim names. */
  generationOf(row: number): number {
    return this.#generations.of(row);
  }
}

/** What the logs of a batch have on one row. */
interface LoggedOfRow {
  /** Undefined where they have no key of it. */
  readonly known: LoggedRow | undefined;
  readonly rests: EndWithoutRequest | undefined;
  /** The number of the newest key under which it was claimed; 0 where it was not. */
  readonly claimedKey: number;
  /** The last line about it, by log; logs that do not name it are absent. */
  readonly lastLines: ReadonlyMap<number, number>;
}

/** What the logs of a batch prove, and how to treat rows of which they prove nothing. */
export interface ProvenLogs {
  /** In the order in which the logs were read. */
  readonly proofs: readonly LogProof[];
  /** Whether rows without a final event in an unproven log are held. */
  readonly holdsRest: boolean;
}

/** @returns null where the logs have everything about a row */
export function doubtAbout(
  { known, rests, claimedKey, lastLines }: LoggedOfRow,
  { proofs, holdsRest }: ProvenLogs,
): Doubt | null {
  const state = known?.end.state;
  // Created rows stay created, and the others already wait for a person.
  const isDecided = state === 'created' || state === 'held' || state === 'unclear';
  if (rests !== undefined || isDecided) return null;
  // Without the line of its key a row is held anyway.
  if (known !== undefined && known.generation === null) return null;
  if (claimedKey > (known?.generation ?? 0)) return 'key_lost';
  const isDoubtful = ({ doubtUntil }: LogProof, log: number): boolean =>
    doubtUntil > 0 && (lastLines.get(log) ?? 0) <= doubtUntil;
  // A row in doubt keeps its key until a person has decided; one that was refused, or never sent, gets a new key.
  const mayHaveNewKey = known === undefined || state === 'rejected' || state === 'waiting';
  // A sent row is named in at least two lines: that of its key and that of its claim.
  const lost = proofs.reduce((sum, { lostLines }) => sum + lostLines, 0);
  const mayLackNewKey = lost > 1 && proofs.some(({ mayLackClaims }) => mayLackClaims);
  if (proofs.some(isDoubtful) || (mayHaveNewKey && mayLackNewKey)) return 'log_damaged';
  return holdsRest && proofs.some(({ head }) => head !== 'there') ? 'log_unproven' : null;
}
