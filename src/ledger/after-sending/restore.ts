/* Restores a batch of a lost ledger from its run logs. */

import type { Knex } from 'knex';
import type { RestedRow, Restoration, RowToRestore } from '../../domain/rows/ledger-row.ts';
import { writeReady } from '../before-sending/prepare.ts';
import { changeBatch, countedOff, isUnclaimed } from '../protocol/batch-lock.ts';
import { noteObjects, runOfALog } from '../protocol/late-creations.ts';
import { freePlaces } from '../protocol/origins.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, inputOf, isAt, requestOf, rowStateOf, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** The rows of a range (inclusive) about which a run log may have more facts than this ledger, in row order. */
export const listRowsToRestore = sql.longVerbOnce(
  async (
    database: sql.Database,
    batchId: string,
    firstRow: number,
    lastRow: number,
  ): Promise<RowToRestore[]> => {
    const rows = await sql.query(
      database,
      {
        row: sql.int4,
        resource: sql.orNull(sql.text),
        record: sql.json<RowToRestore['record']>(),
        state: sql.word<RowToRestore['state']>(),
        code: sql.orNull(sql.text),
        generation: sql.int4,
        firstSentAt: sql.orNull(sql.text),
        key: sql.orNull(sql.uuid),
        path: sql.orNull(sql.text),
        body: sql.orNull(sql.utf8),
        fingerprint: sql.orNull(sql.bytes),
        earlierKeys: sql.texts,
      },
      `SELECT r.row_number AS row, r.resource, i.record, r.state, r.code, r.generation, ${sql.isoUtc('r.first_sent_at')} AS "firstSentAt",
         q.idempotency_key AS key, q.path, convert_from(q.body, 'UTF8') AS body, q.fingerprint, e.keys AS "earlierKeys"
       FROM rows_between(?, ?, ?) r ${inputOf('r')} ${requestOf('r')}
       CROSS JOIN LATERAL (SELECT coalesce(array_agg(idempotency_key::text), '{}') AS keys FROM requests
         WHERE batch_id = r.batch_id AND row_number = r.row_number AND generation < r.generation ${asFence}) e
       WHERE r.state IN ('staged', 'waiting', 'ready', 'unknown', 'rejected', 'held') ORDER BY r.row_number`,
      [batchId, firstRow - 1, lastRow],
    );
    return rows.map(({ key, path, body, fingerprint, ...row }) => ({
      ...row,
      request:
        key === null || path === null || body === null || fingerprint === null
          ? null
          : { key, path, body, fingerprint },
    }));
  },
);

/** The highest row number of a batch; 0 if it has no rows. */
export const findLastRow = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<number> =>
    sql.onlyValue(
      database,
      sql.int4,
      'SELECT coalesce(max(row_number), 0) AS row FROM row_states WHERE batch_id = ?',
      [batchId],
    ),
);

/**
 * Writes the requests and results from a batch's run logs to its rows. A row that may have been sent becomes `unknown` under
 * its original key, so that nothing is created twice. Rows that are final or claimed stay unchanged.
 * @param rested rows without a request that get another row's object, or that need a person's decision
 * @param freed held rows that are to be sent like any other row
 */
export const restoreRows = sql.longVerbOnce(
  async (
    database: Knex,
    batchId: string,
    runId: string,
    restorations: readonly Restoration[],
    rested: readonly RestedRow[] = [],
    freed: readonly number[] = [],
  ): Promise<void> => {
    const write = async (transaction: sql.Database): Promise<void> => {
      const moved = [...restorations.map(({ ready }) => ready), ...rested].map(({ row }) => row);
      await takeBack(transaction, batchId, [...moved, ...freed]);
      await dropRequests(transaction, batchId, restorations);
      const prepared = restorations.map(({ ready }) => ready);
      // Existing objects are recorded even if a family then has two: a person or another program had decided this.
      await freePlaces(
        transaction,
        batchId,
        prepared.map(({ row }) => row),
      );
      await writeReady(transaction, batchId, runId, prepared, null);
      const ready = await standingReady(transaction, batchId, restorations);
      const named = ready.flatMap(({ ready: { row }, state, objectId }) =>
        state === 'created' && objectId !== null ? [{ row, objectId }] : [],
      );
      const noted = await noteObjects(transaction, batchId, named);
      const ends = ready.map((each) =>
        each.state === 'created' && !noted.has(each.ready.row) ? heldAsSeen(each) : each,
      );
      await writeEnds(transaction, batchId, ends);
      await writeAnswers(transaction, batchId, ends);
      await writeRested(transaction, batchId, rested);
    };
    await changeBatch(database, batchId, write);
  },
);

/** Returns rows to `staged` that have another state already. This happens in a ledger that was restored from a backup. */
async function takeBack(transaction: sql.Database, batchId: string, rows: readonly number[]): Promise<void> {
  await sql.execute(
    transaction,
    `WITH back AS (
       SELECT s.place, s.chunk FROM unnest(?::int[]) AS p (row_number)
       ${rowStateOf('p')}
       WHERE ${stateIs('s', 'waiting', 'ready', 'unknown', 'rejected', 'held')} AND ${isUnclaimed('s')}),
     moved AS (
       UPDATE row_states r SET state = 'staged', chunk = NULL, owned_key = NULL, object_id = NULL, run_id = NULL,
         credential = NULL, first_sent_at = NULL, may_exist = false, refused_at = NULL, code = NULL, field = NULL,
         message = NULL, changed_at = now()
       FROM back b WHERE ${isAt('r', 'b')}
       RETURNING b.chunk),
     ${countedOff('moved')}
     SELECT FROM moved`,
    [rows, batchId, batchId],
  );
}

