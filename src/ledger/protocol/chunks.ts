/* Chunks: rows that are prepared and claimed together, and how a row leaves its chunk. */

import { asFence, isAt, itsPlace, rowStateOf } from '../query/planner.ts';
import { type Database, execute } from '../query/sql.ts';

/*
 * Rows that are prepared together are cut into chunks. A claim takes whole chunks with one line for each, and
 * writes nothing in the rows; a chunk is claimed once. A row that its first answer creates is appended to
 * `created_objects`; every other row is first taken out of its chunk, and written like one claimed by itself, before
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
 * SQL of a CTE that records how many rows of chunks are still open. Its binding is the batch's id.
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
 * SQL after a CTE `rows` of chunks' rows with their places and claims: writes them out, as if claimed one by one. Its
 * binding is the batch's id.
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
 * SQL that joins the chunk `c` of row state `row`, and the claim `l` of that chunk, where it is claimed under the
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
 * @param rows with the token under which each was claimed
 */
export async function takeOutOfChunks(
  transaction: Database,
  batchId: string,
  rows: readonly { readonly row: number; readonly leaseToken: string }[],
): Promise<void> {
  await execute(
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

/** Writes out the open rows of chunks whose claiming runs have ended. */
export async function materializeLost(transaction: Database, batchId: string): Promise<void> {
  await execute(
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
