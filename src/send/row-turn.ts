/* A row's turn: what is sent of it before other rows have theirs. */

import type { RunLogPort } from '../disk/log/run-log.ts';
import { BatchStop } from '../domain/batches/batch-facts.ts';
import type { ClockPort } from '../domain/machine/clock.ts';
import type { ClaimedRow } from '../domain/rows/ledger-row.ts';
import { type Conclusion, conclude, RunStop, type SetAside } from '../domain/sending/conclusion.ts';
import { type AnswerContext, answeredEvent, creationReader } from '../kinds/row-request.ts';
import { elapsedInMs, type Moment } from './heartbeat.ts';
import type { QueuedRow, RowQueue } from './row-queue.ts';
import type { SenderPort } from './send-ports.ts';

/** What the rows of a submission share when they are sent. */
export interface TurnContext extends AnswerContext {
  readonly sender: SenderPort;
  readonly runLog: RunLogPort;
  readonly clock: ClockPort;
  readonly leaseInMs: number;
  /**
   * Asked right before each request: whether the run still holds its batch. A worker that was paused for longer
   * than its lease must not send what another run may have decided about meanwhile.
   */
  readonly holdsBatch?: () => boolean | Promise<boolean>;
  /** Stops the sender as well: aborted by a person's signal, or by the first failure. */
  readonly halt: AbortController;
}

/**
 * Lets a row have its turn, or another one where it was set aside.
 * @param queue with the rows that wait for theirs
 * @param onStop is told why the run has to stop
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

/** Where a row stands that does not get its turn. */
function withoutTry({ row, aside }: QueuedRow): Conclusion {
  return aside?.asItStands ?? conclude({ isEarlierTryUnknown: row.wasUnknown }, [], null);
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
      // A key that was never sent cannot be too old: while the run holds its batch, nobody else has sent it.
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
 * Counted by the clock that says more, since a machine may have slept between two tries. Of a row that this run was the
 * first to send, not before the run's lease is over, whatever a key's lifetime.
 */
function isYoungEnough(context: TurnContext, row: ClaimedRow, claimedAt: Moment): boolean {
  const { wasUnknown, keyTimeLeftInMs } = row;
  const limitInMs = wasUnknown ? keyTimeLeftInMs : Math.max(keyTimeLeftInMs, context.leaseInMs);
  return elapsedInMs(claimedAt, context.clock) < limitInMs;
}
