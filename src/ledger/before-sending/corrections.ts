/* Families of rows: how rows are excluded from sending once a correction or another reading of them is valid. */

import type { Knex } from 'knex';
import { sendingCommands } from '../../domain/batches/run.ts';
import type { Rival } from '../../domain/rows/ledger-row.ts';
import {
  changeBatch,
  changeRows,
  countedOff,
  forgetUnusedRequests,
  isUnclaimed,
} from '../protocol/batch-lock.ts';
import { isRivalInDoubt, markOriginsOf, rivalsOf } from '../protocol/origins.ts';
import { hasMovable, isAt, lookUp, requestOf, rowStateOf, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/**
 * The batches with rows of the same families as a batch: the batches whose rows it corrects or reads in another way, the
 * batches that correct the same rows, and the batches that correct its own rows.
 */
export const listRelatives = sql.longVerb(
  (database: sql.Database, batchId: string): Promise<string[]> => relativesWhere(database, batchId, 'true'),
);

/**
 * SQL: a person has requested to send batch `b`, and has not declined since then. A declined run ends before it has a log.
 */
const isMeantToBeSent = `(SELECT log_paths <> '{}' FROM runs
  WHERE batch_id = b.id AND ${sql.isIn('command', sendingCommands)}
    AND (log_paths <> '{}' OR outcome IN ('usage', 'plan_changed'))
  ORDER BY number DESC LIMIT 1)`;

/**
 * The batches with rows of the same families that were created after a batch, that a person wanted to send, and that have
 * rows which can still change without a person; the oldest first. Batches that were only planned, or were closed, are
 * omitted.
 */
export const listLaterToSend = sql.longVerb(
  (database: sql.Database, batchId: string): Promise<string[]> =>
    relativesWhere(
      database,
      batchId,
      `b.closed_at IS NULL AND b.created_at > own.created_at AND ${isMeantToBeSent} AND (${hasMovable('b.id')})`,
    ),
);

/** @param condition SQL about the staged batch `b`, a relative of batch `own` */
function relativesWhere(database: sql.Database, batchId: string, condition: string): Promise<string[]> {
  return sql.valuesOf(
    database,
    sql.uuid,
    `WITH firsts AS (
       SELECT DISTINCT first_batch_id AS id FROM corrected_rows WHERE batch_id = ?
       UNION SELECT ?::uuid)
     SELECT b.id FROM (
       SELECT id FROM firsts
       UNION SELECT c.batch_id FROM corrected_rows c JOIN firsts f ON f.id = c.first_batch_id) r
     JOIN batches b ON b.id = r.id AND b.staged_at IS NOT NULL
     JOIN batches own ON own.id = ?
     WHERE b.id <> own.id AND ${condition} ORDER BY b.created_at, b.id`,
    [batchId, batchId, batchId],
  );
}

/** Includes the corrected rows of a batch in the uniqueness rule of their families; see `protocol/origins.ts`. */
export const markOrigins = sql.longVerb(
  (database: Knex, batchId: string): Promise<number> =>
    changeBatch(
      database,
      batchId,
      (transaction) => markOriginsOf(transaction, batchId, 0, null),
      (rows) => rows > 0,
    ),
);

/** How many rows are examined while the lock is held once. */
const rowsAtOnce = 1_000;

/** The result of one step of superseding, and the position of the next step. */
interface SupersededPage {
  /** The rows that were moved. */
  readonly rows: readonly number[];
  /** Null if no row is left to examine. */
  readonly lastRow: number | null;
}

/**
 * Excludes the corrected rows of a batch from sending. Instead, a later row of their family counts, if its batch is
 * completely staged. Rows whose object exists, or may exist, stay unchanged. Refused rows stay refused, and are not sent
 * again. It examines some rows after a row number. It may be repeated, and does then what is left to do.
 */
export const supersedeCorrected = sql.longVerb(
  (database: Knex, batchId: string, afterRow: number): Promise<SupersededPage> => {
    let marked = 0;
    return changeBatch(
      database,
      batchId,
      async (transaction) => {
        marked = await markOriginsOf(transaction, batchId, afterRow, rowsAtOnce);
        return supersedePage(transaction, batchId, afterRow);
      },
      ({ rows }) => rows.length + marked > 0,
    );
  },
);

/** SQL: link `c` is in effect. Another reading that was only planned does not change the rows of the earlier reading. */
const counts = `(NOT c.is_reading OR EXISTS (SELECT FROM runs WHERE batch_id = c.batch_id AND command <> 'plan'))`;

/**
 * SQL of the CTEs `members` and `heirs`. `members` are rows of a batch that belong to families. `heirs` are the members that
 * a later row of another batch replaces. The bindings are the batch's id and a row number, twice, and the batch's id.
 */
const membersAndHeirs = `
  members AS MATERIALIZED (
    SELECT * FROM (
      SELECT DISTINCT first_row AS row_number, first_batch_id AS origin_batch, first_row AS origin_row, 0::bigint AS number
      FROM corrected_rows WHERE first_batch_id = ? AND first_row > ?
      UNION ALL
      SELECT row_number, first_batch_id, first_row, number FROM corrected_rows WHERE batch_id = ? AND row_number > ?) m
    ORDER BY row_number LIMIT ${rowsAtOnce}),
  heirs AS MATERIALIZED (
    SELECT m.row_number, h.message FROM members m CROSS JOIN LATERAL (
      SELECT 'Corrected in ' || coalesce(b.given_name, b.file_name) || ', row ' || c.row_number || ', batch '
        || left(c.batch_id::text, 8) || '.' AS message
      FROM corrected_rows c JOIN batches b ON b.id = c.batch_id AND b.staged_at IS NOT NULL
      ${lookUp('state FROM row_states', 's', 'c')}
      WHERE c.first_batch_id = m.origin_batch AND c.first_row = m.origin_row AND c.number > m.number
        AND c.batch_id <> ? AND s.state <> 'invalid' AND ${counts}
      ORDER BY c.number DESC LIMIT 1) h)`;

/** SQL: the row that row state `s` repeats has an object, or may have. */
const isOriginalSent = `EXISTS (SELECT FROM rows r WHERE r.batch_id = s.batch_id AND r.row_number = s.same_as
  AND (r.state IN ('sending', 'unknown', 'created', 'existing') OR (r.state = 'held' AND r.owned_key IS NOT NULL)))`;

/** SQL: no request of row state `s` has left without a conclusive refusal, and none is about to leave. */
const mayBeSuperseded = `CASE WHEN ${stateIs('s', 'staged', 'waiting', 'invalid', 'rejected')} THEN true
  WHEN ${stateIs('s', 'ready')} THEN ${isUnclaimed('s')}
  WHEN ${stateIs('s', 'held')} THEN s.owned_key IS NULL
  WHEN ${stateIs('s', 'duplicate')} THEN NOT ${isOriginalSent} ELSE false END`;

async function supersedePage(
  transaction: sql.Database,
  batchId: string,
  afterRow: number,
): Promise<SupersededPage> {
  const rows = await sql.query(
    transaction,
    { row: sql.int4, wasReady: sql.orNull(sql.bool) },
    `WITH ${membersAndHeirs},
     corrected AS MATERIALIZED (
       SELECT s.place, s.row_number, s.chunk, s.state, h.message FROM heirs h ${rowStateOf('h')}
       WHERE ${mayBeSuperseded} AND (s.code IS DISTINCT FROM 'superseded' OR s.message IS DISTINCT FROM h.message)),
     moved AS (
       UPDATE row_states r SET state = CASE WHEN c.state = 'rejected' THEN 'rejected' ELSE 'invalid' END,
         code = 'superseded', field = NULL, message = c.message, owned_key = NULL, chunk = NULL, refused_at = NULL,
         run_id = CASE WHEN c.state = 'rejected' THEN r.run_id END, changed_at = now()
       FROM corrected c WHERE ${isAt('r', 'c')}
       RETURNING r.row_number, c.chunk, c.state),
     ${countedOff('moved')}
     SELECT m.row_number AS row, o.state = 'ready' AS "wasReady"
     FROM members m LEFT JOIN moved o USING (row_number) ORDER BY m.row_number`,
    [batchId, afterRow, batchId, afterRow, batchId, batchId, batchId],
  );
  const moved = rows.filter(({ wasReady }) => wasReady !== null);
  await forgetUnusedRequests(
    transaction,
    batchId,
    moved.flatMap(({ row, wasReady }) => (wasReady === true ? [row] : [])),
  );
  const lastRow = rows.length < rowsAtOnce ? null : (rows.at(-1)?.row ?? null);
  return { rows: moved.map(({ row }) => row), lastRow };
}

/**
 * Releases rows of a batch that were held because a row of their family was in doubt, and that row no longer is. The
 * preparation of the released rows then determines whether an object exists now.
 * @returns the number of moved rows
 */
export const releaseCorrections = sql.longVerb(
  (database: Knex, batchId: string): Promise<number> =>
    changeRows(
      database,
      batchId,
      `WITH settled AS MATERIALIZED (
         SELECT s.place FROM corrected_rows c ${rowStateOf('c')}
         WHERE c.batch_id = ? AND ${stateIs('s', 'held')} AND s.code = 'corrects_in_doubt' AND s.owned_key IS NULL
           AND NOT EXISTS (SELECT FROM (SELECT s.*) own ${rivalsOf('own')} WHERE ${isRivalInDoubt}))
       UPDATE row_states r SET state = 'staged', code = NULL, field = NULL, message = NULL, changed_at = now()
       FROM settled t WHERE ${isAt('r', 't')}`,
      [batchId, batchId],
    ),
);

/** The most serious rival of each of these rows of a batch, by row; rows without a rival are missing. */
export const findRivals = sql.longVerb(
  async (database: sql.Database, batchId: string, rows: readonly number[]): Promise<Map<number, Rival>> => {
    const found = await sql.query<Rival & { own: number }>(
      database,
      {
        batch: sql.uuid,
        row: sql.int4,
        fileName: sql.text,
        state: sql.word(),
        objectId: sql.orNull(sql.text),
        own: sql.int4,
      },
      `SELECT DISTINCT ON (s.row_number) s.row_number AS own, rival.batch_id AS batch, rival.row_number AS row, rival.state,
         rival.object_id AS "objectId", coalesce(b.given_name, b.file_name) AS "fileName"
       FROM unnest(?::int[]) AS n (row_number) ${rowStateOf('n')} ${rivalsOf('s')}
       JOIN batches b ON b.id = rival.batch_id
       WHERE s.origin_batch IS NOT NULL
       ORDER BY s.row_number, rival.state = 'ready', ${isRivalInDoubt} DESC, rival.number DESC`,
      [rows, batchId],
    );
    return new Map(found.map(({ own, ...rival }) => [own, rival]));
  },
);

/** The data about superseded or closed rows that a run log contains. */
export const findRowsToLog = sql.longVerbOnce(
  (database: sql.Database, batchId: string, rows: readonly number[]) =>
    sql.query(
      database,
      {
        row: sql.int4,
        key: sql.orNull(sql.uuid),
        attempt: sql.int4,
        status: sql.word<'invalid' | 'rejected'>(),
      },
      `SELECT s.row_number AS row, q.idempotency_key AS key, s.attempts AS attempt, s.state AS status
       FROM unnest(?::int[]) AS n (row_number) ${rowStateOf('n')} ${requestOf('s')}
       WHERE s.code IN ('superseded', 'closed') ORDER BY 1`,
      [rows, batchId],
    ),
);

/** A mark that changes whenever a row of the batch is superseded. It is the same for every batch without a family. */
export const readSupersessions = sql.longVerb(
  (database: sql.Database, batchId: string): Promise<string> =>
    sql.valueOr(
      '',
      database,
      sql.orNull(sql.text),
      `SELECT CASE WHEN EXISTS (SELECT FROM corrected_rows WHERE first_batch_id = b.id)
           OR EXISTS (SELECT FROM corrected_rows WHERE batch_id = b.id)
         THEN (SELECT concat_ws(' ', count(*), max(changed_at)) FROM row_states
           WHERE batch_id = b.id AND code = 'superseded') END AS mark
       FROM batches b WHERE b.id = ?`,
      [batchId],
    ),
);
