/* The lock of a batch, which whoever changes its rows holds, and whether a run still holds the batch. */

import type { Knex } from 'knex';
import { asFence, byKeysOnly, isAt, itsPlace, rowStateOf } from '../query/planner.ts';
import { bool, type Database, execute, int8, orNull, query, text, verb } from '../query/sql.ts';

/**
 * The one lock of this ledger: whoever changes rows, claims or chunks of a batch holds the lock of its line in
 * `batches` from the first statement of the database transaction to the end of its commit. So changes of one
 * batch come one after the other, each sees all that the ones before it did, and a repeated verb waits for its
 * own first try to be committed or undone. Triggers refuse changes without it.
 *
 * Held for milliseconds: nobody sends a request, waits or asks a person while holding it.
 * @param work gets the open database transaction
 * @param isChange whether something was changed; the batch's revision counts changes. Without it the work is taken
 *   for one, and counted with the lock: each statement more under it is time in which nobody else works.
 */
export async function changeBatch<Result>(
  database: Knex,
  batchId: string,
  work: (transaction: Database) => Promise<Result>,
  isChange?: (result: Result) => boolean,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    if (isChange === undefined) {
      await lockAndCount(transaction, batchId);
      return work(transaction);
    }
    await lockBatch(transaction, batchId);
    const result = await work(transaction);
    if (isChange(result)) await countChange(transaction, batchId);
    return result;
  });
}

/**
 * Takes the lock of a batch until the end of the database transaction.
 * @returns the batch's revision, a whole number as text; null when there is no such batch
 */
export async function lockBatch(transaction: Database, batchId: string): Promise<string | null> {
  const [locked] = await query(
    transaction,
    { revision: orNull(int8), byKeysOnly: text },
    `SELECT lock_batch(?) AS revision, ${byKeysOnly} AS "byKeysOnly"`,
    [batchId],
  );
  return locked?.revision ?? null;
}

/** Takes the lock of a batch, as `lockBatch` does, and counts a change of it. */
async function lockAndCount(transaction: Database, batchId: string): Promise<void> {
  await execute(
    transaction,
    `WITH locked AS (UPDATE batches SET revision = revision + 1 WHERE id = ? RETURNING id)
     SELECT set_config('paybatch.locked_batch', id::text, true), ${byKeysOnly} FROM locked`,
    [batchId],
  );
}

/** Counts a change of a batch that is locked. */
export async function countChange(transaction: Database, batchId: string): Promise<void> {
  await execute(transaction, 'UPDATE batches SET revision = revision + 1 WHERE id = ?', [batchId]);
}

/** Changes one statement long, of which the number of rows tells whether there was any. */
export function changeRows(
  database: Knex,
  batchId: string,
  sql: string,
  bindings: readonly unknown[],
): Promise<number> {
  return changeBatch(
    database,
    batchId,
    (transaction) => execute(transaction, sql, bindings),
    (rows) => rows > 0,
  );
}

/**
 * A batch's revision: two that are the same say that no row has changed in between.
 * @returns a whole number as text
 */
export const readRevision = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, batchId: string): Promise<string> => {
    const [found] = await query(database, { revision: int8 }, 'SELECT revision FROM batches WHERE id = ?', [
      batchId,
    ]);
    if (found === undefined) throw new Error('a batch that is under a run is not there');
    return found.revision;
  },
);

/** SQL that says whether the run whose id is bound here still holds its batch. */
export const isRunOpen = 'EXISTS (SELECT FROM runs WHERE id = ? AND ended_at IS NULL)';

/** SQL that says whether the batch whose id is bound here was closed by a person. */
export const isClosed = 'EXISTS (SELECT FROM batches WHERE id = ? AND closed_at IS NOT NULL)';

/** Whether a run still holds its batch. Under the batch's lock, where no other run can take it over meanwhile. */
export async function holdsItsBatch(transaction: Database, runId: string): Promise<boolean> {
  const [found] = await query(transaction, { isOpen: bool }, `SELECT ${isRunOpen} AS "isOpen"`, [runId]);
  return found?.isOpen === true;
}

/* Requests whose keys were never used, and never will be. */

/** Deletes the requests that rows have in their present generation: they are taken out of what is sent. */
export async function forgetUnusedRequests(
  transaction: Database,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  if (rows.length === 0) return;
  await execute(
    transaction,
    `DELETE FROM requests q USING unnest(?::int[]) AS p (row_number)
     ${rowStateOf('p')}
     CROSS JOIN LATERAL (SELECT ${itsPlace} FROM requests
       WHERE batch_id = s.batch_id AND row_number = s.row_number AND generation = s.generation ${asFence}) found
     WHERE ${isAt('q', 'found')}`,
    [rows, batchId],
  );
}
