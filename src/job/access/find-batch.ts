import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';

/**
 * The batch that a person means.
 * @param named a batch id, or an unambiguous beginning of one, of 4 characters or more
 * @throws Failure (exit 2) when there is none, or more than one
 */
export async function findNamedBatch(verbs: LedgerVerbs, named: string): Promise<BatchRecord> {
  if (!/^[0-9a-f-]{4,36}$/i.test(named)) {
    throw refused(`"${named}" is no batch id: 4 or more of its characters are needed.`);
  }
  const [batch, second] = await verbs.findBatchesByPrefix(named);
  if (batch === undefined) throw refused(`There is no batch ${named} in this ledger.`);
  if (second === undefined) return batch;
  throw refused(
    `More than one batch begins with ${named}: ${shortBatchId(batch.id)}, ${shortBatchId(second.id)}.`,
  );
}

function refused(message: string): Failure {
  const next = { words: ['status'], after: ' lists the batches', needs: 'place' } as const;
  return new Failure(exitCodes.usage, 'batch_not_found', message, next);
}
