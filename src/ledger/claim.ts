import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ClaimedRow } from '../domain/ledger-row.ts';
import { claimPortion, isBeingClaimed } from './claim-portion.ts';
import { type ClaimRequest, claimedUnder, handedOver, handOver, isRunOpen } from './hand-over.ts';
import { type Database, execute, stateIs } from './sql.ts';

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

/** Takes rows that no portion has: each is written itself. */
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
