import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ClaimedRow } from '../domain/ledger-row.ts';
import { isOpenIn } from './portions.ts';
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
 * Takes the next rows for sending: a stretch of the first portion that nobody holds; without any, rows that
 * an earlier run put back, and then unknown ones whose key is young enough; each in row order. Other workers'
 * rows are skipped, not waited for. Repeating a claim whose reply was lost, with the same token, gives the
 * rows that it took. A run that was taken for lost gets none.
 */
export async function claimRows(database: Knex, request: ClaimRequest): Promise<ClaimedRow[]> {
  for (let look = 1; ; look += 1) {
    const claimed = await claimNext(database, request, look === mostLooks);
    if (claimed !== null) return claimed;
    await sleep(betweenLooksInMs);
  }
}

/** A claim takes a few milliseconds: whoever finds the last portion being claimed may get what is left of it. */
const betweenLooksInMs = 5;
const mostLooks = 40;

/** @returns null when the only portions left are being claimed by others at this moment, unless it is the last look */
function claimNext(database: Knex, request: ClaimRequest, isLastLook: boolean): Promise<ClaimedRow[] | null> {
  return database.transaction(async (transaction) => {
    const alreadyTaken = await claimedUnder(transaction, request);
    if (alreadyTaken.length > 0) return alreadyTaken;
    if (!request.onlyUnknown) {
      const fresh = await claimPortion(transaction, request);
      if (fresh.length > 0) return fresh;
      if (!isLastLook && (await isBeingClaimed(transaction, request))) return null;
    }
    return claimOneByOne(transaction, request);
  });
}

/** Whether any portion is left, after those that could be locked were looked at. */
async function isBeingClaimed(transaction: Database, { batchId, runId }: ClaimRequest): Promise<boolean> {
  const [found] = await query<{ isAny: boolean }>(
    transaction,
    `SELECT EXISTS (SELECT FROM portions WHERE batch_id = ? AND lease_token IS NULL) AND ${isRunOpen} AS "isAny"`,
    [batchId, runId],
  );
  return found?.isAny ?? false;
}

/** Takes rows that no portion has. */
async function claimOneByOne(transaction: Database, request: ClaimRequest): Promise<ClaimedRow[]> {
  // Statistics from before the rows were ready make the planner collect and sort all that is ready, for
  // each claim anew; the index gives the first of them in order.
  await execute(transaction, 'SET LOCAL enable_bitmapscan = off');
  const { limit } = request;
  const unsent = request.onlyUnknown ? [] : await claimFrom(transaction, request, 'ready', limit);
  const left = limit - unsent.length;
  if (left === 0 || request.exceptUnknown) return unsent;
  const inDoubt = await claimFrom(transaction, request, 'unknown', left);
  return [...unsent, ...inDoubt].sort((one, other) => one.row - other.row);
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
    condition: `state = 'ready' AND portion IS NULL AND (run_id IS NULL OR changed_at < ${runStart})`,
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
async function handOver(
  transaction: Database,
  sql: string,
  bindings: readonly unknown[],
): Promise<ClaimedRow[]> {
  const rows = await query<Omit<ClaimedRow, 'body'> & { readonly body: string }>(transaction, sql, bindings);
  return rows.map((row) => ({ ...row, body: Buffer.from(row.body, 'utf8') }));
}

/** SQL that says whether the run whose id is bound here still holds its batch. */
const isRunOpen = 'EXISTS (SELECT FROM runs WHERE id = ? AND ended_at IS NULL)';

/** Claims a stretch of a portion. One that turns out to hold no row any more is removed. */
async function claimPortion(transaction: Database, request: ClaimRequest): Promise<ClaimedRow[]> {
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

function claimFrom(
  transaction: Database,
  request: ClaimRequest,
  state: keyof typeof claimable,
  limit: number,
): Promise<ClaimedRow[]> {
  return handOver(
    transaction,
    `WITH next AS (
       SELECT row_number FROM stored_rows
       WHERE batch_id = ? AND ${claimable[state].condition}
         AND ${isRunOpen}
       ORDER BY row_number LIMIT ? FOR UPDATE SKIP LOCKED),
     t AS (
       UPDATE stored_rows r SET state = 'sending', lease_token = ?, lease_until = now() + ? * interval '1 millisecond',
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

/** The rows that a claim of this very token took, and that are not recorded yet. */
async function claimedUnder(transaction: Database, request: ClaimRequest): Promise<ClaimedRow[]> {
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
    `UPDATE stored_rows SET state = 'held', code = 'key_expired', changed_at = now(),
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
    `UPDATE stored_rows SET code = 'other_credential', changed_at = now(),
       message = 'It may exist, and was sent under another API key: it is never sent again under this one.'
     WHERE batch_id = ? AND state = 'unknown' AND credential IS DISTINCT FROM ? AND code IS DISTINCT FROM 'other_credential'`,
    [batchId, credential],
  );
}
