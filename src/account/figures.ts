/* What follows from the facts of a batch: where it is in its life, what would be sent, what needs a person, its outcome. */

import type { BatchAccount, BatchState, InputAccount } from '../domain/batches/account.ts';
import { waitsForApproval } from '../domain/batches/approval.ts';
import { asksToSend, type RunRecord } from '../domain/batches/batch.ts';
import type { BatchFacts } from '../domain/batches/batch-facts.ts';
import { type CallOutcome, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import { mayBeAlive } from '../ledger/connection/owner.ts';

/** Whether a run holds its batch, as far as this machine can tell. */
export function isUnderWay({ endedAt, leaseUntil, owner }: RunRecord, now: Date): boolean {
  return endedAt === null && Date.parse(leaseUntil) > now.getTime() && mayBeAlive(owner);
}

type StateFacts = Pick<BatchAccount, 'counts' | 'closing' | 'approval' | 'runs'>;

/** Where a batch is in its life. */
export function stateOf({ counts, closing, approval, runs }: StateFacts): BatchState {
  const { not_sent = 0, unknown = 0, waiting = 0 } = counts;
  if (runs.some((run) => run.isUnderWay)) return 'running';
  if (closing !== null) return 'closed';
  if (not_sent + unknown > 0 && waitsForApproval(approval)) return 'unapproved';
  if (not_sent > 0 && !runs.some(asksToSend)) return 'planned';
  return not_sent + unknown + waiting > 0 ? 'unfinished' : 'finished';
}

/** Rows that go to the API when the batch is sent: those that are ready, and those in doubt, each object once. */
export function rowsToSend(account: Pick<InputAccount, 'counts' | 'repeats'>): {
  readonly notSent: number;
  readonly inDoubt: number;
} {
  const { counts, repeats } = account;
  return {
    notSent: (counts.not_sent ?? 0) - (repeats.not_sent ?? 0),
    inDoubt: (counts.unknown ?? 0) - (repeats.unknown ?? 0),
  };
}

/**
 * How many rows need a person: those to correct, to decide about, or to look into. Waiting rows and rows in doubt need time,
 * or a run, unless their keys have run out or two runs have sent them without a conclusive answer.
 */
export function rowsForPerson(facts: BatchFacts): number {
  const { counts, contradicted, unrecorded, corrected, doubt, refusedAlike, closing, approval } = facts;
  const { invalid = 0, rejected = 0, held = 0, not_sent: notSent = 0 } = counts;
  const toCorrect = closing === null ? invalid + rejected - corrected : 0;
  const isStopped = refusedAlike !== null || closing !== null || waitsForApproval(approval);
  const inDoubt = (doubt?.expired ?? 0) + (doubt?.unsettled ?? 0);
  return toCorrect + held + contradicted + unrecorded + inDoubt + (isStopped ? notSent : 0);
}

/** How many rows of each status still need a person or a run: a row whose correction is done needs neither. */
export function openCountsOf({
  counts,
  superseded,
}: Pick<BatchAccount, 'counts' | 'superseded'>): StatusCounts {
  const { invalid = 0, rejected = 0 } = counts;
  const { invalid: doneInvalid = 0, rejected: doneRejected = 0 } = superseded.done;
  return { ...counts, invalid: invalid - doneInvalid, rejected: rejected - doneRejected };
}

type OutcomeFacts = Pick<
  BatchAccount,
  'counts' | 'superseded' | 'contradicted' | 'unrecorded' | 'refusedAlike' | 'approval'
>;

/**
 * The outcome of a batch as it is.
 * @param obstacle what its unsent rows wait for, where the call knows it better than the ledger
 */
export function outcomeOf(account: OutcomeFacts, obstacle = obstacleOf(account)): CallOutcome {
  return outcomeOfRows(openCountsOf(account), account.contradicted + account.unrecorded, obstacle);
}

function obstacleOf({ refusedAlike, approval }: OutcomeFacts): 'refused_alike' | 'approval' | null {
  if (waitsForApproval(approval)) return 'approval';
  return refusedAlike === null ? null : 'refused_alike';
}
