import { type Database, execute, query } from './sql.ts';

/*
 * Rows that were made ready together are a portion of their batch. A claim holds a stretch of one with a single
 * line, and says nothing in the rows themselves; they are written when they come to something else than being
 * created at once. Whoever takes rows out of a portion, or notes what they came to, locks its line first.
 */

/** SQL that says whether stored row `row` is one of stretch `stretch` and not created yet. */
export function isOpenIn(row: string, stretch: string): string {
  return `${row}.batch_id = ${stretch}.batch_id AND ${row}.portion = ${stretch}.portion
    AND ${row}.row_number BETWEEN ${stretch}.first_row AND ${stretch}.last_row
    AND NOT EXISTS (SELECT FROM creations c WHERE c.batch_id = ${row}.batch_id AND c.row_number = ${row}.row_number)`;
}

/**
 * SQL that writes the claim of a stretch `p` into the rows that it holds, as one by one: they are `sending`
 * under its very lease, and the portion has them no longer.
 */
const writtenOut = `state = 'sending', lease_token = p.lease_token, lease_until = p.lease_until, run_id = p.run_id,
  credential = p.credential, first_sent_at = p.claimed_at, changed_at = p.claimed_at, portion = NULL`;

/**
 * SQL, behind a CTE `held` of locked stretches and one, `moved`, with the lease token of each row that left its
 * stretch: notes how many rows are open still, and ends the stretches that have none. Its bindings are the
 * batch's id, twice.
 */
export const movedCountedOff = `gone AS (
      SELECT lease_token, open_rows - count(*)::int AS left_rows
      FROM moved JOIN held USING (lease_token) GROUP BY lease_token, open_rows),
    ended AS (
      DELETE FROM portions p USING gone
      WHERE p.batch_id = ? AND p.lease_token = gone.lease_token AND gone.left_rows = 0),
    lowered AS (
      UPDATE portions p SET open_rows = gone.left_rows FROM gone
      WHERE p.batch_id = ? AND p.lease_token = gone.lease_token AND gone.left_rows > 0)`;

/** SQL that says whether stored row `row` is held by no claim of a stretch. */
export function isUnclaimed(row: string): string {
  return `(${row}.portion IS NULL OR EXISTS (
    SELECT FROM portions u WHERE u.batch_id = ${row}.batch_id AND u.portion = ${row}.portion
      AND u.lease_token IS NULL AND ${row}.row_number BETWEEN u.first_row AND u.last_row))`;
}

/** Keeps the stretches with any of these rows from being claimed until the end of the database transaction. */
export async function lockUnclaimed(
  transaction: Database,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  await query(
    transaction,
    `SELECT FROM portions WHERE batch_id = ? AND lease_token IS NULL AND last_row >= ? AND first_row <= ?
     ORDER BY portion, first_row FOR UPDATE`,
    [batchId, Math.min(...rows), Math.max(...rows)],
  );
}

/**
 * Takes the given rows out of the stretches that are held under these lease tokens. What is left in a stretch
 * stays held; one without rows ends.
 * @param rows with the token under which each was claimed
 */
export async function takeOutOfPortions(
  transaction: Database,
  batchId: string,
  rows: readonly { readonly row: number; readonly leaseToken: string }[],
): Promise<void> {
  const tokens = [...new Set(rows.map(({ leaseToken }) => leaseToken))];
  const held = await query(
    transaction,
    'SELECT FROM portions WHERE batch_id = ? AND lease_token = ANY(?::bigint[]) FOR UPDATE',
    [batchId, tokens],
  );
  if (held.length === 0) return;
  await execute(
    transaction,
    // A statement of its own: it has to see everything that was recorded before the stretches were locked.
    `WITH held AS (SELECT * FROM portions WHERE batch_id = ? AND lease_token = ANY(?::bigint[])),
     moved AS (
       UPDATE stored_rows s SET ${writtenOut}
       FROM unnest(?::int[], ?::bigint[]) AS c (row_number, lease_token) JOIN held p USING (lease_token)
       WHERE s.row_number = c.row_number AND ${isOpenIn('s', 'p')}
       RETURNING p.lease_token),
     ${movedCountedOff}
     SELECT FROM gone`,
    [
      ...[batchId, tokens],
      ...[rows.map(({ row }) => row), rows.map(({ leaseToken }) => leaseToken)],
      ...[batchId, batchId],
    ],
  );
}

/**
 * Ends the claims on stretches whose workers are lost: their open rows are written out, one by one. Stretches
 * that somebody is working on at this very moment are left out, as their worker is not lost.
 * @param isLost SQL condition on `portions`
 */
export async function writeOutLost(
  transaction: Database,
  batchId: string,
  isLost: string,
  bindings: readonly unknown[],
): Promise<void> {
  const lost = await query<{ leaseToken: string }>(
    transaction,
    `SELECT lease_token AS "leaseToken" FROM portions
     WHERE batch_id = ? AND lease_token IS NOT NULL AND ${isLost} FOR UPDATE SKIP LOCKED`,
    [batchId, ...bindings],
  );
  if (lost.length === 0) return;
  await execute(
    transaction,
    // As above: what was recorded before the lock has to be seen.
    `WITH p AS (SELECT * FROM portions WHERE batch_id = ? AND lease_token = ANY(?::bigint[])),
     opened AS (UPDATE stored_rows s SET ${writtenOut} FROM p WHERE ${isOpenIn('s', 'p')})
     DELETE FROM portions WHERE batch_id = ? AND lease_token = ANY(?::bigint[])`,
    [batchId, lost.map(({ leaseToken }) => leaseToken), batchId, lost.map(({ leaseToken }) => leaseToken)],
  );
}
