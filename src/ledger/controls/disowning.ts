/*
 * API keys of the wrong mode: objects that were created with a sandbox key instead of the live key, and how they are taken
 * back so that their rows are sent again.
 */

import type { Knex } from 'knex';
import type { DisownedBatch, Disowning } from '../../domain/controls/controls.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import {
  countChange,
  countedOff,
  forgetUnusedRequests,
  isUnclaimed,
  lockBatch,
} from '../protocol/batch-lock.ts';
import { inputOf, isAt, itsPlace, requestOf, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** SQL: row state `s` was created by a person's verdict. */
const isByVerdict = "(s.state = 'created' AND s.code IS NOT DISTINCT FROM 'resolved')";

/** SQL of the live objects `f`, with their row states `s`, that were created with the key that is bound here. */
const createdWithKey = `FROM created_objects f
  JOIN row_states s ON s.batch_id = f.batch_id AND s.row_number = f.row_number
  JOIN environments e ON e.id = f.environment_id AND e.mode = 'live'
  WHERE coalesce(f.credential, s.credential) = ?`;

/** SQL of the number of live rows in doubt that were sent with a key. The key is bound here, twice. */
const doubtsOfKey = `(SELECT count(*)::int FROM row_states s JOIN environments e ON e.id = s.environment_id AND e.mode = 'live'
    WHERE s.credential = ? AND (${stateIs('s', 'unknown', 'sending')}
      OR (${stateIs('s', 'held')} AND (s.owned_key IS NOT NULL OR s.may_exist))))
  + (SELECT coalesce(sum(c.open_rows), 0)::int FROM claims l
    JOIN send_chunks c ON c.batch_id = l.batch_id AND c.lease_token = l.lease_token AND c.open_rows > 0
    JOIN batches b ON b.id = l.batch_id JOIN environments e ON e.id = b.environment_id AND e.mode = 'live'
    WHERE l.credential = ?)`;

/** The effects that disowning a key would have now. */
export const readDisowning = sql.longVerb(async (database: sql.Database, key: string): Promise<Disowning> => {
  const known = await sql.onlyRow(
    database,
    { isKnown: sql.bool, inDoubt: sql.int4, decided: sql.int4 },
    `SELECT EXISTS (SELECT FROM claims l JOIN batches b ON b.id = l.batch_id
           JOIN environments e ON e.id = b.environment_id AND e.mode = 'live' WHERE l.credential = ?)
         OR EXISTS (SELECT ${createdWithKey}) AS "isKnown",
         ${doubtsOfKey} AS "inDoubt", (SELECT count(*)::int ${createdWithKey} AND ${isByVerdict}) AS decided`,
    [key, key, key, key, key],
  );
  const batches = await sql.query<DisownedBatch>(
    database,
    { id: sql.uuid, created: sql.int4, existing: sql.int4, ready: sql.int4, sums: sql.json() },
    `WITH made AS MATERIALIZED (SELECT f.batch_id, f.row_number, f.environment_id, f.kind, f.object_id ${createdWithKey} AND NOT ${isByVerdict}),
       taken AS (SELECT environment_id, kind, object_id FROM made UNION ${takenBack('environment_id, kind, object_id')}),
       standing AS (SELECT s.batch_id, count(*)::int AS rows FROM row_states s
         JOIN taken t ON t.environment_id = s.environment_id AND t.kind = s.kind AND t.object_id = s.object_id
         WHERE s.state = 'existing' GROUP BY s.batch_id),
       prepared AS (SELECT s.batch_id, count(*)::int AS rows FROM row_states s
         WHERE s.environment_id IN (SELECT environment_id FROM taken) AND ${isOnlyReady} GROUP BY s.batch_id),
       counted AS (SELECT m.batch_id, count(*)::int AS rows FROM made m GROUP BY m.batch_id)
       SELECT b.id, coalesce(c.rows, 0) AS created, coalesce(x.rows, 0) AS existing, coalesce(p.rows, 0) AS ready,
         coalesce((SELECT json_agg(json_build_object('currency', currency, 'rows', rows, 'amount', amount) ORDER BY currency)
           FROM (SELECT i.record->>'currency' AS currency, count(*)::int AS rows, sum((i.record->>'amount')::numeric)::text AS amount
             FROM made m ${inputOf('m')} WHERE m.batch_id = b.id AND i.record->>'amount' IS NOT NULL GROUP BY 1) a), '[]') AS sums
       FROM batches b LEFT JOIN counted c ON c.batch_id = b.id LEFT JOIN standing x ON x.batch_id = b.id
       LEFT JOIN prepared p ON p.batch_id = b.id
       WHERE coalesce(c.rows, x.rows, p.rows) IS NOT NULL ORDER BY b.id`,
    [key],
  );
  return { ...known, batches };
});

/** SQL of the objects that were taken back. */
function takenBack(columns: string): string {
  return `SELECT ${columns} FROM verdicts v JOIN (SELECT id, environment_id, kind FROM batches) b ON b.id = v.batch_id
    WHERE v.from_state = 'created'`;
}

/** SQL: row state `s` is ready, was not created, and is not claimed. */
const isOnlyReady = `s.state = 'ready' AND ${isUnclaimed('s')}`;

/** The result of a call to disown a key. */
export type DisowningOutcome =
  | 'disowned'
  /** Another run sends live rows. */
  | 'busy'
  /** Rows that were sent with the key are in doubt. */
  | 'in_doubt'
  /** Batches that no run of this call holds have acquired rows of the key. */
  | 'changed';

/**
 * Disowns a key, and stages all of its rows again. This happens in one transaction, under the locks of their batches, in the
 * order of the batches' ids, and then under the lock of controls. So a claim with the key either comes before, or is
 * refused.
 * @param runs the open runs that hold the batches
 */
export const disownKey = sql.longVerbOnce(
  async (
    database: Knex,
    statement: {
      readonly key: string;
      readonly note: string;
      readonly by: ActorOfEvent;
      readonly runs: readonly { readonly batchId: string; readonly runId: string }[];
    },
  ): Promise<DisowningOutcome> => {
    const { key, note, by } = statement;
    const runs = [...statement.runs].sort((left, right) => (left.batchId < right.batchId ? -1 : 1));
    try {
      await database.transaction(async (transaction) => {
        await nameActor(transaction, by);
        for (const { batchId } of runs) await lockBatch(transaction, batchId);
        await sql.execute(transaction, 'SELECT disown_key(?, ?, ?)', [key, note, by.name]);
        const hindrance = await hindranceOf(transaction, key, runs);
        if (hindrance !== null) throw new Hindered(hindrance);
        for (const { batchId, runId } of runs) {
          await lockBatch(transaction, batchId);
          await sql.execute(transaction, 'SELECT disown_created(?, ?, ?, ?, ?)', [
            batchId,
            key,
            runId,
            note,
            by.name,
          ]);
        }
        for (const { batchId, runId } of runs) {
          await lockBatch(transaction, batchId);
          await takeBackExisting(transaction, batchId, { runId, note, by: by.name });
          await writeReadyAnew(transaction, batchId);
          await countChange(transaction, batchId);
        }
      });
      return 'disowned';
    } catch (error) {
      if (error instanceof Hindered) return error.hindrance;
      throw error;
    }
  },
);

/** Thrown to undo what the transaction has done so far. */
class Hindered extends Error {
  readonly hindrance: DisowningOutcome;

  constructor(hindrance: DisowningOutcome) {
    super(hindrance);
    this.hindrance = hindrance;
  }
}

async function hindranceOf(
  transaction: sql.Database,
  key: string,
  runs: readonly { readonly batchId: string; readonly runId: string }[],
): Promise<DisowningOutcome | null> {
  const found = await sql.onlyRow(
    transaction,
    { isBusy: sql.bool, inDoubt: sql.int4, hasOthers: sql.bool },
    `SELECT EXISTS (SELECT FROM runs r JOIN batches b ON b.id = r.batch_id
         JOIN environments e ON e.id = b.environment_id AND e.mode = 'live'
         WHERE r.ended_at IS NULL AND r.lease_until > now() AND r.id <> ALL(?::uuid[])) AS "isBusy",
       ${doubtsOfKey} AS "inDoubt",
       EXISTS (SELECT ${createdWithKey} AND NOT ${isByVerdict} AND f.batch_id <> ALL(?::uuid[])) AS "hasOthers"`,
    [runs.map(({ runId }) => runId), key, key, key, runs.map(({ batchId }) => batchId)],
  );
  if (found.isBusy) return 'busy';
  if (found.inDoubt > 0) return 'in_doubt';
  return found.hasOthers ? 'changed' : null;
}

/** Stages rows again whose existing object was taken back. */
async function takeBackExisting(
  transaction: sql.Database,
  batchId: string,
  { runId, note, by }: { readonly runId: string; readonly note: string; readonly by: string },
): Promise<void> {
  await sql.execute(
    transaction,
    `WITH gone AS (
       SELECT ${itsPlace}, s.batch_id, s.row_number, s.object_id, s.attempts, s.generation, s.code
       FROM row_states s WHERE s.batch_id = ? AND s.state = 'existing' AND EXISTS (
         ${takenBack('')} AND b.environment_id = s.environment_id AND b.kind = s.kind AND v.object_id = s.object_id)),
     noted AS (
       INSERT INTO verdicts (batch_id, row_number, generation, from_state, from_code, attempts, verdict, object_id, note,
                             decided_by, run_id)
       SELECT batch_id, row_number, generation, 'existing', code, attempts, 'not-created', object_id, ?, ?, ?
       FROM gone ORDER BY row_number)
     UPDATE row_states r SET state = 'staged', object_id = NULL, run_id = NULL, credential = NULL, first_sent_at = NULL,
       may_exist = false, refused_at = NULL, code = 'resolved', field = NULL, changed_at = now(),
       message = 'The object that stood for it was created with a sandbox key: the next run sends it.',
       generation = r.generation + CASE WHEN EXISTS (SELECT FROM requests q WHERE q.batch_id = r.batch_id
         AND q.row_number = r.row_number AND q.generation = r.generation) THEN 1 ELSE 0 END
     FROM gone g WHERE ${isAt('r', 'g')}`,
    [batchId, note, by, runId],
  );
}

/** Deletes the requests of rows that were never sent. The next run writes them with the ids that are valid then. */
async function writeReadyAnew(transaction: sql.Database, batchId: string): Promise<void> {
  const moved = await sql.query(
    transaction,
    { row: sql.int4 },
    `WITH prepared AS MATERIALIZED (
       SELECT ${itsPlace}, s.row_number, s.chunk FROM row_states s WHERE s.batch_id = ? AND ${isOnlyReady}),
     moved AS (
       UPDATE row_states r SET state = 'staged', owned_key = NULL, chunk = NULL, run_id = NULL, credential = NULL,
         changed_at = now()
       FROM prepared p WHERE ${isAt('r', 'p')} RETURNING r.row_number, p.chunk),
     ${countedOff('moved')}
     SELECT row_number AS row FROM moved ORDER BY row_number`,
    [batchId, batchId],
  );
  await forgetUnusedRequests(
    transaction,
    batchId,
    moved.map(({ row }) => row),
  );
}

/** The rows of a batch that a run has taken back, in the order of their verdicts. */
export const listTakenBack = sql.longVerb(
  (database: sql.Database, batchId: string, runId: string, after: number, limit: number) =>
    sql.query(
      database,
      {
        /** The id of the verdict. Rows are read in the order of these ids. */
        verdict: sql.int4,
        row: sql.int4,
        /** The idempotency key under which it was created; null for a row that had none. */
        key: sql.orNull(sql.uuid),
        attempts: sql.int4,
      },
      `SELECT v.id::int AS verdict, v.row_number AS row, v.attempts, q.idempotency_key AS key
       FROM (SELECT * FROM verdicts WHERE batch_id = ? AND run_id = ? AND id > ?
         AND from_state IN ('created', 'existing') ORDER BY id LIMIT ?) v
       ${requestOf('v')} ORDER BY v.id`,
      [batchId, runId, after, limit],
    ),
);
