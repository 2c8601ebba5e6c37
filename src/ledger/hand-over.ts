import type { ClaimedRow } from '../domain/ledger-row.ts';
import { isOpenIn } from './portions.ts';
import { type Database, query } from './sql.ts';

/** What a claim may take, and for whom. */
export interface ClaimRequest {
  readonly batchId: string;
  readonly runId: string;
  /** Unique to this claim: the fencing token that every record of its rows has to show. */
  readonly leaseToken: string;
  readonly leaseInMs: number;
  /** Fingerprint of the API key in use: an unknown row is never sent again under another one. */
  readonly credential: string;
  readonly keyLifetimeInMs: number;
  readonly limit: number;
  /** Takes only rows that are unknown, and leaves those that were never sent. */
  readonly onlyUnknown?: boolean;
  /** Leaves rows that are unknown as they are. */
  readonly exceptUnknown?: boolean;
}

/** SQL that says whether the run whose id is bound here still holds its batch. */
export const isRunOpen = 'EXISTS (SELECT FROM runs WHERE id = ? AND ended_at IS NULL)';

/**
 * What is handed over of claimed rows `t`. Each row's request is looked up by its key: `OFFSET 0` keeps the
 * planner, which knows nothing yet of a new batch, from reading all of the batch's requests for each row.
 */
export const handedOver = `
  SELECT t.row_number AS row, t.resource, t.generation, t.lease_token AS "leaseToken",
    q.idempotency_key AS "idempotencyKey", q.path, convert_from(q.body, 'UTF8') AS body, q.run_id AS "preparedBy", t.attempts,
    t.may_exist AS "wasUnknown",
    (extract(epoch FROM least(t.first_sent_at - now(), interval '0')) * 1000 + ?)::float8 AS "keyTimeLeftInMs"
  FROM t CROSS JOIN LATERAL (
    SELECT * FROM requests
    WHERE batch_id = t.batch_id AND row_number = t.row_number AND generation = t.generation OFFSET 0) q
  ORDER BY t.row_number`;

/**
 * The rows of a statement that ends with `handedOver`. Bodies come as text, which the driver reads at a
 * fraction of what it takes for binary values; they were written as UTF-8, so these are the very bytes.
 */
export async function handOver(
  transaction: Database,
  sql: string,
  bindings: readonly unknown[],
): Promise<ClaimedRow[]> {
  const rows = await query<Omit<ClaimedRow, 'body'> & { readonly body: string }>(transaction, sql, bindings);
  return rows.map((row) => ({ ...row, body: Buffer.from(row.body, 'utf8') }));
}

/** The rows that a claim of this very token took, and that are not recorded yet. */
export async function claimedUnder(transaction: Database, request: ClaimRequest): Promise<ClaimedRow[]> {
  const byToken = [request.batchId, request.leaseToken];
  const [found] = await query<{ isAny: boolean }>(
    transaction,
    `SELECT EXISTS (SELECT FROM portions WHERE batch_id = ? AND lease_token = ?)
       OR EXISTS (SELECT FROM stored_rows WHERE batch_id = ? AND state = 'sending' AND lease_token = ?) AS "isAny"`,
    [...byToken, ...byToken],
  );
  if (!found?.isAny) return [];
  return handOver(
    transaction,
    `WITH t AS (
       SELECT s.batch_id, s.row_number, s.resource, s.generation, p.lease_token, s.attempts, s.may_exist,
         p.claimed_at AS first_sent_at
       FROM portions p JOIN stored_rows s ON ${isOpenIn('s', 'p')} WHERE p.batch_id = ? AND p.lease_token = ?
       UNION ALL
       SELECT batch_id, row_number, resource, generation, lease_token, attempts, may_exist, first_sent_at
       FROM stored_rows WHERE batch_id = ? AND state = 'sending' AND lease_token = ?)
     ${handedOver}`,
    [...byToken, ...byToken, request.keyLifetimeInMs],
  );
}
