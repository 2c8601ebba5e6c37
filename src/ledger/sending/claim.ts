/* Claiming rows for a run. */

import type { Knex } from 'knex';
import { policyLost } from '../../domain/controls/controls.ts';
import type { ClaimedRow, RowsToClaim } from '../../domain/rows/ledger-row.ts';
import { ApprovalStop, HaltStop } from '../../domain/sending/stops.ts';
import { sqlState } from '../connection/database-failure.ts';
import { changeBatch, changeRows, isClosed, isOpenIn, isRunOpen } from '../protocol/batch-lock.ts';
import { asFence, inOrderOfIndex, isAt, itsPlace, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** The rows that a claim may take, and the owner of the claim. */
export interface ClaimRequest {
  readonly batchId: string;
  readonly runId: string;
  /** Unique to this claim. It is the fencing token that every record of its rows must contain. A bigint as text. */
  readonly leaseToken: string;
  /** The fingerprint of the API key in use. An unknown row is never sent again under another key. */
  readonly credential: string;
  readonly keyLifetimeInMs: number;
  /**
   * The id of the approval under which rows are claimed: only rows of its plan are taken. Undefined if the policy requires
   * no approval.
   */
  readonly approvalId: string | undefined;
  /** The maximum number of rows. At least one whole chunk is taken. */
  readonly limit: number;
  readonly rows: RowsToClaim;
}

/**
 * Takes the next rows for sending. Rows in doubt with a sufficiently young key are taken in row order. Of the rows that were
 * never sent, whole chunks are taken in the order in which they were prepared, and then rows that an earlier run put back,
 * in row order. If the batch was stopped because its rows are refused alike, only rows in doubt are taken. If a claim's
 * reply was lost, repeating it with the same token returns the rows that it took. A run that was considered lost gets no
 * rows, and no run gets rows of a closed batch.
 * The claimed rows are read after the lock is released, since that takes longer than the claim itself. Until a takeover they
 * belong to this token, and rows taken over meanwhile are not returned.
 * @throws ApprovalStop if the policy requires an approval that is missing or no longer in force; HaltStop while a person has
 * stopped everything
 */
export const claimRows = sql.shortVerb(
  async (database: Knex, request: ClaimRequest): Promise<ClaimedRow[]> => {
    const isMade = await orStop(database, request, () => makeClaim(database, request));
    return isMade ? rowsOfClaim(database, request) : [];
  },
);

/**
 * SQLSTATE of the triggers that refuse actions that the policy does not allow, see `migrations/0001-schema/approvals.ts`.
 */
const notApproved = 'PB008';

/** SQLSTATE of the trigger that refuses every claim while everything is stopped, see `migrations/0001-schema/halts.ts`. */
const halted = 'PB009';

/** SQLSTATE of the trigger that refuses live claims while the policy is lost, see `migrations/0001-schema/identity.ts`. */
const withoutPolicy = 'PB010';

async function orStop<Result>(
  database: Knex,
  { batchId }: ClaimRequest,
  claim: () => Promise<Result>,
): Promise<Result> {
  try {
    return await claim();
  } catch (error) {
    const state = sqlState(error);
    if (state === halted) throw new HaltStop();
    if (state === withoutPolicy) throw policyLost();
    if (state !== notApproved) throw error;
    // The measures that the refused claim stored were undone with it. Approvers need them to see that the policy requires
    // their approval.
    await sql.execute(database, 'SELECT measure_batch(?, true)', [batchId]);
    throw new ApprovalStop();
  }
}

/** @returns whether there is a claim under this token, made now or by the call that this one repeats */
async function makeClaim(database: Knex, request: ClaimRequest): Promise<boolean> {
  const { batchId, leaseToken, runId } = request;
  const claim = await changeBatch(
    database,
    batchId,
    async (transaction) => {
      const standing = await sql.onlyRow(
        transaction,
        { isMade: sql.bool, isOpen: sql.bool, isStopped: sql.bool },
        `SELECT EXISTS (SELECT FROM claims WHERE batch_id = ? AND lease_token = ?) AS "isMade",
           ${isRunOpen} AND NOT ${isClosed} AS "isOpen", ${isRefusedAlike} AS "isStopped"`,
        [batchId, leaseToken, runId, batchId, batchId],
      );
      if (standing.isMade) return 'made_before';
      if (!standing.isOpen) return 'nothing_to_take';
      if (!standing.isStopped) return (await take(transaction, request)) ? 'made_now' : 'nothing_to_take';
      // Rows in doubt create nothing new; sending them again only determines their outcome.
      const isTaken = request.rows !== 'fresh' && (await take(transaction, { ...request, rows: 'in_doubt' }));
      return isTaken ? 'made_now' : 'nothing_to_take';
    },
    (made) => made === 'made_now',
  );
  return claim !== 'nothing_to_take';
}

/** SQL: the batch with the id that is bound here was stopped, since all of its rows are refused for one reason. */
const isRefusedAlike = 'EXISTS (SELECT FROM batches WHERE id = ? AND refused_alike IS NOT NULL)';

/** @returns whether there were rows to take */
async function take(transaction: sql.Database, request: ClaimRequest): Promise<boolean> {
  const { rows, limit } = request;
  const inDoubt = rows === 'fresh' ? 0 : await takeOneByOne(transaction, request, 'unknown', limit);
  if (rows === 'in_doubt' || inDoubt > 0) return inDoubt > 0;
  return (
    (await takeChunks(transaction, request)) > 0 ||
    (await takeOneByOne(transaction, request, 'ready', limit)) > 0
  );
}

/** SQL of a CTE that records the claim if the CTE `next` has rows for it. */
const noted = `noted AS (
       INSERT INTO claims (batch_id, lease_token, run_id, credential, approval_id)
       SELECT ?, ?, ?, ?, ?::uuid WHERE EXISTS (SELECT FROM next))`;

function notedBindings(request: ClaimRequest): readonly (string | null)[] {
  const { batchId, leaseToken, runId, credential, approvalId } = request;
  return [batchId, leaseToken, runId, credential, approvalId ?? null];
}

/** Takes the first unclaimed chunks. It writes only the lines of the chunks. */
function takeChunks(transaction: sql.Database, request: ClaimRequest): Promise<number> {
  const { batchId, leaseToken, limit, approvalId } = request;
  const [isOfPlan, ofPlan] =
    approvalId === undefined ? ['', []] : [isApprovedChunk, [approvalId, approvalId]];
  return sql.execute(
    transaction,
    `WITH next AS (
       SELECT place FROM (
         SELECT place, sum(open_rows) OVER (ORDER BY chunk) AS rows, row_number() OVER (ORDER BY chunk) AS position
         FROM (SELECT ${itsPlace}, chunk, open_rows FROM send_chunks
               WHERE batch_id = ? AND lease_token IS NULL AND open_rows > 0 ${isOfPlan} ORDER BY chunk LIMIT ?) c) c
       WHERE rows <= ? OR position = 1),
     ${noted}
     UPDATE send_chunks c SET lease_token = ? FROM next WHERE ${isAt('c', 'next')}`,
    [batchId, ...ofPlan, limit, limit, ...notedBindings(request), leaseToken],
  );
}

/** SQL: all rows of a chunk are in the plan of the approval with the id that is bound here, twice. */
const isApprovedChunk = `AND ((SELECT rows FROM approvals WHERE id = ?) @> int4range(first_row, last_row, '[]')
  OR NOT EXISTS (SELECT FROM row_states s WHERE s.batch_id = send_chunks.batch_id AND s.chunk = send_chunks.chunk
    AND s.row_number BETWEEN first_row AND last_row
    AND NOT (SELECT rows FROM approvals WHERE id = ?) @> s.row_number))`;

/**
 * SQL: the first sending is in the future, so one of two clocks is wrong: the database moved to another machine, or a run
 * log from a machine with a wrong clock was recovered. Then the key's age is unknown.
 */
export const isFromTheFuture = "first_sent_at > now() + interval '5 minutes'";

/**
 * SQL: no run put the row back, or a run that began before the run with the id that is bound here. Rows that this run or a
 * later one put back are left for the next run. Otherwise two runs could pass a row back and forth forever. Runs are ordered
 * by their numbers, since the database's clock may be set back.
 */
const wasPutBackBefore = `(run_id IS NULL OR
  (SELECT number FROM runs WHERE id = row_states.run_id) < (SELECT number FROM runs WHERE id = ?))`;

/** An SQL condition with its bindings. */
interface Claimable {
  readonly condition: string;
  readonly bindings: (request: ClaimRequest) => readonly (string | number | null)[];
}

/** The condition under which a row that belongs to no chunk may be claimed, by state. */
const claimable: Readonly<Record<'ready' | 'unknown', Claimable>> = {
  ready: {
    condition: `state = 'ready' AND chunk IS NULL AND ${wasPutBackBefore}
      AND (?::uuid IS NULL OR (SELECT rows FROM approvals WHERE id = ?::uuid) @> row_number)`,
    bindings: ({ runId, approvalId }) => [runId, approvalId ?? null, approvalId ?? null],
  },
  unknown: {
    condition: `state = 'unknown' AND credential IS NOT DISTINCT FROM ?
      AND now() - first_sent_at < ? * interval '1 millisecond' AND NOT ${isFromTheFuture} AND ${wasPutBackBefore}`,
    bindings: ({ credential, keyLifetimeInMs, runId }) => [credential, keyLifetimeInMs, runId],
  },
};

/** Takes rows that are in no chunk. It writes each of these rows. */
async function takeOneByOne(
  transaction: sql.Database,
  request: ClaimRequest,
  state: keyof typeof claimable,
  limit: number,
): Promise<number> {
  const { batchId, leaseToken, runId, credential } = request;
  await sql.execute(transaction, inOrderOfIndex);
  return sql.execute(
    transaction,
    `WITH next AS (
       SELECT ${itsPlace} FROM row_states
       WHERE batch_id = ? AND ${claimable[state].condition} ORDER BY row_number LIMIT ?),
     ${noted}
     UPDATE row_states r SET state = 'sending', lease_token = ?, run_id = ?, credential = ?,
       first_sent_at = coalesce(first_sent_at, now()), changed_at = now()
     FROM next WHERE ${isAt('r', 'next')} AND ${stateIs('r', state)}`,
    [
      ...[batchId, ...claimable[state].bindings(request), limit],
      ...notedBindings(request),
      ...[leaseToken, runId, credential],
    ],
  );
}

/**
 * Holds rows that are still unknown when their key has expired, or whose key's age is unknown. Sending them again could
 * create a second object, so only a person may decide.
 * @returns the number of rows
 */
export const holdExpiredKeys = sql.longVerb(
  (database: Knex, batchId: string, keyLifetimeInMs: number): Promise<number> =>
    changeRows(
      database,
      batchId,
      `UPDATE row_states SET state = 'held', code = 'key_expired', changed_at = now(),
         message = 'It may exist at the API, and its idempotency key is too old to be sent again safely.'
       WHERE batch_id = ? AND state = 'unknown'
         AND (now() - first_sent_at >= ? * interval '1 millisecond' OR ${isFromTheFuture})`,
      [batchId, keyLifetimeInMs],
    ),
);

/**
 * Records, for rows that are unknown under another API key, why this run does not send them.
 * @returns the number of rows
 */
export const explainOtherCredentials = sql.longVerb(
  (database: Knex, batchId: string, credential: string): Promise<number> =>
    changeRows(
      database,
      batchId,
      `UPDATE row_states SET code = 'other_credential', changed_at = now(),
         message = 'It may exist, and was sent under another API key: it is never sent again under this one.'
       WHERE batch_id = ? AND state = 'unknown' AND credential IS DISTINCT FROM ? AND code IS DISTINCT FROM 'other_credential'`,
      [batchId, credential],
    ),
);

/** The open rows of a claim, in row order. Bodies were stored as UTF-8, so these are the exact bytes. */
function rowsOfClaim(
  database: sql.Database,
  { batchId, leaseToken, keyLifetimeInMs }: ClaimRequest,
): Promise<ClaimedRow[]> {
  return sql.query<ClaimedRow>(
    database,
    {
      row: sql.int4,
      resource: sql.text,
      generation: sql.int4,
      leaseToken: sql.int8,
      idempotencyKey: sql.uuid,
      path: sql.text,
      body: sql.utf8,
      preparedBy: sql.uuid,
      attempts: sql.int4,
      wasUnknown: sql.bool,
      keyTimeLeftInMs: sql.float8,
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
     SELECT t.row_number AS row, t.resource, t.generation, t.lease_token AS "leaseToken",
       q.idempotency_key AS "idempotencyKey", q.path, convert_from(q.body, 'UTF8') AS body, q.run_id AS "preparedBy", t.attempts,
       t.may_exist AS "wasUnknown",
       (extract(epoch FROM least(t.first_sent_at - now(), interval '0')) * 1000 + ?)::float8 AS "keyTimeLeftInMs"
     FROM t CROSS JOIN LATERAL (
       SELECT * FROM requests
       WHERE batch_id = t.batch_id AND row_number = t.row_number AND generation = t.generation ${asFence}) q
     ORDER BY t.row_number`,
    [batchId, leaseToken, batchId, leaseToken, keyLifetimeInMs],
  );
}
