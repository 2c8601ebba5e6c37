/* Sending the rows that a run has claimed. */

import pLimit, { type LimitFunction } from 'p-limit';
import { BatchStop, RefusedAlikeStop } from '../../domain/batches/batch-summary.ts';
import type { ClaimedRow, RowConclusion, RowsToClaim } from '../../domain/rows/ledger-row.ts';
import { type Conclusion, conclude, RunStop, waitingIfTimeMends } from '../../domain/sending/conclusion.ts';
import type { ClockPort, LedgerPort, RunLogPort, SenderPort } from '../ports.ts';
import { elapsedInMs, type Moment, momentOf } from '../run/heartbeat.ts';
import { createRecorder, type Recorder, RefusalWatch } from './recorder.ts';
import { type AnswerContext, answeredEvent, creationReader, stagedEvent } from './row-request.ts';

export interface SubmitContext extends AnswerContext {
  readonly ledger: LedgerPort;
  readonly sender: SenderPort;
  readonly runLog: RunLogPort;
  readonly clock: ClockPort;
  readonly batchId: string;
  readonly run: { readonly id: string; readonly number: number };
  /** Names the ledger in the run log; absent where there is only one. */
  readonly ledgerId?: string;
  readonly leaseInMs: number;
  /** Fingerprint of the API key, never the key. */
  readonly credential: string;
  readonly keyLifetimeInMs: number;
  readonly concurrency: number;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
  /** The approval under which rows are claimed; absent where the policy asks for none. */
  readonly approvalId?: string;
  /**
   * Asked right before each request: whether the run still holds its batch. A worker that was paused for longer
   * than its lease must not send what another run may have decided about meanwhile.
   */
  readonly holdsBatch?: () => boolean | Promise<boolean>;
  /** Stops the sender as well: aborted by a person's signal, or here by the first failure. */
  readonly halt: AbortController;
  readonly onRecorded: (conclusions: readonly RowConclusion[]) => void;
  /** Called with how many rows were claimed. */
  readonly onClaimed?: (rows: number) => void;
  /** Codes of refusals that time mends: their rows wait; none when absent. */
  readonly waitingCodes?: readonly string[];
  /** So many rows refused for one reason, and none created, stop the batch; never when absent or null. */
  readonly refusedAlike?: number | null;
  /** Waits a moment between two groups of recorded rows, for more of them to come together. */
  readonly gather?: () => Promise<void>;
  /**
   * Called when there is nothing to claim; true to look again, because another run may yet leave rows
   * behind. Without it the submission ends.
   */
  readonly onNothingToClaim?: () => Promise<boolean>;
  /** Receives the limiter whose concurrency is lowered and raised while the run goes on. */
  readonly onLimiter: (limiter: LimitFunction) => void;
}

/** What the parts of one submission share. */
interface Submission {
  readonly context: SubmitContext;
  readonly recorder: Recorder;
  readonly limiter: LimitFunction;
  readonly refusals: RefusalWatch;
  /** Rows claimed and not yet recorded. */
  openRows: number;
  /** Called whenever a row has its answer, and when rows are done with. */
  onProgress: () => void;
  failure: unknown;
}

/**
 * Sends what can be sent: claim a group, send its rows with limited concurrency, record what they came
 * to, and claim the next group while these are under way. No database transaction is open while a
 * request is. Returns when nothing is left to claim, or when the run is to stop and all that was in
 * flight has been recorded.
 * @throws RunStop when credentials, configuration or the API's absence stop the run; a BatchStop when the rows of the
 *   batch are all refused for one reason, or an approval is missing
 */
export async function submitRows(context: SubmitContext): Promise<void> {
  const submission = begin(context);
  try {
    await claimUntilDone(submission);
  } catch (error) {
    fail(submission, error);
  }
  submission.recorder.hurry();
  await until(submission, () => submission.openRows === 0);
  try {
    await context.runLog.flush();
  } catch (error) {
    fail(submission, error);
  }
  if (submission.failure !== undefined) throw submission.failure;
}

