import type { ClaimedRow } from '../domain/ledger-row.ts';
import { type ClaimRequest, handedOver, handOver, isRunOpen } from './hand-over.ts';
import { type Database, query } from './sql.ts';

/** Claims a stretch of a portion. One that turns out to hold no row any more is removed. */
export async function claimPortion(transaction: Database, request: ClaimRequest): Promise<ClaimedRow[]> {
  for (;;) {
    const [portion] = await query<Portion>(
      transaction,
      `SELECT portion, first_row AS "firstRow", last_row AS "lastRow" FROM portions
       WHERE batch_id = ? AND lease_token IS NULL AND ${isRunOpen}
       ORDER BY portion, first_row LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [request.batchId, request.runId],
    );
    if (portion === undefined) return [];
    const claimed = await claimStretch(transaction, request, portion);
    if (claimed.length > 0) return claimed;
  }
}

interface Portion {
  readonly portion: string;
  readonly firstRow: number;
  readonly lastRow: number;
}

/**
 * Takes the first rows of a portion that is locked: whoever takes rows out of a portion locks it, so only a
 * statement that begins after that sees which are left. What is beyond the limit becomes a stretch of its own.
 */
function claimStretch(transaction: Database, request: ClaimRequest, portion: Portion): Promise<ClaimedRow[]> {
  const { batchId, limit } = request;
  const { firstRow, lastRow } = portion;
  return handOver(
    transaction,
    `WITH next AS (
       SELECT * FROM stored_rows WHERE batch_id = ? AND row_number BETWEEN ? AND ? AND portion = ?
       ORDER BY row_number LIMIT ?),
     size AS (SELECT count(*)::int AS rows, max(row_number) AS last_row FROM next),
     rest AS (
       INSERT INTO portions (batch_id, portion, first_row, last_row)
       SELECT ?, ?, last_row + 1, ? FROM size WHERE rows = ? AND last_row < ?),
     taken AS (
       UPDATE portions p SET last_row = size.last_row, open_rows = size.rows, lease_token = ?,
         lease_until = now() + ? * interval '1 millisecond', run_id = ?, credential = ?, claimed_at = now()
       FROM size WHERE p.batch_id = ? AND p.portion = ? AND p.first_row = ? AND size.rows > 0
       RETURNING p.lease_token, p.claimed_at),
     empty AS (
       DELETE FROM portions p USING size WHERE p.batch_id = ? AND p.portion = ? AND p.first_row = ? AND size.rows = 0),
     t AS (
       SELECT batch_id, row_number, resource, generation, taken.lease_token, attempts, may_exist,
         taken.claimed_at AS first_sent_at
       FROM next CROSS JOIN taken)
     ${handedOver}`,
    [
      ...[batchId, firstRow, lastRow, portion.portion, limit],
      ...[batchId, portion.portion, lastRow, limit, lastRow],
      ...[request.leaseToken, request.leaseInMs, request.runId, request.credential],
      ...[batchId, portion.portion, firstRow],
      ...[batchId, portion.portion, firstRow],
      request.keyLifetimeInMs,
    ],
  );
}

/** Whether any portion is left, after those that could be locked were looked at. */
export async function isBeingClaimed(
  transaction: Database,
  { batchId, runId }: ClaimRequest,
): Promise<boolean> {
  const [found] = await query<{ isAny: boolean }>(
    transaction,
    `SELECT EXISTS (SELECT FROM portions WHERE batch_id = ? AND lease_token IS NULL) AND ${isRunOpen} AS "isAny"`,
    [batchId, runId],
  );
  return found?.isAny ?? false;
}
