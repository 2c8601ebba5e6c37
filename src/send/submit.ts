/* Sends the rows that a run has claimed. */

import pLimit, { type LimitFunction } from 'p-limit';
import type { ClaimedRow, RowConclusion, RowsToClaim } from '../domain/rows/ledger-row.ts';
import { type Conclusion, waitingIfTimeMends } from '../domain/sending/outcome.ts';
import { BatchStop, RefusedAlikeStop } from '../domain/sending/stops.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { approvedOf, type ClaimedGroup, type ContentCheck, notProven } from './approvals.ts';
import { type ClaimLogContext, noteClaim } from './claim-log.ts';
import { momentOf } from './lease.ts';
import { createRecorder, type Recorder, RefusalWatch } from './recorder.ts';
import { RowQueue, type TurnContext, takeTurn } from './row-turn.ts';

export interface SubmitContext extends TurnContext, ClaimLogContext {
  readonly ledger: Pick<
    LedgerVerbs,
    'claimRows' | 'recordConclusions' | 'stopIfRefusedAlike' | 'countUnknownClaims'
  >;
  readonly run: { readonly id: string; readonly number: number };
  /** Fingerprint of the API key, never the key. */
  readonly credential: string;
  readonly concurrency: number;
  readonly rows: RowsToClaim;
  /** Whether the latest run that sent rows was complete: its rows in doubt failed while others were answered. */
  readonly latestRunWasWhole: boolean;
  /** The approval under which rows are claimed; undefined where the policy requires none. */
  readonly approvalId: string | undefined;
  /** Compares rows with what was approved; undefined where nothing can differ. */
  readonly checkContent: ContentCheck | undefined;
  readonly onRecorded: (conclusions: readonly RowConclusion[]) => void;
  /** Called with how many rows were claimed. */
  readonly onClaimed: (rows: number) => void;
  /** Codes of temporary refusals: their rows wait. */
  readonly waitingCodes: readonly string[];
  /** Number of rows refused for one reason at which the batch stops, if no row was created; never when absent or null. */
  readonly refusedAlike?: number | null;
  /** Waits a moment between two groups of recorded rows, so that more of them can arrive. */
  readonly gather?: () => Promise<void>;
  /** Called when there is nothing to claim; true to claim again, because more rows were made ready. */
  readonly onNothingToClaim: () => Promise<boolean>;
  /**
   * Called when every claimed row has its result; true to claim again, because another run may leave rows behind. When
   * absent, the submission ends.
   */
  readonly onNothingLeft?: (() => Promise<boolean>) | undefined;
  /** Receives the limiter whose concurrency is lowered and raised during the run. */
  readonly onLimiter: (limiter: LimitFunction) => void;
}

/** What the parts of one submission share. */
interface Submission {
  readonly context: SubmitContext;
  readonly recorder: Recorder;
  readonly limiter: LimitFunction;
  readonly refusals: RefusalWatch;
  /** Claimed rows that wait for their turn, or were set aside. */
  readonly queue: RowQueue;
  /** How many claims were made. */
  claims: number;
  /** Number of rows that are claimed and not yet recorded. */
  openRows: number;
  /** Number of rows that wait for their turn or have it. */
  rowsInTurn: number;
  /** Called after each turn, and when rows are done. */
  onProgress: () => void;
  failure: unknown;
}

/**
 * Sends all rows that can be sent: claims a group, sends its rows with limited concurrency, records their results, and
 * claims the next group meanwhile. No database transaction is open during a request. Returns when nothing is left to claim,
 * or when the run is to stop and all rows in flight have been recorded.
 * @throws RunStop when credentials, configuration or an unreachable API stop the run; BatchStop when all rows of the batch
 *   are refused for one reason, or an approval is missing
 */
export async function submitRows(context: SubmitContext): Promise<void> {
  const submission = begin(context);
  await claimUntilDone(submission).catch((error: unknown) => fail(submission, error));
  await askAgain(submission);
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
    queue: new RowQueue(),
    claims: 0,
    openRows: 0,
    rowsInTurn: 0,
    onProgress: () => {},
    failure: undefined,
  };
  return submission;
}

/** Removes this number of finished rows from the count of open rows. */
function leave(submission: Submission, rows: number): void {
  submission.openRows -= rows;
  submission.onProgress();
}

/** Waits until the condition is true. It is checked at each progress. */
async function until(submission: Submission, isSo: () => boolean): Promise<void> {
  if (isSo()) return;
  await new Promise<void>((resolve) => {
    submission.onProgress = () => {
      if (isSo()) resolve();
    };
  });
}

/**
 * Keeps the first failure as the failure of the run; later ones mostly follow from it. A failure that stops the run
 * replaces one that stops a single batch.
 */
function fail(submission: Submission, error: unknown): void {
  const { failure, context } = submission;
  if (failure === undefined || failure instanceof BatchStop) submission.failure = error;
  context.halt.abort(error);
}

/**
 * The order of claims. Rows in doubt come first, since their keys get older, then rows that were never sent. Then rows in
 * doubt again, since runs that were lost meanwhile may have left new ones.
 */
const scopesInTurn: Readonly<Record<RowsToClaim, readonly Exclude<RowsToClaim, 'all'>[]>> = {
  all: ['in_doubt', 'fresh', 'in_doubt'],
  fresh: ['fresh'],
  in_doubt: ['in_doubt'],
};

