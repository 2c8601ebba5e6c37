/* The lock of a batch, which every change of its rows holds, and whether a run still holds the batch. */

import type { Knex } from 'knex';
import { asFence, byKeysOnly, isAt, itsPlace, rowStateOf } from '../query/planner.ts';
import { bool, type Database, execute, int8, orNull, query, text, verb } from '../query/sql.ts';

/**
 * The one lock of this ledger: every change of rows, claims or chunks of a batch holds the lock of its line in
 * `batches` from the first statement of the database transaction to the end of its commit. So changes of one
 * batch run one after the other, each sees the results of all earlier ones, and a repeated verb waits for its
 * own first try to be committed or undone. Triggers refuse changes without it.
 *
 * Held for milliseconds: no code sends a request, waits or prompts a person while holding it.
 * @param work gets the open database transaction
 * @param isChange whether the work changed anything; the batch's revision counts changes. Without it the work is counted
 *   as a change, together with the lock: each further statement under it is time in which all others wait.
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

/** Takes the lock of a batch, as `lockBatch` does, and counts a change. */
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

/** Changes of one statement, whose number of rows shows whether anything changed. */
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
 * A batch's revision: if two are equal, no row has changed between them.
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

/** SQL: the run whose id is bound here still holds its batch. */
export const isRunOpen = 'EXISTS (SELECT FROM runs WHERE id = ? AND ended_at IS NULL)';

/** SQL: a person has closed the batch whose id is bound here. */
export const isClosed = 'EXISTS (SELECT FROM batches WHERE id = ? AND closed_at IS NOT NULL)';

/** Whether a run still holds its batch. Under the batch's lock, during which no other run can take it over. */
export async function holdsItsBatch(transaction: Database, runId: string): Promise<boolean> {
  const [found] = await query(transaction, { isOpen: bool }, `SELECT ${isRunOpen} AS "isOpen"`, [runId]);
  return found?.isOpen === true;
}

/* Requests whose keys were never used, and never will be. */

/** Deletes the requests of rows in their present generation: the rows are taken out of what is sent. */
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
