import type { StatusCounts } from '../rows/row-state.ts';
import type { RowsInDoubt } from './batch.ts';

/** What tells how many rows of a batch no run moves on by itself. */
interface NeedingInput {
  readonly counts: StatusCounts;
  /** Created rows whose answer contradicts what was sent; none when absent. */
  readonly contradicted?: number;
  /** Objects that the API created for rows which do not have them; none when absent. */
  readonly unrecorded?: number;
  /** Invalid and rejected rows that stand corrected in a later batch; none when absent. */
  readonly corrected?: number;
  /** Rows in doubt; null or absent when there are none. */
  readonly doubt?: RowsInDoubt | null;
  /** Not null where nothing more is sent until a person says so. */
  readonly refusedAlike?: unknown;
}

/**
 * How many rows need a person: those to correct, to decide about, or to look into. Waiting rows and rows in doubt
 * need time, or a run, unless their keys have run out or two runs have sent them in vain.
 */
export function rowsForPerson({
  counts,
  contradicted = 0,
  unrecorded = 0,
  corrected = 0,
  doubt = null,
  refusedAlike = null,
}: NeedingInput): number {
  const { invalid = 0, rejected = 0, held = 0, not_sent: notSent = 0 } = counts;
  return (
    invalid +
    rejected -
    corrected +
    held +
    contradicted +
    unrecorded +
    (refusedAlike === null ? 0 : notSent) +
    (doubt?.expired ?? 0) +
    (doubt?.unsettled ?? 0)
  );
}