/** Deletes the requests that the requests of the log replace. They are the same requests, or they were never sent. */
async function dropRequests(
  transaction: sql.Database,
  batchId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  await sql.execute(
    transaction,
    `SELECT forget_requests(?, array_agg(p.row_number), array_agg(p.generation))
     FROM unnest(?::int[], ?::int[]) AS p (row_number, generation)
     ${rowStateOf('p')} WHERE ${stateIs('s', 'staged')}`,
    [
      batchId,
      restorations.map(({ ready }) => ready.row),
      restorations.map(({ ready }) => ready.generation),
      batchId,
    ],
  );
}

/** The restorations whose rows now have the request of the log. The other rows are final or claimed. */
async function standingReady(
  transaction: sql.Database,
  batchId: string,
  restorations: readonly Restoration[],
): Promise<Restoration[]> {
  const standing = await sql.query(
    transaction,
    { row: sql.int4 },
    `SELECT s.row_number AS row FROM unnest(?::int[]) AS p (row_number)
     ${rowStateOf('p')} WHERE ${stateIs('s', 'ready')} AND s.chunk IS NULL AND s.run_id IS NULL`,
    [restorations.map(({ ready }) => ready.row), batchId],
  );
  const rows = new Set(standing.map(({ row }) => row));
  return restorations.filter(({ ready }) => rows.has(ready.row));
}

async function writeRested(
  transaction: sql.Database,
  batchId: string,
  rested: readonly RestedRow[],
): Promise<void> {
  if (rested.length === 0) return;
  const reasons = rested.map(({ reason }) => reason);
  await sql.execute(
    transaction,
    `UPDATE row_states r SET state = e.state, object_id = e.object_id, code = e.code, field = e.field,
       message = e.message, natural_key = coalesce(e.natural_key, r.natural_key), owned_key = e.natural_key,
       changed_at = now()
     FROM unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bytea[])
       AS e (row_number, state, object_id, code, field, message, natural_key)
     ${rowStateOf('e')} WHERE ${isAt('r', 's')} AND ${stateIs('r', 'staged')}`,
    [
      ...arrays.arraysOf(rested, 'row', 'state', 'objectId'),
      ...arrays.arraysOf(reasons, 'code', 'field', 'message'),
      rested.map(({ naturalKey }) => naturalKey ?? null),
      batchId,
    ],
  );
}

/** Holds a row whose object in the log belongs to another row. */
function heldAsSeen(restoration: Restoration): Restoration {
  const message = `The run log names the object ${restoration.objectId}, which another row has.`;
  const reason = { code: 'id_seen_before', field: null, message };
  return { ...restoration, state: 'held', objectId: null, reason };
}

async function writeEnds(
  transaction: sql.Database,
  batchId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  await sql.execute(
    transaction,
    // A waiting row was refused conclusively, so its next request gets a new key.
    `UPDATE row_states r SET state = e.state, object_id = e.object_id, code = e.code, message = e.message, field = e.field,
       generation = e.generation + CASE WHEN e.state = 'waiting' THEN 1 ELSE 0 END,
       refused_at = CASE WHEN e.state = 'waiting' THEN now() END,
       first_sent_at = CASE WHEN e.state = 'waiting' THEN NULL ELSE e.first_sent_at END,
       credential = CASE WHEN e.state = 'waiting' THEN NULL ELSE e.credential END,
       may_exist = e.state = 'unknown', attempts = greatest(r.attempts, e.attempts), http_status = e.http_status,
       owned_key = CASE WHEN e.state IN ('rejected', 'waiting') THEN NULL ELSE r.owned_key END, changed_at = now()
     FROM unnest(?::int[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[],
                 ?::text[], ?::int[], ?::int[])
       AS e (row_number, state, generation, object_id, code, message, field, first_sent_at, credential, attempts,
             http_status)
     ${rowStateOf('e')} WHERE ${isAt('r', 's')} AND ${stateIs('r', 'ready')}`,
    [
      restorations.map(({ ready }) => ready.row),
      restorations.map(({ state }) => state),
      restorations.map(({ ready }) => ready.generation),
      restorations.map(({ objectId }) => objectId),
      restorations.map(({ reason }) => reason?.code ?? null),
      restorations.map(({ reason }) => reason?.message ?? null),
      restorations.map(({ reason }) => reason?.field ?? null),
      ...arrays.arraysOf(restorations, 'firstSentAt', 'credential', 'attempts', 'httpStatus'),
      batchId,
    ],
  );
}

/** Records that answers created objects, without their content: a run log does not contain it. */
async function writeAnswers(
  transaction: sql.Database,
  batchId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  const answers = restorations.flatMap(({ ready: { row, generation }, state, objectId, answer }) =>
    state === 'created' && answer !== null ? [{ row, generation, objectId, ...answer }] : [],
  );
  if (answers.length === 0) return;
  await sql.execute(
    transaction,
    `INSERT INTO attempts (batch_id, run_id, outcome, row_number, generation, number, http_status, object_id,
       duration_in_ms, recorded_at)
     SELECT ?, ?, 'created', a.*
     FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::text[], ?::int[], ?::timestamptz[]) a
     ON CONFLICT DO NOTHING`,
    [
      ...[batchId, runOfALog],
      ...arrays.arraysOf(answers, 'row', 'generation', 'number', 'httpStatus', 'objectId'),
      answers.map(({ durationInMs }) => Math.round(durationInMs)),
      answers.map(({ answeredAt }) => answeredAt),
    ],
  );
}
