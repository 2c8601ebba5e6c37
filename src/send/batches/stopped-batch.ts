/* How the sending of a batch stops, alone or with all other batches of the call; the cause, and the remedy. */

import { runLogPath } from '../../account/batch-files/files-of-batch.ts';
import { sourceOf } from '../../account/read-accounts.ts';
import { approvalHeadline, refusedAlikeHeadline } from '../../account/words/wording.ts';
import type { Sender } from '../../api/sender.ts';
import type { CallContext } from '../../call/context.ts';
import { asFailure } from '../../call/start.ts';
import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import type { ApprovalStanding } from '../../domain/batches/batch-facts.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import {
  BatchStop,
  ContentStop,
  HaltStop,
  type RefusedAlike,
  RefusedAlikeStop,
  RunStop,
} from '../../domain/sending/stops.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { otherLedgerSends } from '../../recover/batch-logs.ts';
import { OtherLedgerStop } from '../claim-log.ts';
import { haltedFailure } from '../halt-watch.ts';

/**
 * Stops a batch when the call stops, and the call when the batch stops, unless the cause concerns this batch alone.
 * @param halt the controller of the call
 */
export function haltOfBatch(halt: AbortController): AbortController {
  const own = new AbortController();
  const { signal } = own;
  const stopCall = (): void => {
    if (!(signal.reason instanceof BatchStop)) halt.abort();
  };
  signal.addEventListener('abort', stopCall, { once: true });
  if (halt.signal.aborted) own.abort();
  else halt.signal.addEventListener('abort', () => own.abort(), { once: true, signal });
  return own;
}

/** The failure of a batch whose sending stopped. */
export function failureOfStop(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'readApprovals' | 'countStatuses'>,
  batch: BatchRecord,
  stop: BatchStop,
): Promise<PaybatchError> {
  if (stop instanceof ContentStop) return Promise.resolve(contentChanged(batch, stop.rows));
  return stop instanceof RefusedAlikeStop
    ? refusedAlikeFailure(app, verbs, batch, stop.refused)
    : approvalMissing(verbs, batch);
}

/**
 * Why a run stopped while it sent a batch.
 * @returns an unexpected error unchanged
 */
export async function failureOfRun(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  error: unknown,
): Promise<unknown> {
  if (error instanceof HaltStop) return haltedFailure(await verbs.readHalt());
  return error instanceof OtherLedgerStop
    ? otherLedgerSends(verbs, batch, runLogPath(app, batch))
    : asFailure(error);
}

/** The error for a batch that waits for approval: why none of its rows was sent, and who can approve it. */
export function approvalNeeded(batch: BatchRecord, waiting: ApprovalStanding): PaybatchError {
  const short = shortBatchId(batch.id);
  return new PaybatchError('approval_needed', `Batch ${short}: ${approvalHeadline(waiting)}.`, {
    action: 'approve',
    batch: short,
    planHash: waiting.planHash,
    environment: batch,
    purpose: 'an approver looks at the plan and approves it, and the next run goes on',
  });
}

/** The same error after the ledger has refused a claim, or has left out rows that are not in the approved plan. */
async function approvalMissing(
  verbs: Pick<LedgerVerbs, 'readApprovals'>,
  batch: BatchRecord,
): Promise<PaybatchError> {
  const standing = (await verbs.readApprovals([batch.id])).get(batch.id);
  if (standing?.inForce === null) return approvalNeeded(batch, standing);
  const short = shortBatchId(batch.id);
  return new PaybatchError(
    'approval_needed',
    `Rows of batch ${short} are not in the plan that was approved, and were not sent.`,
    {
      action: 'approve',
      batch: short,
      planHash: standing?.planHash ?? null,
      environment: batch,
      purpose: 'an approver looks at the plan of today and approves it, and the next run goes on',
    },
  );
}

/**
 * The error for rows whose content in the ledger is not what approvers have signed. Somebody may have changed them since.
 */
function contentChanged(batch: BatchRecord, rows: readonly number[]): PaybatchError {
  const short = shortBatchId(batch.id);
  const others = rows.length === 1 ? '' : ` and ${countOf(rows.length - 1, 'other')}`;
  return new PaybatchError(
    'content_not_approved',
    `Row ${rows[0] ?? 0}${others} of batch ${short} would be sent with a content that was not approved: nothing of this claim was sent.`,
    {
      action: 'advice',
      text: 'find out who changed the database (paybatch audit verify)',
      next: {
        action: 'approve',
        batch: short,
        planHash: null,
        environment: batch,
        purpose: 'if the rows are right as they are now, an approver looks at the plan and approves it',
      },
    },
  );
}

async function refusedAlikeFailure(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'countStatuses'>,
  batch: BatchRecord,
  refused: RefusedAlike,
): Promise<PaybatchError> {
  const { sheet } = batch;
  const { not_sent: left = 0 } = await verbs.countStatuses(batch.id);
  return new PaybatchError('refused_alike', `${refusedAlikeHeadline(refused)}.`, [
    {
      action: 'edit_mapping',
      file: sourceOf(app.files ?? [], batch),
      about: null,
      sheet,
      environment: batch,
      effect: 'asks again how the file is read',
    },
    {
      action: 'resume',
      batch: shortBatchId(batch.id),
      refusedAlike: 'off',
      environment: batch,
      effect: left > 0 ? 'sends the others all the same' : 'lets its rejected rows be sent again',
    },
  ]);
}

/**
 * Throws at the end of the last batch of a call if no sent row was answered, by this run or by another one meanwhile. In
 * this case the API is down. Earlier in the call, a row of a later batch may still be answered.
 * @param counts number of rows in each status at the start
 * @throws RunStop
 */
export async function stopIfSilent(
  sender: Pick<Sender, 'silence'>,
  verbs: Pick<LedgerVerbs, 'countStatuses'>,
  batchId: string,
  counts: StatusCounts,
): Promise<void> {
  const silence = sender.silence();
  if (silence === null) return;
  const answered = ({ created = 0, rejected = 0 }: StatusCounts): number => created + rejected;
  const now = await verbs.countStatuses(batchId);
  if (answered(now) <= answered(counts)) throw new RunStop(silence.reason, silence.message);
}

/**
 * Replaces a failure that is normally a mistake in the configuration (such as a database that refuses the user) if it
 * occurs in the middle of a run. Rows were sent by then, so the run has to be resumed.
 */
export function afterSending<Cause>(hasSent: boolean, failure: Cause): Cause | PaybatchError {
  if (!hasSent || !(failure instanceof PaybatchError)) return failure;
  if (failure.kind !== 'usage' && failure.kind !== 'file_refused' && failure.kind !== 'plan_changed')
    return failure;
  return failure.withKind('stopped');
}
