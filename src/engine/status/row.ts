import { type BatchRecord, type RowsInDoubt, shortBatchId } from '../../domain/batches/batch.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { duplicateStatus, type ResultStatus, resultStatus } from '../../domain/rows/row-state.ts';
import type { RowHistory, StandingRow } from '../../ledger/after-sending/row-history.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { command } from '../../output/words/next-steps.ts';
import { keyLifetimeFor } from '../access/key-lifetime.ts';
import { repeatedOptions } from '../access/repeated-options.ts';
import type { CallContext } from '../running/context.ts';

/**
 * Everything that the ledger knows about a row.
 * @throws Failure (exit 2) when the batch has no row of that number
 */
export async function findRow(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  row: number,
): Promise<RowHistory> {
  const history = await verbs.readRowHistory(batch.id, row, keyLifetimeFor(app, batch.mode).durationInMs);
  if (history !== undefined) return history;
  const short = shortBatchId(batch.id);
  throw new Failure(
    exitCodes.usage,
    'row_not_found',
    `Batch ${short} has no row ${row}: rows are numbered as a spreadsheet program shows them, and the header is row 1.`,
    command('status', short, repeatedOptions(app, batch)),
  );
}

/** What is known of a row in doubt, as of those of a whole batch; null where it is not in doubt. */
export function doubtOf({ row }: RowHistory): RowsInDoubt | null {
  const { firstSentAt, keyRunsOutAt, isExpired, isUnsettled } = row;
  if (firstSentAt === null || keyRunsOutAt === null) return null;
  return {
    ...{ oldestSentAt: firstSentAt, oldestRunsOutAt: keyRunsOutAt },
    nextRunsOutAt: isExpired || isUnsettled ? null : keyRunsOutAt,
    expired: isExpired ? 1 : 0,
    unsettled: isUnsettled && !isExpired ? 1 : 0,
  };
}

/** What the result files call the state of a row. */
export function statusOfRow({ state, originalState }: StandingRow): ResultStatus {
  return state === 'duplicate' ? duplicateStatus(originalState ?? 'staged') : resultStatus(state);
}
