import type { ClaimedRow } from '../../domain/rows/ledger-row.ts';
import { bool, float8, int4, int8, text, uuid } from '../query/columns.ts';
import { asFence } from '../query/planner.ts';
import { type Database, query } from '../query/sql.ts';
import { isOpenIn } from './chunks.ts';

/** SQL that says whether the run whose id is bound here still holds its batch. */
export const isRunOpen = 'EXISTS (SELECT FROM runs WHERE id = ? AND ended_at IS NULL)';

/** Whether a run still holds its batch. Under the batch's lock, where no other run can take it over meanwhile. */
export async function holdsItsBatch(transaction: Database, runId: string): Promise<boolean> {
  const [found] = await query(transaction, { isOpen: bool }, `SELECT ${isRunOpen} AS "isOpen"`, [runId]);
  return found?.isOpen === true;
}

/**
 * What is handed over of claimed rows `t`.
 */
const handedOver = `
  SELECT t.row_number AS row, t.resource, t.generation, t.lease_token AS "leaseToken",
    q.idempotency_key AS "idempotencyKey", q.path, convert_from(q.body, 'UTF8') AS body, q.run_id AS "preparedBy", t.attempts,
    t.may_exist AS "wasUnknown",
    (extract(epoch FROM least(t.first_sent_at - now(), interval '0')) * 1000 + ?)::float8 AS "keyTimeLeftInMs"
  FROM t CROSS JOIN LATERAL (
    SELECT * FROM requests
    WHERE batch_id = t.batch_id AND row_number = t.row_number AND generation = t.generation ${asFence}) q
  ORDER BY t.row_number`;

/**
 * The open rows of a claim, in row order. Bodies come as text, which the driver reads at a fraction of what it
 * takes for binary values; they were written as UTF-8, so these are the very bytes.
 * @param claim by its batch and token, with how long its keys may be used from their first sending on
 */
export async function rowsOfClaim(
  database: Database,
  { batchId, leaseToken, keyLifetimeInMs }: ClaimName,
): Promise<ClaimedRow[]> {
  const rows = await query<Omit<ClaimedRow, 'body'> & { readonly body: string }>(
    database,
    {
      row: int4,
      resource: text,
      generation: int4,
      leaseToken: int8,
      idempotencyKey: uuid,
      path: text,
      body: text,
      preparedBy: uuid,
      attempts: int4,
      wasUnknown: bool,
      keyTimeLeftInMs: float8,
    },
    `WITH t AS (
       SELECT s.batch_id, s.row_number, s.resource, s.generation, l.lease_token, s.attempts, s.may_exist,
         l.claimed_at AS first_sent_at
       FROM claims l
       JOIN send_chunks c ON c.batch_id = l.batch_id AND c.lease_token = l.lease_token AND c.open_rows > 0
       CROSS JOIN LATERAL (SELECT * FROM row_states s WHERE ${isOpenIn('s', 'c')} ${asFence}) s
       WHERE l.batch_id = ? AND l.lease_token = ?
       UNION ALL
       SELECT batch_id, row_number, resource, generation, lease_token, attempts, may_exist, first_sent_at
       FROM row_states WHERE batch_id = ? AND state = 'sending' AND lease_token = ?)
     ${handedOver}`,
    [batchId, leaseToken, batchId, leaseToken, keyLifetimeInMs],
  );
  return rows.map((row) => ({ ...row, body: Buffer.from(row.body, 'utf8') }));
}

interface ClaimName {
  readonly batchId: string;
  readonly leaseToken: string;
  readonly keyLifetimeInMs: number;
}
