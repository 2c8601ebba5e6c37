/* The link between the rows of a family: their origin. At most one row of a family is live or created. */

import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, isAt, lookUp, rowStateOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/*
 * A family consists of a row, its corrections, its other readings, and the same row in files that were delivered again. The
 * family is identified by its origin, the row of the first file. At most one row of a family is live. The unique index
 * `rows_own_origin_once` enforces this for the rows that store their origin. A correction stores it from its staging on. The
 * origin row stores itself as origin in `markOrigins`, under the lock of its batch, before the correction may become ready;
 * otherwise a trigger refuses that.
 */

/** The unique index that refuses a second live row of a family. */
export const oneOfAFamily = 'rows_own_origin_once';

/** SQL: a hold from staging that only the row's preparation can resolve, once the row's family is known. */
const isDecidedLater = "r.state = 'held' AND r.code IN ('unknown_elsewhere', 'differs_from_created')";

/**
 * SQL after a CTE `linked` of a batch's new links. It stores the origin in their rows. Rows that are live already come from
 * a run log: they stay live, even if a family has two. Its binding is the batch's id.
 */
const namingOrigins = (): string => `
  UPDATE row_states r SET origin_batch = l.first_batch_id, origin_row = l.first_row,
    origin_place = CASE WHEN r.owned_key IS NULL THEN 0 ELSE ${placeBehind('l.first_batch_id', 'l.first_row')} END,
    state = CASE WHEN ${isDecidedLater} THEN 'staged' ELSE r.state END,
    code = CASE WHEN ${isDecidedLater} THEN NULL ELSE r.code END,
    field = CASE WHEN ${isDecidedLater} THEN NULL ELSE r.field END,
    message = CASE WHEN ${isDecidedLater} THEN NULL ELSE r.message END
  FROM linked l ${rowStateOf('l')} WHERE ${isAt('r', 's')}`;

/**
 * SQL of an INSERT into `corrected_rows`, for rows with their immediately earlier row as `earlier_batch` and `earlier_row`.
 */
function linking(isReading: boolean, rows: string): string {
  return `INSERT INTO corrected_rows (batch_id, row_number, first_batch_id, first_row, earlier_batch_id, earlier_row,
      earlier_generation, is_reading)
    SELECT n.batch_id, n.row_number, coalesce(f.first_batch_id, n.earlier_batch), coalesce(f.first_row, n.earlier_row),
      n.earlier_batch, n.earlier_row, e.generation, ${isReading}
    FROM ${rows} n
    CROSS JOIN LATERAL (SELECT generation FROM row_states
      WHERE batch_id = n.earlier_batch AND row_number = n.earlier_row ${asFence}) e
    LEFT JOIN LATERAL (SELECT first_batch_id, first_row FROM corrected_rows
      WHERE batch_id = n.earlier_batch AND row_number = n.earlier_row ${asFence}) f ON true
    RETURNING row_number, first_batch_id, first_row`;
}

/**
 * Records which earlier rows these rows of a batch correct, while the batch is being staged. The earlier rows have the same
 * environment and kind.
 */
export async function linkCorrections(
  transaction: sql.Database,
  batchId: string,
  rows: readonly StagedRow[],
): Promise<void> {
  const corrected = rows.flatMap(({ row, corrects }) => (corrects === undefined ? [] : [{ row, corrects }]));
  if (corrected.length === 0) return;
  const named = `(SELECT own.id AS batch_id, g.row_number, g.earlier_batch, g.earlier_row
    FROM unnest(?::int[], ?::uuid[], ?::int[]) AS g (row_number, earlier_batch, earlier_row)
    JOIN batches own ON own.id = ?
    JOIN batches b ON b.id = g.earlier_batch AND b.environment_id = own.environment_id AND b.kind = own.kind)`;
  await sql.execute(transaction, `WITH linked AS (${linking(false, named)}) ${namingOrigins()}`, [
    corrected.map(({ row }) => row),
    corrected.map(({ corrects }) => corrects.batch),
    corrected.map(({ corrects }) => corrects.row),
    ...[batchId, batchId],
  ]);
}

