/* A claimed row, from its turn to its record: which of its requests are sent when, and how answers are kept in groups. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Sender } from '../api/sender.ts';
import type { ClockPort } from '../call/context.ts';
import type { RunLogPort } from '../disk/log/run-log.ts';
import type { ClaimedRow, RowConclusion } from '../domain/rows/ledger-row.ts';
import { reasonOfRefusal } from '../domain/sending/answer.ts';
import { type Conclusion, conclude, type SetAside } from '../domain/sending/outcome.ts';
import { BatchStop, type RefusedAlike, RunStop } from '../domain/sending/stops.ts';
import { type AnswerContext, answeredEvent, creationReader } from '../kinds/request.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { elapsedInMs, type Moment } from './lease.ts';

/* Handles the answers of a batch: records them in groups, and watches for rows that are all refused for one reason. */

interface RefusalWatchOptions {
  readonly ledger: Pick<LedgerVerbs, 'stopIfRefusedAlike'>;
  readonly batchId: string;
  /** Number of rows refused for one reason that stops the batch, if none was created; null for never. */
  readonly limit: number | null;
  readonly onStop: (refused: RefusedAlike) => void;
}

/**
 * Watches whether the rows of a batch are all refused for one reason. The ledger decides, since it knows the rows of all
 * runs. Once this run alone has as many refusals as the limit, no further row is sent until the ledger has decided: only
 * rows in flight are still sent.
 */
export class RefusalWatch {
  readonly #options: RefusalWatchOptions;
  readonly #alike = new Map<string, number>();
  #isOver: boolean;
  /** Refusals that the ledger has not judged yet. */
  #unjudged = 0;
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  constructor(options: RefusalWatchOptions) {
    this.#options = options;
    this.#isOver = options.limit === null;
  }

  /** What a row waits for before it leaves; null for nothing. */
  get verdict(): Promise<void> | null {
    return this.#gate?.opened ?? null;
  }

