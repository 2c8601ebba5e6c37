import type { CallContext } from '../../call/context.ts';
import type { OriginalBatch } from '../../domain/batches/batch.ts';

/** Finds the batch that the rows of a failed file name; undefined where the ledger does not have it. */
export type FindOriginalBatch = (batchId: string) => Promise<OriginalBatch | undefined>;

/**
 * Looks into the ledger while files are opened: it is opened only if a file asks. A ledger that is not there yet is
 * not made.
 */
export function originalBatchesOf({ connections }: CallContext): FindOriginalBatch {
  return async (batchId) => {
    if (!connections.isLedgerThere()) return undefined;
    return (await connections.ledger()).verbs.findOriginalBatch(batchId);
  };
}
