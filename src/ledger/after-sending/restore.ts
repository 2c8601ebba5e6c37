import type { Knex } from 'knex';
import type { Restoration } from '../../domain/rows/ledger-row.ts';
import { writeReady } from '../before-sending/write-ready.ts';
import { changeBatch } from '../protocol/batch-lock.ts';
import { noteObjects } from '../protocol/created-objects.ts';
import { storedRowOf } from '../query/each-row.ts';
import { runOfALog } from '../query/run-of-a-log.ts';
import { type Database, execute, stateIs } from '../query/sql.ts';

/**
 * Gives staged rows of a rebuilt batch the requests and ends that its run log tells of: a row that may
 * have been sent is `unknown` under its very key, so that nothing is created twice.
 */
export async function restoreRows(
  database: Knex,
  batchId: string,
  runId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  const write = async (transaction: Database): Promise<void> => {
    const ready = restorations.map(({ ready }) => ready);
    await writeReady(transaction, batchId, runId, ready, null);
    const named = restorations.flatMap(({ ready: { row }, state, objectId }) =>
      state === 'created' && objectId !== null ? [{ row, objectId }] : [],
    );
    const noted = await noteObjects(transaction, batchId, named);
    const ends = restorations.map((each) =>
      each.state === 'created' && !noted.has(each.ready.row) ? heldAsSeen(each) : each,
    );
    await writeEnds(transaction, batchId, ends);
    await writeAnswers(transaction, batchId, ends);
  };
  await changeBatch(database, batchId, write);
}

/** A row whose log tells of an object that another row has. */
function heldAsSeen(restoration: Restoration): Restoration {
  const message = `The run log names the object ${restoration.objectId}, which another row has.`;
  const reason = { code: 'id_seen_before', field: null, message };
  return { ...restoration, state: 'held', objectId: null, reason };
}

async function writeEnds(
  transaction: Database,
  batchId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  await execute(
    transaction,
    `UPDATE stored_rows r SET state = e.state, generation = e.generation, object_id = e.object_id, code = e.code,
       message = e.message, field = e.field, first_sent_at = e.first_sent_at, credential = e.credential,
       may_exist = e.state = 'unknown', attempts = e.attempts, http_status = e.http_status,
       owned_key = CASE WHEN e.state = 'rejected' THEN NULL ELSE r.owned_key END, changed_at = now()
     FROM unnest(?::int[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[],
                 ?::text[], ?::int[], ?::int[])
       AS e (row_number, state, generation, object_id, code, message, field, first_sent_at, credential, attempts,
             http_status)
     ${storedRowOf('e')} WHERE r.ctid = s.place AND ${stateIs('r', 'ready')}`,
    [
      restorations.map(({ ready }) => ready.row),
      restorations.map(({ state }) => state),
      restorations.map(({ ready }) => ready.generation),
      restorations.map(({ objectId }) => objectId),
      restorations.map(({ reason }) => reason?.code ?? null),
      restorations.map(({ reason }) => reason?.message ?? null),
      restorations.map(({ reason }) => reason?.field ?? null),
      restorations.map(({ firstSentAt }) => firstSentAt),
      restorations.map(({ credential }) => credential),
      restorations.map(({ attempts }) => attempts),
      restorations.map(({ httpStatus }) => httpStatus),
      batchId,
    ],
  );
}

/** Notes the answers that created objects: of their content a run log tells nothing. */
async function writeAnswers(
  transaction: Database,
  batchId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  const answers = restorations.flatMap(({ ready: { row, generation }, state, objectId, answer }) =>
    state === 'created' && answer !== null ? [{ row, generation, objectId, ...answer }] : [],
  );
  if (answers.length === 0) return;
  await execute(
    transaction,
    `INSERT INTO attempts (batch_id, run_id, outcome, row_number, generation, number, http_status, object_id,
       duration_in_ms, recorded_at)
     SELECT ?, ?, 'created', a.*
     FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::text[], ?::int[], ?::timestamptz[]) a`,
    [
      ...[batchId, runOfALog],
      answers.map(({ row }) => row),
      answers.map(({ generation }) => generation),
      answers.map(({ number }) => number),
      answers.map(({ httpStatus }) => httpStatus),
      answers.map(({ objectId }) => objectId),
      answers.map(({ durationInMs }) => Math.round(durationInMs)),
      answers.map(({ answeredAt }) => answeredAt),
    ],
  );
}
