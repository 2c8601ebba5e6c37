import type { StatusTotal } from '../money/expectation.ts';
import type { StatusCounts } from '../rows/row-state.ts';
import type { UnansweredRows } from '../sending/outcome.ts';
import type { BatchFamily, RowsInDoubt, RunRecord, SupersededCounts, WaitingRows } from './batch.ts';
import type { RefusedAlike } from './batch-summary.ts';

/** What the rows of a batch add up to. */
export interface RowTotals {
  readonly counts: StatusCounts;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
  /** Amounts by status and currency. */
  readonly sums: readonly StatusTotal[];
}

/** Where a batch stands, as the ledger has it. */
export interface BatchStanding extends Omit<RowTotals, 'sums'> {
  /** Null while rows have changed since a run last added them up. */
  readonly sums: RowTotals['sums'] | null;
  /** Objects that the API created for rows which do not have them. */
  readonly unrecorded: number;
  /** Invalid and rejected rows that stand corrected in a later batch. */
  readonly corrected: number;
  /** Rows that are not sent any more since a later batch corrects them. */
  readonly superseded: SupersededCounts;
  /** Null when no row is in doubt. */
  readonly doubt: RowsInDoubt | null;
  /** Rows that the API gave no answer; null when there are none. */
  readonly unanswered: UnansweredRows | null;
  /** Why nothing more of it is sent until a person says so; null where nothing stands in the way. */
  readonly refusedAlike: RefusedAlike | null;
  readonly waiting: readonly WaitingRows[];
  /** Null for a batch that corrects none and has no corrections. */
  readonly family: BatchFamily | null;
  /** Oldest first. */
  readonly runs: readonly RunRecord[];
}
