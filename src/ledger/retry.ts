import type { Knex } from 'knex';
import { changeRows } from './batch-lock.ts';

/**
 * Gives a batch's rejected rows another chance, under new keys: their refusal was conclusive, so no object
 * of the old key can come to exist. The old requests and attempts stay as history.
 * @returns how many rows there were
 */
export function returnRejected(database: Knex, batchId: string): Promise<number> {
  return changeRows(
    database,
    batchId,
    `UPDATE stored_rows SET state = 'staged', generation = generation + 1, code = NULL, field = NULL, message = NULL,
       first_sent_at = NULL, may_exist = false, credential = NULL, run_id = NULL, changed_at = now()
     WHERE batch_id = ? AND state = 'rejected'`,
    [batchId],
  );
}
