/* The figures of a batch: its state, its outcome, and how many rows wait for a person or for a run. */

import type { BatchAccount, BatchState, InputAccount } from '../domain/batches/account.ts';
import type { Kind } from '../domain/batches/batch.ts';
import { type BatchFacts, waitsForApproval, withoutCorrected } from '../domain/batches/batch-facts.ts';
import { asksToSend, type RunRecord } from '../domain/batches/run.ts';
import { type CallOutcome, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import { groupedNumber } from '../domain/money/money.ts';
import type { ResultStatus, StatusCounts } from '../domain/rows/row-state.ts';
import { amountsAreOnlyChecked } from '../kinds/registry.ts';
import { mayBeAlive } from '../ledger/connection/folder-lock.ts';
import { occurring, statusMeaning } from './words/wording.ts';

/** Whether a run holds its batch, as far as this machine can tell. */
export function isUnderWay({ endedAt, leaseUntil, owner }: RunRecord, now: Date): boolean {
  return endedAt === null && Date.parse(leaseUntil) > now.getTime() && mayBeAlive(owner);
}

type StateFacts = Pick<BatchAccount, 'counts' | 'closing' | 'approval' | 'runs'>;

/** The state of a batch. */
export function stateOf({ counts, closing, approval, runs }: StateFacts): BatchState {
  const { not_sent = 0, unknown = 0 } = counts;
  if (runs.some((run) => run.isUnderWay)) return 'running';
  if (closing !== null) return 'closed';
  if (not_sent + unknown > 0 && waitsForApproval(approval)) return 'unapproved';
  if (not_sent > 0 && !runs.some(asksToSend)) return 'planned';
  return openRows(counts) > 0 ? 'unfinished' : 'finished';
}

/** Number of rows that need a run. */
export function openRows({ not_sent = 0, unknown = 0, waiting = 0 }: StatusCounts): number {
  return not_sent + unknown + waiting;
}

/** The rows that are sent with the batch: rows that are ready, and rows in doubt. Each object counts once. */
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
 * Number of rows that need a person: to correct, decide about, or investigate. Waiting rows and rows in doubt need time,
 * or a run, unless their keys have expired or two runs have sent them without a conclusive answer.
 */
export function rowsForPerson(facts: BatchFacts): number {
  const { counts, contradicted, unrecorded, doubt, edited, refusedAlike, closing, approval } = facts;
  const { held = 0, not_sent: notSent = 0 } = counts;
  const { invalid = 0, rejected = 0 } = withoutCorrected(facts);
  const toCorrect = closing === null ? invalid + rejected : 0;
  const isStopped =
    refusedAlike !== null || closing !== null || waitsForApproval(approval) || edited.notSent > 0;
  const inDoubt = (doubt?.expired ?? 0) + (doubt?.unsettled ?? 0);
  return toCorrect + held + contradicted + unrecorded + inDoubt + (isStopped ? notSent : 0);
}

/** Number of rows per status that still need a person or a run: a row whose correction is done needs neither. */
export function openCountsOf(facts: Pick<BatchAccount, 'counts' | 'superseded'>): StatusCounts {
  const { counts, superseded } = facts;
  const { invalid = 0, rejected = 0 } = counts;
  const { invalid: doneInvalid = 0, rejected: doneRejected = 0 } = superseded.done;
  return { ...counts, invalid: invalid - doneInvalid, rejected: rejected - doneRejected };
}

type OutcomeFacts = Pick<
  BatchAccount,
  'counts' | 'superseded' | 'contradicted' | 'unrecorded' | 'refusedAlike' | 'approval'
>;

/**
 * The current outcome of a batch.
 * @param obstacle what the unsent rows wait for, if the call knows it better than the ledger
 */
export function outcomeOf(account: OutcomeFacts, obstacle = obstacleOf(account)): CallOutcome {
  return outcomeOfRows(openCountsOf(account), account.contradicted + account.unrecorded, obstacle);
}

function obstacleOf({ refusedAlike, approval }: OutcomeFacts): 'refused_alike' | 'approval' | null {
  if (waitsForApproval(approval)) return 'approval';
  return refusedAlike === null ? null : 'refused_alike';
}

/** Number of rows with a status, and its meaning for them. */
interface CountedStatus {
  readonly status: ResultStatus;
  readonly rows: number;
  readonly meaning: string;
}

/** The statuses that occur, in the order of their declaration. */
export function countedStatuses({
  counts,
  repeats,
  corrected = {},
}: Pick<InputAccount, 'counts' | 'repeats'> &
  Partial<Pick<BatchFacts, 'corrected'>>): readonly CountedStatus[] {
  return occurring(counts).map(([status, rows]) => {
    const [repeated, moved] = [repeats[status] ?? 0, corrected[status] ?? 0];
    const parts = [
      statusMeaning(status),
      repeated > 0 && repeatsText(repeated, status),
      moved > 0 && `${groupedNumber(moved)} of them ${moved === 1 ? 'is' : 'are'} corrected in another batch`,
    ];
    return { status, rows, meaning: parts.filter((part) => part !== false).join('; ') };
  });
}

/** A row that repeats another row is never sent itself. It is not ready, whatever state its original has. */
function repeatsText(rows: number, status: ResultStatus): string {
  const [them, repeat, are, its] =
    rows === 1
      ? ['1 of them', 'repeats an earlier row', 'is', 'that']
      : [`${groupedNumber(rows)} of them`, 'repeat earlier rows', 'are', 'these'];
  return status === 'not_sent' ? `${them} ${repeat} and ${are} sent with ${its}` : `${them} ${repeat}`;
}

/**
 * The names for the sums of a kind's rows. If the amounts of a kind are only checked, the names say so, because no
 * amount is paid.
 */
export function sumNames(kind: Kind): {
  readonly created: string;
  readonly not_sent: string;
  /** A note for all sums; empty if no note is needed. */
  readonly note: string;
} {
  return amountsAreOnlyChecked(kind)
    ? {
        created: 'Amounts of the rows sent, only checked',
        not_sent: 'Amounts of the rows not sent, only checked',
        note: 'only checked: none is paid',
      }
    : { created: 'Sent', not_sent: 'Not sent', note: '' };
}