function begin(context: SubmitContext): Submission {
  const limiter = pLimit(context.concurrency);
  context.onLimiter(limiter);
  const refusals = new RefusalWatch({
    ledger: context.ledger,
    batchId: context.batchId,
    limit: context.refusedAlike ?? null,
    onStop: (refused) => fail(submission, new RefusedAlikeStop(refused)),
  });
  const recorder = createRecorder({
    ledger: {
      recordConclusions: async (batchId, runId, conclusions) => {
        const recorded = await context.ledger.recordConclusions(batchId, runId, conclusions);
        await refusals.recorded(conclusions);
        return recorded;
      },
    },
    batchId: context.batchId,
    runId: context.run.id,
    onRecorded: context.onRecorded,
    onDone: (rows, failure) => {
      if (failure !== null) {
        refusals.end();
        fail(submission, failure.error);
      }
      leave(submission, rows);
    },
    ...(context.gather === undefined ? {} : { gather: context.gather }),
  });
  const submission: Submission = {
    context,
    recorder,
    limiter,
    refusals,
    openRows: 0,
    onProgress: () => {},
    failure: undefined,
  };
  return submission;
}

/** This many rows are done. */
function leave(submission: Submission, rows: number): void {
  submission.openRows -= rows;
  submission.onProgress();
}

/** Waits for progress. */
async function until(submission: Submission, isSo: () => boolean): Promise<void> {
  if (isSo()) return;
  await new Promise<void>((resolve) => {
    submission.onProgress = () => {
      if (isSo()) resolve();
    };
  });
}

/**
 * The first failure counts as the run's; those that follow from it add nothing. A failure that stops the run replaces
 * one that stops a single batch.
 */
function fail(submission: Submission, error: unknown): void {
  const { failure, context } = submission;
  if (failure === undefined || failure instanceof BatchStop) submission.failure = error;
  context.halt.abort(error);
}

/**
 * Rows in doubt come first, since their keys grow old, then those that were never sent. What others were taken
 * for lost with meanwhile is in doubt as well, so it ends where it began.
 */
const scopesInTurn: Readonly<Record<RowsToClaim, readonly Exclude<RowsToClaim, 'all'>[]>> = {
  all: ['in_doubt', 'fresh', 'in_doubt'],
  fresh: ['fresh'],
  in_doubt: ['in_doubt'],
};

async function claimUntilDone(submission: Submission): Promise<void> {
  const { context } = submission;
  const scopes = scopesInTurn[context.rows ?? 'all'];
  const claims = { made: 0 };
  do {
    for (const scope of scopes) await claimAllOf(submission, scope, claims);
  } while (!context.halt.signal.aborted && (await context.onNothingToClaim?.()));
}

/** Claims and sends rows of one kind until there are none. */
async function claimAllOf(
  submission: Submission,
  scope: RowsToClaim,
  claims: { made: number },
): Promise<void> {
  const { context } = submission;
  const groupSize = Math.min(1_000, Math.max(64, context.concurrency * 8));
  while (!context.halt.signal.aborted) {
    const claimedAt = momentOf(context.clock);
    claims.made += 1;
    const rows = await claimGroup(submission, { claim: claims.made, limit: groupSize, rows: scope });
    if (rows.length === 0) return;
    submission.openRows += rows.length;
    context.onClaimed?.(rows.length);
    for (const row of rows) void submission.limiter(sendRow, submission, row, claimedAt);
    await until(submission, () => hasRoom(submission, groupSize));
  }
}

/** A row's place among those in flight is free as soon as its answer is there; recording comes after. */
async function sendRow(submission: Submission, row: ClaimedRow, claimedAt: Moment): Promise<void> {
  const { row: number, generation, leaseToken, idempotencyKey } = row;
  const { refusals, context } = submission;
  try {
    const { verdict } = refusals;
    if (verdict !== null) await verdict;
    const conclusion = isStopped(context)
      ? conclude({ isEarlierTryUnknown: row.wasUnknown }, [], null)
      : await concludeRow(submission, row, claimedAt);
    refusals.concluded(conclusion);
    submission.recorder.record({ row: number, generation, leaseToken, idempotencyKey, conclusion });
    submission.onProgress();
  } catch (error) {
    fail(submission, error);
    leave(submission, 1);
  }
}

/** Whether this batch alone is to stop: its rows need not wait for the limits that the batches of a call share. */
function isStopped({ halt: { signal } }: SubmitContext): boolean {
  return signal.aborted && signal.reason instanceof BatchStop;
}