/**
 * Links the rows of a batch, before it is completely staged, to the rows of an earlier reading of the same content: row by
 * row, unless a row itself names another earlier row. Until the end of the database transaction, no other reading of the
 * content can be staged unnoticed.
 */
export async function linkReadings(transaction: sql.Database, batchId: string): Promise<void> {
  await sql.execute(
    transaction,
    `SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(' ', environment_id, kind, sheet, content_hash), 0))
     FROM batches WHERE id = ?`,
    [batchId],
  );
  const others = await sql.query(
    transaction,
    { id: sql.uuid },
    `SELECT b.id ${otherReadings} ORDER BY b.created_at, b.id`,
    [batchId],
  );
  if (others.length === 0) return;
  const sameRows = `(SELECT s.batch_id, s.row_number, e.batch_id AS earlier_batch, e.row_number AS earlier_row
    FROM row_states s
    CROSS JOIN LATERAL (SELECT o.batch_id, o.row_number
      FROM unnest(?::uuid[]) WITH ORDINALITY AS named (id, age)
      ${lookUp('batch_id, row_number FROM row_states', 'o', 's', { batch: 'named.id' })}
      ORDER BY named.age LIMIT 1) e
    WHERE s.batch_id = ? AND s.origin_batch IS NULL)`;
  await sql.execute(transaction, `WITH linked AS (${linking(true, sameRows)}) ${namingOrigins()}`, [
    others.map(({ id }) => id),
    ...[batchId, batchId],
  ]);
}

/** A row of a staged batch, with the row of an earlier batch that it replaces. */
export interface SameRow {
  readonly row: number;
  readonly earlierBatch: string;
  readonly earlierRow: number;
}

/**
 * Links rows of a batch that is being staged to the rows that they read in another way, or that they correct in the same
 * file.
 */
export async function linkOtherReading(
  transaction: sql.Database,
  batchId: string,
  rows: readonly SameRow[],
): Promise<void> {
  const links = `(SELECT ?::uuid AS batch_id, g.row_number, g.earlier_batch, g.earlier_row
    FROM unnest(?::int[], ?::uuid[], ?::int[]) AS g (row_number, earlier_batch, earlier_row))`;
  await sql.execute(transaction, `WITH linked AS (${linking(true, links)}) ${namingOrigins()}`, [
    batchId,
    ...arrays.arraysOf(rows, 'row', 'earlierBatch', 'earlierRow'),
    batchId,
  ]);
}

/** SQL: the staged batches `b` with the same content, kind and environment as the batch that is bound here. */
const otherReadings = `FROM batches own JOIN batches b ON b.content_hash = own.content_hash AND b.kind = own.kind
    AND b.environment_id = own.environment_id AND b.sheet IS NOT DISTINCT FROM own.sheet AND b.id <> own.id
  WHERE own.id = ? AND b.staged_at IS NOT NULL`;

/**
 * Includes rows of a locked batch in `rows_own_origin_once`: the first rows after a row number that other rows correct.
 * @param limit null for all of them
 * @returns how many of them were not included before
 */
export function markOriginsOf(
  transaction: sql.Database,
  batchId: string,
  afterRow: number,
  limit: number | null,
): Promise<number> {
  return sql.execute(
    transaction,
    `WITH corrected AS MATERIALIZED (
       SELECT DISTINCT first_row AS row_number FROM corrected_rows WHERE first_batch_id = ? AND first_row > ?
       ORDER BY first_row LIMIT ?)
     UPDATE row_states r SET origin_batch = r.batch_id, origin_row = r.row_number,
       origin_place = CASE WHEN r.owned_key IS NULL THEN 0 ELSE ${placeBehind('r.batch_id', 'r.row_number')} END
     FROM corrected c ${rowStateOf('c')} WHERE ${isAt('r', 's')} AND r.origin_batch IS NULL`,
    [batchId, afterRow, limit, batchId],
  );
}

/** SQL: a row with this state and owned key has an object, may have one, or is about to be sent. */
function isLive(row: string): string {
  return `(${row}.state IN ('ready', 'sending', 'unknown', 'created', 'existing')
    OR (${row}.state = 'held' AND ${row}.owned_key IS NOT NULL))`;
}