async function claimUntilDone(submission: Submission): Promise<void> {
  const { context } = submission;
  do {
    do {
      for (const scope of scopesInTurn[context.rows]) await claimAllOf(submission, scope);
    } while (!context.halt.signal.aborted && (await context.onNothingToClaim()));
    // Done before waiting for other runs, since those may wait for these rows.
    await askAgain(submission);
  } while (!context.halt.signal.aborted && (await context.onNothingLeft?.()));
}

/**
 * Sends the rows that were set aside again, in turns, until each has its result. If the run is to stop, they get a result
 * at once, without a request.
 */
async function askAgain(submission: Submission): Promise<void> {
  const { queue } = submission;
  do {
    giveTurns(submission, queue.takeBack());
    await until(submission, () => submission.rowsInTurn === 0);
  } while (queue.rowsAside > 0);
}

/** Gives `rows` rows of the queue a turn each, as soon as places among the rows in flight become free. */
function giveTurns(submission: Submission, rows: number): void {
  submission.rowsInTurn += rows;
  for (let row = 0; row < rows; row += 1) void submission.limiter(sendNext, submission);
}

/** Claims and sends rows of one scope until none is left. */
async function claimAllOf(submission: Submission, scope: RowsToClaim): Promise<void> {
  const { context } = submission;
  const groupSize = Math.min(1_000, Math.max(64, context.concurrency * 8));
  while (!context.halt.signal.aborted) {
    const claimedAt = momentOf(context.clock);
    const { rows, held } = await claimGroup(submission, { limit: groupSize, rows: scope });
    if (rows.length + held.length === 0) return;
    submission.openRows += rows.length + held.length;
    context.onClaimed(rows.length + held.length);
    for (const row of held) take(submission, row, notProven);
    // Rows with the fewest attempts come first: rows with many attempts may always fail, and few of them are tried in vain.
    for (const row of rows.toSorted((one, other) => one.attempts - other.attempts)) {
      const failedAlone = row.wasUnknown && context.latestRunWasWhole;
      submission.queue.add({ row, claimedAt, aside: null, failedAlone });
    }
    giveTurns(submission, rows.length);
    await until(submission, () => hasRoom(submission, groupSize));
  }
}

/**
 * Gives the next row its turn. Its place among the rows in flight is free as soon as the turn is over; recording comes
 * after.
 */
async function sendNext(submission: Submission): Promise<void> {
  const { queue, context, refusals } = submission;
  const next = queue.next(context.sender.isApiInDoubt());
  try {
    const { verdict } = refusals;
    if (verdict !== null) await verdict;
    const end = await takeTurn(context, queue, next, (stop) => fail(submission, stop));
    if (end.state === 'set_aside') queue.setAside({ ...next, aside: end }, context.clock.monotonicInMs());
    else take(submission, next.row, waitingIfTimeMends(end, context.waitingCodes));
    giveTurns(submission, queue.takeBackDue(context.clock.monotonicInMs()));
  } catch (error) {
    fail(submission, error);
    leave(submission, 1);
  }
  submission.rowsInTurn -= 1;
  submission.onProgress();
}

/** Passes the conclusion of a row to the recorder. */
function take({ refusals, recorder }: Submission, claimed: ClaimedRow, conclusion: Conclusion): void {
  const { row, generation, leaseToken, idempotencyKey } = claimed;
  refusals.concluded(conclusion);
  recorder.record({ row, generation, leaseToken, idempotencyKey, conclusion });
}

/**
 * Whether more rows may be claimed. Rows are claimed ahead of the requests, so that no request waits for the ledger, but at
 * most a few groups ahead. While the API may be down, this allowance is used in full, so that the queue also contains other
 * rows than those that failed.
 */
function hasRoom({ limiter, openRows, queue, context }: Submission, groupSize: number): boolean {
  const isEnough = limiter.pendingCount > groupSize / 2 && !context.sender.isApiInDoubt();
  const isAhead = isEnough || openRows - queue.rowsAside > groupSize * 4;
  return !isAhead || context.halt.signal.aborted;
}

/**
 * Claims the next rows and compares them with what was approved. Writes the claim and all keys to this run's log on disk
 * before the first byte of any row is sent: a ledger that does not know a claim of the log has lost data, and requests that
 * an earlier run prepared may be in a log that is elsewhere. If the log fails, or has claims of another ledger, the run
 * stops and the rows are put back unchanged.
 */
async function claimGroup(
  submission: Submission,
  taken: { readonly limit: number; readonly rows: RowsToClaim },
): Promise<ClaimedGroup> {
  const { context } = submission;
  const { run } = context;
  submission.claims += 1;
  const claim = submission.claims;
  const rows = await context.ledger.claimRows({
    batchId: context.batchId,
    runId: run.id,
    leaseToken: leaseTokenOf(run.number, claim),
    credential: context.credential,
    keyLifetimeInMs: context.keyLifetimeInMs,
    approvalId: context.approvalId,
    ...taken,
  });
  let group: ClaimedGroup = { rows, held: [] };
  try {
    // Checked before the log gets the keys of these rows, since the check may search the log for rows in doubt.
    group = await approvedOf(context.checkContent, rows);
    // The flush also writes the answers that arrived meanwhile.
    if (group.rows.length === 0) await context.runLog.flush();
    else await noteClaim(context, claim, group.rows);
  } catch (error) {
    fail(submission, error);
  }
  return group;
}

/** Unique to a claim: the number of the run in this ledger, and the number of the claim within the run. */
function leaseTokenOf(runNumber: number, claim: number): string {
  return ((BigInt(runNumber) << 32n) | BigInt(claim)).toString();
}
