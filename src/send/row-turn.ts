/*
 * The turns of a run's claimed rows: the queue of rows that wait for their turn, the rows that were set aside for others,
 * and when each row is sent.
 */

import type { Sender } from '../api/sender.ts';
import type { ClockPort } from '../call/context.ts';
import type { RunLogPort } from '../disk/log/run-log.ts';
import type { ClaimedRow } from '../domain/rows/ledger-row.ts';
import { type Conclusion, conclude, type SetAside } from '../domain/sending/outcome.ts';
import { BatchStop, RunStop } from '../domain/sending/stops.ts';
import { type AnswerContext, answeredEvent, creationReader } from '../kinds/request.ts';
import { elapsedInMs, type Moment } from './lease.ts';

/** A claimed row that waits for its turn. */
export interface QueuedRow {
  readonly row: ClaimedRow;
  readonly claimedAt: Moment;
  /** The state in which it was set aside; null before its first turn. */
  readonly aside: SetAside | null;
  /** Whether it was left in doubt by a run that got answers for other rows. */
  readonly failedAlone: boolean;
}

/** Maximum of rows that are set aside in memory. Beyond it, a row has its next turn at once. */
const mostRowsAside = 1_000;

/**
 * Positions in the queue of the first rows that are sent, one after the other, while the API may be down. Bad rows are
 * mostly next to each other, so the positions are far apart.
 */
const placesOfProbes = [1, 0.5, 0.25, 0.75];

/** The queue of one submission. */
export class RowQueue {
  readonly #waiting: QueuedRow[] = [];
  #aside: { readonly row: QueuedRow; readonly dueAtInMs: number }[] = [];
  #probes = 0;
  /** Monotonic time at which the first row of those set aside must have its next turn. */
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
   * Takes the next row out of the queue: the first row, or, while the API may be down, a row about which nothing is known
   * yet. The queue must not be empty.
   */
  next(isApiInDoubt: boolean): QueuedRow {
    if (!isApiInDoubt) this.#probes = 0;
    const row = isApiInDoubt ? this.#waiting.splice(this.#placeOfProbe(), 1)[0] : this.#waiting.shift();
    if (row === undefined) throw new Error('no row waits for its turn');
    return row;
  }

  /**
   * Chooses the row that is sent while the API may be down. The answer to a row that was never sent says most about the
   * API; a row in doubt may be one that always fails.
   */
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
    // The row is sent again after half of the remaining time of its key, however long the run takes.
    const endsAtInMs = row.claimedAt.monotonicInMs + row.row.keyTimeLeftInMs;
    const dueAtInMs = (nowInMs + endsAtInMs) / 2;
    this.#nextDueAtInMs = Math.min(this.#nextDueAtInMs, dueAtInMs);
    this.#aside.push({ row, dueAtInMs });
  }

  /**
   * Puts those rows back into the queue that cannot wait until all other rows have had their turn.
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
   * Puts all rows that were set aside back into the queue, those with the fewest tries first.
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
  /** Sends one stored request, with as many tries as allowed; `src/api` documents each conclusion. */
  readonly sender: Pick<Sender, 'send' | 'isApiInDoubt'>;
  readonly runLog: RunLogPort;
  readonly clock: ClockPort;
  readonly leaseInMs: number;
  /**
   * Called right before each request. Says whether the run still holds its batch. A worker that was paused for longer than
   * its lease must not send a row on which another run may have decided meanwhile.
   */
  readonly holdsBatch: () => boolean | Promise<boolean>;
  /** Also stops the sender. It is aborted by a person's signal, or by the first failure. */
  readonly halt: AbortController;
}

/**
 * Gives a row its first turn, or a further turn if it was set aside.
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

/** Whether this batch alone is to stop. Its rows then do not wait for the limits that the batches of a call share. */
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
      // Counted from the claim: the key gets older while the row waits for its turn.
      resendUntil: claimedAt.monotonicInMs + row.keyTimeLeftInMs,
      failedAlone,
      rowsLeft: () => queue.freshRows(),
      // A key that was never sent cannot be too old: while the run holds its batch, no other run has sent it.
      mayLeave: () => (!wasSent || isYoungEnough(context, row, claimedAt)) && context.holdsBatch(),
      readAnswer: creationReader(context, row),
    },
    (attempt) => {
      wasSent = true;
      context.runLog.append([answeredEvent(row, attempt)]);
    },
  );
}

/**
 * Whether a row's key is young enough to be sent again. Uses the clock that shows more time, since the machine may have
 * slept between two tries. If this run was the first to send the row, the key is young enough at least for the time of a
 * lease, whatever its lifetime.
 */
function isYoungEnough(context: TurnContext, row: ClaimedRow, claimedAt: Moment): boolean {
  const { wasUnknown, keyTimeLeftInMs } = row;
  const limitInMs = wasUnknown ? keyTimeLeftInMs : Math.max(keyTimeLeftInMs, context.leaseInMs);
  return elapsedInMs(claimedAt, context.clock) < limitInMs;
}