/**
 * SQL that joins each rival `rival` of row state `row`. A rival is another member of the row's family that is live, and that
 * does not precede the row by a person's decision. A row that repeats another row of its file counts as that row.
 */
export function rivalsOf(row: string): string {
  return `CROSS JOIN LATERAL (
    SELECT m.batch_id, m.row_number, m.number, x.origin_place, coalesce(o.state, v.state) AS state,
      coalesce(o.object_id, v.object_id) AS object_id, v.owned_key IS NOT NULL AS owns_a_place
    FROM (
      SELECT ${row}.origin_batch AS batch_id, ${row}.origin_row AS row_number, 0::bigint AS number
      UNION ALL
      SELECT c.batch_id, c.row_number, c.number FROM corrected_rows c
      WHERE c.first_batch_id = ${row}.origin_batch AND c.first_row = ${row}.origin_row) m
    CROSS JOIN LATERAL (SELECT same_as, coalesce(origin_place, 0) AS origin_place FROM row_states
      WHERE batch_id = m.batch_id AND row_number = m.row_number ${asFence}) x
    ${lookUp('state, object_id, owned_key FROM rows', 'v', 'm')}
    LEFT JOIN LATERAL (SELECT state, object_id, owned_key FROM rows
      WHERE v.state = 'duplicate' AND batch_id = m.batch_id AND row_number = x.same_as ${asFence}) o ON true
    WHERE (m.batch_id, m.row_number) <> (${row}.batch_id, ${row}.row_number)
      AND NOT (v.state = 'duplicate' AND m.batch_id = ${row}.batch_id AND x.same_as = ${row}.row_number)
      AND x.origin_place >= ${row}.origin_place AND (${isLive('v')} OR ${isLive('o')})) rival`;
}

/** SQL: the place of row state `r` in a family: after all members that own a place there. */
function placeBehind(originBatch: string, originRow: string): string {
  return `(SELECT coalesce(max(rival.origin_place) + 1, 0) FROM (SELECT r.batch_id, r.row_number,
    ${originBatch} AS origin_batch, ${originRow} AS origin_row, 0 AS origin_place) own ${rivalsOf('own')}
    WHERE rival.owns_a_place)`;
}

/** SQL: the rival `rival` may still get an object, or it is unknown whether it has one. */
export const isRivalInDoubt = "rival.state NOT IN ('created', 'existing')";

/**
 * Gives a separate place to these rows if they are held because another row of their family is created. A person has decided
 * to send them too. The decision covers objects that are created now, and no object that is created later.
 * @returns false if any of the families is in doubt; then nothing is changed
 */
export async function allowBesideCreated(
  transaction: sql.Database,
  batchId: string,
  rows: readonly number[],
): Promise<boolean> {
  if (rows.length === 0) return true;
  const held = await sql.query(
    transaction,
    { row: sql.int4, isInDoubt: sql.bool },
    `SELECT s.row_number AS row, bool_or(${isRivalInDoubt}) AS "isInDoubt" FROM unnest(?::int[]) AS n (row_number)
     ${rowStateOf('n')} ${rivalsOf('s')} WHERE s.origin_batch IS NOT NULL AND s.code = 'corrects_created' GROUP BY 1`,
    [rows, batchId],
  );
  if (held.some(({ isInDoubt }) => isInDoubt)) return false;
  await freePlaces(
    transaction,
    batchId,
    held.map(({ row }) => row),
  );
  return true;
}

/** Moves rows whose place in their family other rows have, to the first place after these. */
export async function freePlaces(
  transaction: sql.Database,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql.execute(
    transaction,
    `WITH taken AS (
       SELECT s.place, max(rival.origin_place) AS last FROM unnest(?::int[]) AS n (row_number)
       ${rowStateOf('n')} ${rivalsOf('s')} WHERE s.origin_batch IS NOT NULL GROUP BY s.place)
     UPDATE row_states r SET origin_place = t.last + 1 FROM taken t WHERE ${isAt('r', 't')}`,
    [rows, batchId],
  );
}