/** Claims ahead of the requests, so that no request waits for the ledger, but at most a few groups ahead. */
function hasRoom({ limiter, openRows, context }: Submission, groupSize: number): boolean {
  const isAhead = limiter.pendingCount > groupSize / 2 || openRows > groupSize * 4;
  return !isAhead || context.halt.signal.aborted;
}

/**
 * Claims the next rows and makes sure that the claim and every key is in this run's log, on disk, before the first
 * byte of any is sent: a ledger that does not know a claim of the log has lost what it knew, and requests that an
 * earlier run prepared may stand in a log that is not here. Once the log has failed, the run stops: the rows are put
 * back as they were.
 */
async function claimGroup(
  submission: Submission,
  { claim, ...taken }: { readonly claim: number; readonly limit: number; readonly rows: RowsToClaim },
): Promise<ClaimedRow[]> {
  const { context } = submission;
  const { run, runLog } = context;
  const rows = await context.ledger.claimRows({
    batchId: context.batchId,
    runId: run.id,
    leaseToken: leaseTokenOf(run.number, claim),
    credential: context.credential,
    keyLifetimeInMs: context.keyLifetimeInMs,
    ...(context.approvalId === undefined ? {} : { approvalId: context.approvalId }),
    ...taken,
  });
  if (rows.length > 0) {
    // Only what is committed in the ledger may be named here.
    runLog.append([{ event: 'claim.made', run: run.id, claim, ledger: context.ledgerId }]);
    noteKeysOfOthers(context, rows);
  }
  try {
    // With it goes what was answered meanwhile.
    await runLog.flush();
  } catch (error) {
    fail(submission, error);
  }
  return rows;
}

/**
 * Notes the keys that other runs prepared, whose logs may be elsewhere. A row in doubt was sent by one of these: the
 * log says since when, or a ledger that is recovered from it would take the key for younger than it is.
 */
function noteKeysOfOthers(
  { run, runLog, clock, keyLifetimeInMs }: SubmitContext,
  rows: readonly ClaimedRow[],
): void {
  const preparedElsewhere = rows.filter(({ preparedBy }) => preparedBy !== run.id);
  runLog.append(preparedElsewhere.filter(({ wasUnknown }) => !wasUnknown).map(stagedEvent));
  for (const row of preparedElsewhere.filter(({ wasUnknown }) => wasUnknown)) {
    const keyAgeInMs = Math.max(0, keyLifetimeInMs - row.keyTimeLeftInMs);
    runLog.append([stagedEvent(row)], new Date(clock.now().getTime() - keyAgeInMs));
  }
}

/** Unique to a claim: the run's number in this ledger and the claim's within the run. */
function leaseTokenOf(runNumber: number, claim: number): string {
  return ((BigInt(runNumber) << 32n) | BigInt(claim)).toString();
}

async function concludeRow(submission: Submission, row: ClaimedRow, claimedAt: Moment): Promise<Conclusion> {
  const { context } = submission;
  const { path, idempotencyKey, body } = row;
  let wasSent = row.wasUnknown;
  try {
    const conclusion = await context.sender.send(
      { path, idempotencyKey, body },
      {
        attemptsBefore: row.attempts,
        isEarlierTryUnknown: row.wasUnknown,
        // Counted from the claim: the key grows older while the row waits for its turn.
        resendUntil: claimedAt.monotonicInMs + row.keyTimeLeftInMs,
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
    return waitingIfTimeMends(conclusion, context.waitingCodes ?? []);
  } catch (error) {
    if (!(error instanceof RunStop) || error.conclusion === null) throw error;
    fail(submission, error);
    return error.conclusion;
  }
}

/**
 * Counted by the clock that says more, since a machine may have slept between two tries. Of a row that this run was the
 * first to send, not before the run's lease is over, whatever a key's lifetime.
 */
function isYoungEnough(context: SubmitContext, row: ClaimedRow, claimedAt: Moment): boolean {
  const { wasUnknown, keyTimeLeftInMs } = row;
  const limitInMs = wasUnknown ? keyTimeLeftInMs : Math.max(keyTimeLeftInMs, context.leaseInMs);
  return elapsedInMs(claimedAt, context.clock) < limitInMs;
}
