/* The lock of a batch, which every change of the batch's rows holds, and the test whether a run still holds the batch. */

import type { Knex } from 'knex';
import { asFence, byKeysOnly, isAt, itsPlace, rowStateOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/**
 * The most important lock of the ledger. Every change of rows, claims or chunks of a batch locks the batch's line in
 * `batches`, from the first statement of the database transaction to the end of its commit. So changes of one batch run one
 * after the other, and each one sees the results of all earlier ones. A repeated verb waits until its own first try is
 * committed or undone. Triggers refuse changes without the lock.
 * The lock is held for milliseconds: no code sends a request, waits or prompts a person while it holds the lock.
 * @param work gets the open database transaction
 * @param isChange whether the work changed anything; the batch's revision counts changes. Without this parameter the work is
 * counted as a change by the statement that takes the lock. Each further statement under the lock is time in which all other
 * changes wait.
 */
export async function changeBatch<Result>(
  database: Knex,
  batchId: string,
  work: (transaction: sql.Database) => Promise<Result>,
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
 * @returns the batch's revision, a whole number as text; null if there is no such batch
 */
export async function lockBatch(transaction: sql.Database, batchId: string): Promise<string | null> {
  const locked = await sql.findRow(
    transaction,
    { revision: sql.orNull(sql.int8), byKeysOnly: sql.text },
    `SELECT lock_batch(?) AS revision, ${byKeysOnly} AS "byKeysOnly"`,
    [batchId],
  );
  return locked?.revision ?? null;
}

/** Takes the lock of a batch, as `lockBatch` does, and counts a change in the same statement. */
async function lockAndCount(transaction: sql.Database, batchId: string): Promise<void> {
  await sql.execute(
    transaction,
    `WITH locked AS (UPDATE batches SET revision = revision + 1 WHERE id = ? RETURNING id)
     SELECT set_config('paybatch.locked_batch', id::text, true), ${byKeysOnly} FROM locked`,
    [batchId],
  );
}

/** Counts a change of a batch that is locked. */
export async function countChange(transaction: sql.Database, batchId: string): Promise<void> {
  await sql.execute(transaction, 'UPDATE batches SET revision = revision + 1 WHERE id = ?', [batchId]);
}

/** Makes the changes of one statement. The statement's number of rows shows whether anything changed. */
export function changeRows(
  database: Knex,
  batchId: string,
  statement: string,
  bindings: readonly unknown[],
): Promise<number> {
  return changeBatch(
    database,
    batchId,
    (transaction) => sql.execute(transaction, statement, bindings),
    (rows) => rows > 0,
  );
}

/**
 * A batch's revision: if two are equal, no row has changed between them.
 * @returns a whole number as text
 */
export const readRevision = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<string> =>
    sql.onlyValue(database, sql.int8, 'SELECT revision FROM batches WHERE id = ?', [batchId]),
);

/** SQL: the run with the id that is bound here still holds its batch. */
export const isRunOpen = 'EXISTS (SELECT FROM runs WHERE id = ? AND ended_at IS NULL)';

/** SQL: a person has closed the batch with the id that is bound here. */
export const isClosed = 'EXISTS (SELECT FROM batches WHERE id = ? AND closed_at IS NOT NULL)';

/**
 * Whether a run still holds its batch. Called under the batch's lock, so that no other run can take the batch over
 * meanwhile.
 */
export function holdsItsBatch(transaction: sql.Database, runId: string): Promise<boolean> {
  return sql.onlyValue(transaction, sql.bool, `SELECT ${isRunOpen} AS "isOpen"`, [runId]);
}

/* Requests whose keys were never used and never will be. */

/** Deletes the requests of rows in their present generation, because the rows are excluded from sending. */
export async function forgetUnusedRequests(
  transaction: sql.Database,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql.execute(
    transaction,
    `SELECT forget_requests(?, array_agg(s.row_number), array_agg(s.generation))
     FROM unnest(?::int[]) AS p (row_number) ${rowStateOf('p')}`,
    [batchId, rows, batchId],
  );
}

/* Chunks: rows that are prepared and claimed together, and how a row is taken out of its chunk. */

/*
 * Rows that are prepared together are divided into chunks. A claim takes whole chunks. It writes one line for each chunk and
 * nothing in the rows. A chunk is claimed at most once. If the first answer creates a row's object, the row is appended to
 * `created_objects`. Any other row is first taken out of its chunk, and stored like a row that was claimed alone, before
 * anything else is recorded about it. All of this runs under the lock of the batch.
 */

/**
 * SQL: row state `row` is in chunk `chunk` and not created.
 */
export function isOpenIn(row: string, chunk: string): string {
  return `${row}.batch_id = ${chunk}.batch_id AND ${row}.chunk = ${chunk}.chunk
    AND ${row}.row_number BETWEEN ${chunk}.first_row AND ${chunk}.last_row
    AND NOT EXISTS (SELECT FROM created_objects f
      WHERE f.batch_id = ${row}.batch_id AND f.row_number = ${row}.row_number ${asFence})`;
}

/**
 * SQL of a CTE that updates how many rows of chunks are still open. Its binding is the batch's id.
 * @param moved a table expression with the `chunk` of each row that is no longer open in it
 */
export function countedOff(moved: string): string {
  return `counted AS (
       UPDATE send_chunks c SET open_rows = c.open_rows - gone.rows
       FROM (SELECT m.chunk, count(*)::int AS rows FROM ${moved} m WHERE m.chunk IS NOT NULL GROUP BY m.chunk) gone
       CROSS JOIN LATERAL (SELECT ${itsPlace} FROM send_chunks WHERE batch_id = ? AND chunk = gone.chunk ${asFence}) found
       WHERE ${isAt('c', 'found')})`;
}

/**
 * SQL after a CTE `rows` with rows of chunks, their places and claims. It stores them as if they had been claimed one by
 * one. Its binding is the batch's id.
 */
function materialize(rows: string): string {
  return `moved AS (
       UPDATE row_states s SET state = 'sending', lease_token = l.lease_token, run_id = l.run_id,
         credential = l.credential, first_sent_at = l.claimed_at, changed_at = l.claimed_at, chunk = NULL
       FROM ${rows} l WHERE ${isAt('s', 'l')}
       RETURNING l.chunk),
     ${countedOff('moved')}
     SELECT FROM moved`;
}

/**
 * SQL that joins the chunk `c` of row state `row`, and the claim `l` of that chunk, if the chunk is claimed under the
 * `lease_token` of `under`.
 */
export function claimedChunkOf(row: string, under: string): string {
  return `CROSS JOIN LATERAL (SELECT * FROM send_chunks
    WHERE batch_id = ${row}.batch_id AND chunk = ${row}.chunk AND lease_token = ${under}.lease_token ${asFence}) c
  CROSS JOIN LATERAL (SELECT * FROM claims
    WHERE batch_id = c.batch_id AND lease_token = c.lease_token ${asFence}) l`;
}

/** SQL: row state `row` is in no claimed chunk. */
export function isUnclaimed(row: string): string {
  return `(${row}.chunk IS NULL OR EXISTS (SELECT FROM send_chunks u
    WHERE u.batch_id = ${row}.batch_id AND u.chunk = ${row}.chunk AND u.lease_token IS NULL))`;
}

/**
 * Takes these rows out of the chunks that are claimed under these lease tokens.
 * @param rows rows with the lease token under which each one was claimed
 */
export async function takeOutOfChunks(
  transaction: sql.Database,
  batchId: string,
  rows: readonly { readonly row: number; readonly leaseToken: string }[],
): Promise<void> {
  await sql.execute(
    transaction,
    `WITH taken AS (
       SELECT s.place, s.chunk, l.*
       FROM unnest(?::int[], ?::bigint[]) AS t (row_number, lease_token)
       ${rowStateOf('t')}
       ${claimedChunkOf('s', 't')}
       WHERE ${isOpenIn('s', 'c')}),
     ${materialize('taken')}`,
    [rows.map(({ row }) => row), rows.map(({ leaseToken }) => leaseToken), batchId, batchId],
  );
}

/** Takes the open rows out of chunks whose claiming runs have ended. */
export async function materializeLost(transaction: sql.Database, batchId: string): Promise<void> {
  await sql.execute(
    transaction,
    `WITH left_behind AS MATERIALIZED (
       SELECT c.chunk, c.first_row, c.last_row, l.*
       FROM send_chunks c
       CROSS JOIN LATERAL (SELECT * FROM claims
         WHERE batch_id = c.batch_id AND lease_token = c.lease_token ${asFence}) l
       JOIN runs r ON r.id = l.run_id AND r.ended_at IS NOT NULL
       WHERE c.batch_id = ? AND c.lease_token IS NOT NULL AND c.open_rows > 0),
     -- Chunk by chunk: joined as whole tables, every row of the batch might be read.
     lost AS (
       SELECT c.*, open.place FROM left_behind c
       CROSS JOIN LATERAL (SELECT ${itsPlace} FROM row_states s WHERE ${isOpenIn('s', 'c')} ${asFence}) open),
     ${materialize('lost')}`,
    [batchId, batchId],
  );
}
