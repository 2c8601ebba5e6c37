import type { Knex } from 'knex';
import { changeBatch } from '../protocol/batch-lock.ts';
import { execute } from '../query/sql.ts';

/**
 * Gives a batch's rejected rows another chance, under new keys: their refusal was conclusive, so no object
 * of the old key can come to exist. The old requests and attempts stay as history. Rows that wait because of
 * a refusal need not wait any longer. A row that stands corrected elsewhere stays refused.
 * @returns how many rows there were
 */
export function returnRejected(database: Knex, batchId: string): Promise<number> {
  return changeBatch(database, batchId, async (transaction) => {
    await execute(transaction, endOfWaiting, [batchId]);
    return execute(transaction, returned, [batchId]);
  });
}

const endOfWaiting = 'UPDATE stored_rows SET refused_at = NULL WHERE batch_id = ? AND refused_at IS NOT NULL';

const returned = `UPDATE stored_rows SET state = 'staged', generation = generation + 1, code = NULL, field = NULL, message = NULL,
       first_sent_at = NULL, may_exist = false, credential = NULL, run_id = NULL, changed_at = now()
     WHERE batch_id = ? AND state = 'rejected' AND code IS DISTINCT FROM 'superseded'`;
