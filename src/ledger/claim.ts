import type { Knex } from 'knex';
import type { ClaimedRow } from '../domain/ledger-row.ts';
import { type Database, execute, query, stateIs } from './sql.ts';

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

/**
 * Takes the next rows for sending: those never sent first, in row order, then the unknown ones whose key
 * is young enough. Other workers' rows are skipped, not waited for. Repeating a claim whose reply was
 * lost, with the same token, gives the rows that it took. A run that was taken for lost gets none.
 */
export async function claimRows(database: Knex, request: ClaimRequest): Promise<ClaimedRow[]> {
  return database.transaction(async (transaction) => {
    const alreadyTaken = await claimedUnder(transaction, request);
    if (alreadyTaken.length > 0) return alreadyTaken;
    // Statistics from before the rows were ready make the planner collect and sort all that is ready, for
    // each claim anew; the index gives the first of them in order.
    await execute(transaction, 'SET LOCAL enable_bitmapscan = off');
    const unsent = request.onlyUnknown ? [] : await claimFrom(transaction, request, 'ready', request.limit);
    const left = request.limit - unsent.length;
    if (left === 0 || request.exceptUnknown) return unsent;
    const inDoubt = await claimFrom(transaction, request, 'unknown', left);
    return [...unsent, ...inDoubt].sort((one, other) => one.row - other.row);
  });
}

/**
 * A first send in the future: one of two clocks is wrong (the database moved to another machine, or a run
 * log of a machine with a wrong clock was recovered), and the key's age cannot be told.
 */
const isFromTheFuture = "first_sent_at > now() + interval '5 minutes'";

const runStart = '(SELECT started_at FROM runs WHERE id = ?)';

/**
 * The conditions under which a row of each state may be claimed. What any run put back since this one
 * began is left for a later run: otherwise two runs could hand a row to and fro for ever.
 */
const claimable = {
  ready: {
    condition: `state = 'ready' AND (run_id IS NULL OR changed_at < ${runStart})`,
    bindings: (request: ClaimRequest) => [request.runId],
  },
  unknown: {
    condition: `state = 'unknown' AND credential IS NOT DISTINCT FROM ?
      AND now() - first_sent_at < ? * interval '1 millisecond' AND NOT ${isFromTheFuture}
      AND ((code = 'worker_lost' AND run_id IS DISTINCT FROM ?) OR changed_at < ${runStart})`,
    bindings: (request: ClaimRequest) => [
      request.credential,
      request.keyLifetimeInMs,
      request.runId,
      request.runId,
    ],
  },
} as const;

/**
 * What is handed over of claimed rows `t`. Each row's request is looked up by its key: `OFFSET 0` keeps the
 * planner, which knows nothing yet of a new batch, from reading all of the batch's requests for each row.
 */
const handedOver = `
  SELECT t.row_number AS row, t.resource, t.generation, t.lease_token AS "leaseToken",
    q.idempotency_key AS "idempotencyKey", q.path, q.body, q.fingerprint, q.run_id AS "preparedBy", t.attempts,
    t.may_exist AS "wasUnknown",
    (extract(epoch FROM least(t.first_sent_at - now(), interval '0')) * 1000 + ?)::float8 AS "keyTimeLeftInMs"
  FROM t CROSS JOIN LATERAL (
    SELECT * FROM requests
    WHERE batch_id = t.batch_id AND row_number = t.row_number AND generation = t.generation OFFSET 0) q
  ORDER BY t.row_number`;

function claimFrom(
  transaction: Database,
  request: ClaimRequest,
  state: keyof typeof claimable,
  limit: number,
): Promise<ClaimedRow[]> {
  return query<ClaimedRow>(
    transaction,
    `WITH next AS (
       SELECT row_number FROM rows
       WHERE batch_id = ? AND ${claimable[state].condition}
         AND EXISTS (SELECT FROM runs WHERE id = ? AND ended_at IS NULL)
       ORDER BY row_number LIMIT ? FOR UPDATE SKIP LOCKED),
     t AS (
       UPDATE rows r SET state = 'sending', lease_token = ?, lease_until = now() + ? * interval '1 millisecond',
         run_id = ?, credential = ?, first_sent_at = coalesce(first_sent_at, now()), changed_at = now()
       FROM next WHERE r.batch_id = ? AND r.row_number = next.row_number AND ${stateIs('r', state)}
       RETURNING r.*)
     ${handedOver}`,
    [
      request.batchId,
      ...claimable[state].bindings(request),
      request.runId,
      limit,
      request.leaseToken,
      request.leaseInMs,
      request.runId,
      request.credential,
      request.batchId,
      request.keyLifetimeInMs,
    ],
  );
}

function claimedUnder(transaction: Database, request: ClaimRequest): Promise<ClaimedRow[]> {
  return query<ClaimedRow>(
    transaction,
    `WITH t AS (SELECT * FROM rows WHERE batch_id = ? AND state = 'sending' AND lease_token = ?) ${handedOver}`,
    [request.batchId, request.leaseToken, request.keyLifetimeInMs],
  );
}

/**
 * Rows that are still unknown when their key has outlived its time, or when nobody can tell: sending them again could create a
 * second object, so only a person may decide.
 */
export function holdExpiredKeys(
  database: Database,
  batchId: string,
  keyLifetimeInMs: number,
): Promise<number> {
  return execute(
    database,
    `UPDATE rows SET state = 'held', code = 'key_expired', changed_at = now(),
       message = 'It may exist at the API, and its idempotency key is too old to be sent again safely.'
     WHERE batch_id = ? AND state = 'unknown'
       AND (now() - first_sent_at >= ? * interval '1 millisecond' OR ${isFromTheFuture})`,
    [batchId, keyLifetimeInMs],
  );
}

/** Says on rows that are unknown under another API key why this run leaves them alone. */
export function explainOtherCredentials(
  database: Database,
  batchId: string,
  credential: string,
): Promise<number> {
  return execute(
    database,
    `UPDATE rows SET code = 'other_credential', changed_at = now(),
       message = 'It may exist, and was sent under another API key: it is never sent again under this one.'
     WHERE batch_id = ? AND state = 'unknown' AND credential IS DISTINCT FROM ? AND code IS DISTINCT FROM 'other_credential'`,
    [batchId, credential],
  );
}