  /** Called with a row as soon as it is concluded. */
  concluded({ state, code, message }: Conclusion): void {
    const { limit } = this.#options;
    if (this.#isOver || limit === null) return;
    if (state === 'created') this.end();
    if (state !== 'rejected') return;
    this.#unjudged += 1;
    const reason = reasonOfRefusal(code, message);
    const rows = (this.#alike.get(reason) ?? 0) + 1;
    this.#alike.set(reason, rows);
    if (rows >= limit) this.#gate ??= closedGate();
  }

  /** Called with rows once the ledger has them. Asks the ledger whether the batch is to stop. */
  async recorded(conclusions: readonly RowConclusion[]): Promise<void> {
    const { ledger, batchId, limit, onStop } = this.#options;
    const refused = conclusions.filter(({ conclusion }) => conclusion.state === 'rejected').length;
    if (this.#isOver || refused === 0) return;
    const verdict = await ledger.stopIfRefusedAlike(batchId, limit);
    this.#unjudged -= refused;
    if (verdict !== null && verdict !== 'some_created') onStop(verdict);
    if (verdict !== null) this.end();
    else if (this.#unjudged <= 0) this.#open();
  }

  /** Ends the watch; no row waits for it any more. */
  end(): void {
    this.#isOver = true;
    this.#open();
  }

  #open(): void {
    this.#gate?.open();
    this.#gate = null;
  }
}

function closedGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/**
 * How long a run gathers answers between two groups: answers of a fast API share one statement, and with a slow API the
 * delay is small. A crash in between leaves the rows unknown, and they are sent again.
 */
export const gatherInMs = 25;

/** Collects conclusions and records them in groups: while one group is written, the next one gathers. */
export interface Recorder {
  /** Takes a conclusion. `onDone` reports its result. */
  readonly record: (conclusion: RowConclusion) => void;
  /** Announces that few more conclusions will come: from now on nothing waits for them. */
  readonly hurry: () => void;
}

export interface RecorderOptions {
  readonly ledger: Pick<LedgerVerbs, 'recordConclusions'>;
  readonly batchId: string;
  readonly runId: string;
  /**
   * Waits between two groups: answers that arrive meanwhile share one statement and one commit, which would cost the
   * database several times as much for each row alone. Without it the next group is written at once.
   */
  readonly gather?: () => Promise<void>;
  /** Called with those that count; a conclusion whose lease was lost meanwhile does not. */
  readonly onRecorded: (conclusions: readonly RowConclusion[]) => void;
  /** Called when a group is finished, with the ledger's error if it failed. */
  readonly onDone: (rows: number, failure: { readonly error: unknown } | null) => void;
}

export function createRecorder(options: RecorderOptions): Recorder {
  let gathering: RowConclusion[] = [];
  let isWriting = false;
  let isHurried = false;
  let endGathering = (): void => {};

  const gatherMore = (): Promise<void> | undefined => {
    if (options.gather === undefined || isHurried) return undefined;
    const { gather } = options;
    return new Promise((resolve, reject) => {
      endGathering = resolve;
      gather().then(resolve, reject);
    });
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (gathering.length > 0) {
      // An embedded ledger that runs in this thread blocks it while it writes. The answers that arrived meanwhile have to
      // be read first, or each would be written alone.
      await turnOfEventLoop();
      const group = gathering;
      gathering = [];
      await writeGroup(options, group);
      await gatherMore();
    }
    isWriting = false;
  };

  return {
    record: (conclusion) => {
      gathering.push(conclusion);
      if (!isWriting) void writeAll();
    },
    hurry: () => {
      isHurried = true;
      endGathering();
    },
  };
}

async function writeGroup(options: RecorderOptions, group: readonly RowConclusion[]): Promise<void> {
  try {
    const recorded = await options.ledger.recordConclusions(options.batchId, options.runId, group);
    options.onRecorded(group.filter(({ row }) => recorded.has(row)));
    options.onDone(group.length, null);
  } catch (error) {
    options.onDone(group.length, { error });
  }
}

/* A row's turn: the claimed rows of a run that wait for theirs, and those that were set aside for others. */

/** A claimed row that waits for its turn. */
export interface QueuedRow {
  readonly row: ClaimedRow;
  readonly claimedAt: Moment;
  /** The state in which it was set aside; null before its first turn. */
  readonly aside: SetAside | null;
  /** Whether it was left in doubt by a run that got answers for other rows. */
  readonly failedAlone: boolean;
}

/** Number of rows that may be set aside in memory. Beyond it, a row has its next turn at once. */
const mostRowsAside = 1_000;

/**
 * Positions in the queue of the first rows that are sent, one after the other, while the API may be down. Bad rows are
 * mostly next to each other, so these are far apart.
 */
const placesOfProbes = [1, 0.5, 0.25, 0.75];

/** The queue of one submission. */
export class RowQueue {
  readonly #waiting: QueuedRow[] = [];
  #aside: { readonly row: QueuedRow; readonly dueAtInMs: number }[] = [];
  #probes = 0;
  /** Monotonic: the latest time for the next turn of the first row that is set aside. */
  #nextDueAtInMs = Number.POSITIVE_INFINITY;

  /** How many rows are set aside. */
  get rowsAside(): number {
    return this.#aside.length;
  }

  /** Number of rows that were never sent and wait for their first turn. */
  freshRows(): number {
    return this.#waiting.filter(isFresh).length;
  }

  add(row: QueuedRow): void {
    this.#waiting.push(row);
  }

  /**
   * The row that is next: the first one, or, while the API may be down, one of which nothing is known yet. The queue must
   * not be empty.
   */
  next(isApiInDoubt: boolean): QueuedRow {
    if (!isApiInDoubt) this.#probes = 0;
    const row = isApiInDoubt ? this.#waiting.splice(this.#placeOfProbe(), 1)[0] : this.#waiting.shift();
    if (row === undefined) throw new Error('no row waits for its turn');
    return row;
  }

  /** A row that was never sent says most about the API; one in doubt may be a row that always fails. */
  #placeOfProbe(): number {
    const fresh = this.#placesOf(isFresh);
    const places =
      fresh.length > 0 ? fresh : this.#placesOf(({ aside, failedAlone }) => aside === null && !failedAlone);
    const share = placesOfProbes[this.#probes % placesOfProbes.length] ?? 1;
    this.#probes += 1;
    return places[Math.min(places.length - 1, Math.floor(places.length * share))] ?? 0;
  }

  #placesOf(isSo: (row: QueuedRow) => boolean): number[] {
    return this.#waiting.flatMap((row, place) => (isSo(row) ? [place] : []));
  }

  /**
   * Keeps a row that is to be sent again later.
   * @param nowInMs monotonic
   */
  setAside(row: QueuedRow, nowInMs: number): void {
    // It is sent again after half of the time that its key has left, however long the run takes.
    const endsAtInMs = row.claimedAt.monotonicInMs + row.row.keyTimeLeftInMs;
    const dueAtInMs = (nowInMs + endsAtInMs) / 2;
    this.#nextDueAtInMs = Math.min(this.#nextDueAtInMs, dueAtInMs);
    this.#aside.push({ row, dueAtInMs });
  }

  /**
   * Puts the rows back that cannot wait until all others had their turn.
   * @param nowInMs monotonic
   * @returns how many there were
   */
  takeBackDue(nowInMs: number): number {
    if (this.#aside.length >= mostRowsAside) return this.takeBack();
    if (nowInMs < this.#nextDueAtInMs) return 0;
    const aside = this.#aside;
    const due = aside.filter(({ dueAtInMs }) => dueAtInMs <= nowInMs);
    this.#aside = aside.filter(({ dueAtInMs }) => dueAtInMs > nowInMs);
    this.#nextDueAtInMs = Math.min(...this.#aside.map(({ dueAtInMs }) => dueAtInMs));
    this.#waiting.unshift(...due.map(({ row }) => row));
    return due.length;
  }

  /**
   * Puts all rows back that were set aside, those with the fewest tries first.
   * @returns how many there were
   */
  takeBack(): number {
    const rows = this.#aside.map(({ row }) => row);
    this.#aside = [];
    this.#nextDueAtInMs = Number.POSITIVE_INFINITY;
    rows.sort((one, other) => triesOf(one) - triesOf(other));
    this.#waiting.push(...rows);
    return rows.length;
  }
}

function isFresh({ row, aside }: QueuedRow): boolean {
  return aside === null && !row.wasUnknown;
}

function triesOf({ aside }: QueuedRow): number {
  return aside?.inconclusive.attempts.length ?? 0;
}

/** What the rows of a submission share when they are sent. */
export interface TurnContext extends AnswerContext {
  /** Sends one stored request, as often as its tries allow; `src/api` documents each conclusion. */
  readonly sender: Pick<Sender, 'send' | 'isApiInDoubt'>;
  readonly runLog: RunLogPort;
  readonly clock: ClockPort;
  readonly leaseInMs: number;
  /**
   * Called right before each request: whether the run still holds its batch. A worker that was paused for longer than its
   * lease must not send a row that another run may have decided meanwhile.
   */
  readonly holdsBatch?: () => boolean | Promise<boolean>;
  /** Stops the sender as well: aborted by a person's signal, or by the first failure. */
  readonly halt: AbortController;
}

/**
 * Gives a row its turn, or another one if it was set aside.
 * @param queue the rows that wait for their turn
 * @param onStop called with the reason why the run has to stop
 */
export async function takeTurn(
  context: TurnContext,
  queue: RowQueue,
  queued: QueuedRow,
  onStop: (stop: RunStop) => void,
): Promise<Conclusion | SetAside> {
  if (isStopped(context)) return withoutTry(queued);
  try {
    return await (queued.aside?.again() ?? sendFirst(context, queue, queued));
  } catch (error) {
    if (!(error instanceof RunStop) || error.conclusion === null) throw error;
    onStop(error);
    return error.conclusion;
  }
}

/** The conclusion of a row that does not get its turn. */
function withoutTry({ row, aside }: QueuedRow): Conclusion {
  return aside?.inconclusive ?? conclude({ isEarlierTryUnknown: row.wasUnknown }, [], null);
}

/** Whether this batch alone is to stop: its rows need not wait for the limits that the batches of a call share. */
function isStopped({ halt: { signal } }: TurnContext): boolean {
  return signal.aborted && signal.reason instanceof BatchStop;
}

function sendFirst(
  context: TurnContext,
  queue: RowQueue,
  { row, claimedAt, failedAlone }: QueuedRow,
): Promise<Conclusion | SetAside> {
  const { path, idempotencyKey, body } = row;
  let wasSent = row.wasUnknown;
  return context.sender.send(
    { path, idempotencyKey, body },
    {
      attemptsBefore: row.attempts,
      isEarlierTryUnknown: row.wasUnknown,
      // Counted from the claim: the key grows older while the row waits for its turn.
      resendUntil: claimedAt.monotonicInMs + row.keyTimeLeftInMs,
      failedAlone,
      rowsLeft: () => queue.freshRows(),
      // A key that was never sent cannot be too old: while the run holds its batch, no other run has sent it.
      mayLeave: () =>
        (!wasSent || isYoungEnough(context, row, claimedAt)) && (context.holdsBatch?.() ?? true),
      readAnswer: creationReader(context, row),
    },
    (attempt) => {
      wasSent = true;
      context.runLog.append([answeredEvent(row, attempt)]);
    },
  );
}

/**
 * Uses the clock that shows more time, since the machine may have slept between two tries. A row that this run sent first
 * is young enough until the run's lease is over, whatever the key's lifetime.
 */
function isYoungEnough(context: TurnContext, row: ClaimedRow, claimedAt: Moment): boolean {
  const { wasUnknown, keyTimeLeftInMs } = row;
  const limitInMs = wasUnknown ? keyTimeLeftInMs : Math.max(keyTimeLeftInMs, context.leaseInMs);
  return elapsedInMs(claimedAt, context.clock) < limitInMs;
}
