/* Derives from the facts of a batch: its state, what would be sent, what needs a person, its outcome. */

import type { BatchAccount, BatchState, InputAccount } from '../domain/batches/account.ts';
import { asksToSend, type RunRecord } from '../domain/batches/batch.ts';
import { type BatchFacts, waitsForApproval } from '../domain/batches/batch-facts.ts';
import { type CallOutcome, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import { AmountSums, type CurrencySum, countOf, groupedNumber } from '../domain/money/money.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import { mayBeAlive } from '../ledger/connection/folder-lock.ts';
import { figure, type Line, type Table } from './table/table.ts';
import { occurring, statusLabel } from './words/wording.ts';

/** Whether a run holds its batch, as far as this machine can tell. */
export function isUnderWay({ endedAt, leaseUntil, owner }: RunRecord, now: Date): boolean {
  return endedAt === null && Date.parse(leaseUntil) > now.getTime() && mayBeAlive(owner);
}

type StateFacts = Pick<BatchAccount, 'counts' | 'closing' | 'approval' | 'runs'>;

/** The state of a batch. */
export function stateOf({ counts, closing, approval, runs }: StateFacts): BatchState {
  const { not_sent = 0, unknown = 0, waiting = 0 } = counts;
  if (runs.some((run) => run.isUnderWay)) return 'running';
  if (closing !== null) return 'closed';
  if (not_sent + unknown > 0 && waitsForApproval(approval)) return 'unapproved';
  if (not_sent > 0 && !runs.some(asksToSend)) return 'planned';
  return not_sent + unknown + waiting > 0 ? 'unfinished' : 'finished';
}

/** Rows that are sent with the batch: those that are ready, and those in doubt, each object once. */
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
  const { counts, contradicted, unrecorded, corrected, doubt, refusedAlike, closing, approval } = facts;
  const { invalid = 0, rejected = 0, held = 0, not_sent: notSent = 0 } = counts;
  const toCorrect = closing === null ? invalid + rejected - corrected : 0;
  const isStopped = refusedAlike !== null || closing !== null || waitsForApproval(approval);
  const inDoubt = (doubt?.expired ?? 0) + (doubt?.unsettled ?? 0);
  return toCorrect + held + contradicted + unrecorded + inDoubt + (isStopped ? notSent : 0);
}

/** Number of rows per status that still need a person or a run: a row whose correction is done needs neither. */
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
 * The current outcome of a batch.
 * @param obstacle what its unsent rows wait for, where the call knows it better than the ledger
 */
export function outcomeOf(account: OutcomeFacts, obstacle = obstacleOf(account)): CallOutcome {
  return outcomeOfRows(openCountsOf(account), account.contradicted + account.unrecorded, obstacle);
}

function obstacleOf({ refusedAlike, approval }: OutcomeFacts): 'refused_alike' | 'approval' | null {
  if (waitsForApproval(approval)) return 'approval';
  return refusedAlike === null ? null : 'refused_alike';
}

/* The sums of a batch's amounts, by status and currency, as a table with its total. */

type Sums = NonNullable<InputAccount['sums']>;

/** The amounts of a batch; null where no row has one, or they are not added up. */
export function amountsTable(account: Pick<InputAccount, 'sums' | 'counts' | 'repeats'>): Table | null {
  const { sums, counts, repeats } = account;
  if (sums === null || sums.length === 0) return null;
  const left = leftOut(sums, counts, repeats);
  return {
    title: 'Amounts',
    ...(left.length === 0 ? {} : { introduction: `${left.join('; ')}.` }),
    columns: ['Status', 'Currency', figure('Rows'), figure('Sum')],
    rows: sums.map(({ status, currency, rows, amount }) => [
      { status },
      currency,
      rows,
      { amount, currency },
    ]),
    totals: addedUp(sums).map(
      ({ currency, rows, amount }): Line => ['all', currency, rows, { amount, currency }],
    ),
  };
}

/** Adds up the sums of each currency. */
export function addedUp(sums: readonly CurrencySum[]): readonly CurrencySum[] {
  const added = new AmountSums();
  for (const { currency, amount, rows } of sums) added.add(currency, amount, rows);
  return added.result();
}

/**
 * Notes where a sum does not cover all rows of its status: `created: 2 of 3 rows have an amount`. Only an invalid row may
 * have an unreadable amount.
 */
function leftOut(sums: Sums, counts: StatusCounts, repeats: StatusCounts): readonly string[] {
  return occurring(counts).flatMap(([status, all]) => {
    const repeated = repeats[status] ?? 0;
    const rows = all - repeated;
    const summed = sums.filter((sum) => sum.status === status).reduce((sum, each) => sum + each.rows, 0);
    const have = `${groupedNumber(summed)} of ${countOf(rows, 'row')} ${summed === 1 || rows === 1 ? 'has' : 'have'}`;
    const readable = status === 'invalid' ? ' that can be read' : '';
    return [
      ...(summed < rows ? [`${statusLabel(status)}: ${have} an amount${readable}`] : []),
      ...(repeated > 0 ? [`${statusLabel(status)}: ${repeatedText(repeated)}`] : []),
    ];
  });
}

function repeatedText(rows: number): string {
  return rows === 1
    ? '1 row more repeats an earlier one, and is not counted again'
    : `${groupedNumber(rows)} rows more repeat earlier ones, and are not counted again`;
}
