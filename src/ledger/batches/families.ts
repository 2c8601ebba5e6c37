/* The state of batches that does not follow from their own counts: their corrections, and their rows that are not final. */

import type { RowsInDoubt, SupersededCounts, WaitingRows } from '../../domain/batches/batch.ts';
import type { CorrectedRows } from '../../domain/batches/open-rows.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { type UnansweredRows, unansweredCodes } from '../../domain/sending/stops.ts';
import { rivalsOf } from '../protocol/origins.ts';
import { asFence, isUnsettled, lookUpIfAny, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/* The rows of batches that are not final: they are in doubt, have no answer, or wait. */

/** Rows in doubt, and their number. */
export interface CountedDoubt extends RowsInDoubt {
  readonly rows: number;
}

/**
 * The rows in doubt of batches, including rows that a run is sending now. By batch; batches without such rows are omitted.
 */
export async function readDoubts(
  database: sql.Database,
  batches: readonly { readonly id: string; readonly keyLifetimeInMs: number }[],
): Promise<ReadonlyMap<string, CountedDoubt>> {
  const found = await sql.query<CountedDoubt & { readonly id: string }>(
    database,
    {
      id: sql.uuid,
      oldestSentAt: sql.text,
      oldestRunsOutAt: sql.text,
      nextRunsOutAt: sql.orNull(sql.text),
      rows: sql.int4,
      expired: sql.int4,
      unsettled: sql.int4,
    },
    `WITH open AS (
       SELECT p.id AS batch_id, p.lifetime_in_ms, o.*
       FROM unnest(?::uuid[], ?::float8[]) AS p (id, lifetime_in_ms) CROSS JOIN LATERAL (
         SELECT row_number, generation, 1 AS rows, first_sent_at FROM row_states
         WHERE batch_id = p.id AND state = 'unknown'
         UNION ALL
         SELECT row_number, generation, 1, first_sent_at FROM row_states WHERE batch_id = p.id AND state = 'sending'
         UNION ALL
         -- Rows of a chunk are sent for the first time.
         SELECT NULL, NULL, c.open_rows, l.claimed_at FROM send_chunks c JOIN claims l USING (batch_id, lease_token)
         WHERE c.batch_id = p.id AND c.lease_token IS NOT NULL AND c.open_rows > 0) o),
     aged AS (
       SELECT batch_id, rows, first_sent_at, first_sent_at + lifetime_in_ms * interval '1 millisecond' AS runs_out_at,
         -- With the fence once for each row, although it is used twice.
         ${isUnsettled('open')} AS is_unsettled FROM open ${asFence})
     SELECT batch_id AS id, ${sql.isoUtc('min(first_sent_at)')} AS "oldestSentAt",
       ${sql.isoUtc('min(runs_out_at)')} AS "oldestRunsOutAt",
       ${sql.isoUtc('min(runs_out_at) FILTER (WHERE runs_out_at > now() AND NOT is_unsettled)')} AS "nextRunsOutAt",
       sum(rows)::int AS rows, coalesce(sum(rows) FILTER (WHERE runs_out_at <= now()), 0)::int AS expired,
       (count(*) FILTER (WHERE runs_out_at > now() AND is_unsettled))::int AS unsettled
     FROM aged GROUP BY batch_id`,
    [batches.map(({ id }) => id), batches.map(({ keyLifetimeInMs }) => keyLifetimeInMs)],
  );
  return new Map(found.map(({ id, ...doubt }) => [id, doubt]));
}

/** The reasons for which rows of batches wait, each with the time of the oldest row; the most frequent first. By batch. */
export async function readWaitingOf(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly WaitingRows[]>> {
  const found = await sql.query<WaitingRows & { readonly id: string }>(
    database,
    { id: sql.uuid, code: sql.text, rows: sql.int4, since: sql.text },
    `SELECT batch_id AS id, coalesce(code, '') AS code, count(*)::int AS rows, ${sql.isoUtc('min(changed_at)')} AS since
     FROM row_states WHERE batch_id = ANY(?::uuid[]) AND state = 'waiting' GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
    [batchIds],
  );
  return sql.groupedById(found);
}

/** The maximum number of row ranges that are returned. Rows that always fail are mostly adjacent. */
const rangesKept = 5;

/** SQL: apart from rows in doubt, batch `p` has no rows left to send, and some of its rows were created or refused. */
const areOthersThrough = `(
  NOT EXISTS (SELECT FROM row_states WHERE batch_id = p.id AND state IN ('staged', 'waiting'))
  AND NOT EXISTS (SELECT FROM row_states WHERE batch_id = p.id AND state = 'ready' AND chunk IS NULL)
  AND NOT EXISTS (SELECT FROM send_chunks WHERE batch_id = p.id AND open_rows > 0)
  AND (EXISTS (SELECT FROM created_objects WHERE batch_id = p.id)
    OR EXISTS (SELECT FROM row_states WHERE batch_id = p.id AND state = 'rejected')))`;

/** How many rows are read to find the time since when there was no answer. A run gives up after some tens of such rows. */
const rowsAsked = 20;

/**
 * The rows of batches that got no answer, for the most frequent cause, and the time since then, over all runs that tried. By
 * batch; batches without such rows are omitted.
 */
export async function readUnansweredOf(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, UnansweredRows>> {
  const found = await sql.query<UnansweredRows & { readonly id: string }>(
    database,
    {
      id: sql.uuid,
      code: sql.text,
      rows: sql.int4,
      httpStatus: sql.orNull(sql.int4),
      ranges: sql.json(),
      areAlone: sql.bool,
      since: sql.text,
    },
    `SELECT p.id, u.*, ${areOthersThrough} AS "areAlone" FROM unnest(?::uuid[]) AS p (id) CROSS JOIN LATERAL (
       WITH open AS (
         SELECT batch_id, row_number, code, http_status, changed_at FROM row_states
         WHERE batch_id = p.id AND state = 'ready' AND chunk IS NULL AND code = ANY(?::text[])
         UNION ALL
         SELECT batch_id, row_number, code, http_status, changed_at FROM row_states
         WHERE batch_id = p.id AND state = 'unknown' AND code = ANY(?::text[])),
       cause AS (SELECT code, count(*)::int AS rows FROM open GROUP BY code ORDER BY 2 DESC, 1 LIMIT 1),
       alike AS (SELECT o.*, c.rows FROM cause c JOIN open o USING (code)),
       ranges AS (
         SELECT json_agg(json_build_array(first, last) ORDER BY first) AS ranges FROM (
           SELECT min(row_number) AS first, max(row_number) AS last
           FROM (SELECT row_number, row_number - row_number() OVER (ORDER BY row_number) AS place FROM alike) a
           GROUP BY place ORDER BY 1 LIMIT ?) r),
       asked AS (SELECT * FROM alike ORDER BY row_number LIMIT ?)
       SELECT code, rows, max(http_status) FILTER (WHERE code = 'server_error') AS "httpStatus",
         (SELECT ranges FROM ranges) AS ranges,
         ${sql.isoUtc('min(coalesce(since, changed_at))')} AS since
       FROM asked r CROSS JOIN LATERAL (
         SELECT min(recorded_at) AS since FROM attempts a
         WHERE a.batch_id = r.batch_id AND a.row_number = r.row_number AND a.number > coalesce((
           SELECT max(number) FROM attempts b WHERE b.batch_id = r.batch_id AND b.row_number = r.row_number
             AND b.outcome NOT IN ('not_sent', 'unknown')), 0)) heard
       GROUP BY code, rows) u`,
    [batchIds, unansweredCodes, unansweredCodes, rangesKept, rowsAsked],
  );
  return new Map(found.map(({ id, ...unanswered }) => [id, unanswered]));
}

/** The batches that correct the rows of a first batch, directly or in further rounds. */
export interface Corrections {
  readonly firstId: string;
  /** The staged batches, the oldest first. */
  readonly batches: readonly { readonly id: string; readonly rows: number; readonly doneRows: number }[];
  /** How many rows of the first batch are done in a correction but not in the first batch itself. */
  readonly doneOnlyHere: number;
}

/** SQL: row `r`, or the row that it repeats, has an object. */
const isDone = `coalesce((SELECT o.state FROM rows o WHERE r.state = 'duplicate'
  AND o.batch_id = r.batch_id AND o.row_number = r.same_as), r.state) IN ('created', 'existing')`;

/**
 * SQL: the first batch of a family, read from the first row that `batch` corrects, or from the first row that is corrected
 * in it. Each subquery reads in an index's order. Otherwise, for a batch without such rows, PostgreSQL would search the
 * whole table.
 */
export const correctedBy = (batch: string): string =>
  `(SELECT first_batch_id FROM corrected_rows WHERE batch_id = ${batch} ORDER BY row_number LIMIT 1)`;
const correctedIn = (batch: string): string =>
  `(SELECT first_batch_id FROM corrected_rows WHERE first_batch_id = ${batch} ORDER BY first_row, number LIMIT 1)`;

/**
 * The first batch of each batch's family, by batch: the batch whose rows it corrects, or itself. Batches without a family
 * are omitted.
 */
export async function findFirstBatches(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql.query(
    database,
    { id: sql.uuid, firstId: sql.uuid },
    `SELECT id, "firstId" FROM (
       SELECT p.id, coalesce(${correctedBy('p.id')}, ${correctedIn('p.id')}) AS "firstId"
       FROM unnest(?::uuid[]) AS p (id)) found WHERE "firstId" IS NOT NULL`,
    [batchIds],
  );
  return new Map(found.map(({ id, firstId }) => [id, firstId]));
}

/** The corrections of first batches, by the first batch; batches without corrections are omitted. */
export async function readCorrections(
  database: sql.Database,
  firstIds: readonly string[],
): Promise<ReadonlyMap<string, Corrections>> {
  const found = await sql.query(
    database,
    { firstId: sql.uuid, id: sql.uuid, rows: sql.int4, doneRows: sql.int4, doneOnlyHere: sql.int4 },
    `WITH corrected AS (
       SELECT f.id AS first_batch_id, c.batch_id, c.first_row, ${isDone} AS is_done
       FROM unnest(?::uuid[]) AS f (id)
       CROSS JOIN LATERAL (SELECT * FROM corrected_rows WHERE first_batch_id = f.id ${asFence}) c
       ${rowOf('c')}),
     placed AS (
       SELECT c.*, row_number() OVER (PARTITION BY first_batch_id, first_row, is_done ORDER BY batch_id) AS place FROM corrected c)
     SELECT p.first_batch_id AS "firstId", b.id, count(*)::int AS rows, (count(*) FILTER (WHERE p.is_done))::int AS "doneRows",
       (count(*) FILTER (WHERE p.is_done AND p.place = 1 AND NOT coalesce((SELECT ${isDone} FROM rows r
         WHERE r.batch_id = p.first_batch_id AND r.row_number = p.first_row), false)))::int AS "doneOnlyHere"
     FROM placed p JOIN batches b ON b.id = p.batch_id AND b.staged_at IS NOT NULL
     GROUP BY p.first_batch_id, b.id, b.created_at ORDER BY b.created_at, b.id`,
    [firstIds],
  );
  const ofFirst = sql.groupedById(
    found.map(({ id, firstId, ...counts }) => ({ ...counts, id: firstId, batch: id })),
  );
  return new Map(
    [...ofFirst].map(([firstId, each]) => [
      firstId,
      {
        firstId,
        batches: each.map(({ batch: id, rows, doneRows }) => ({ id, rows, doneRows })),
        doneOnlyHere: each.reduce((sum, { doneOnlyHere }) => sum + doneOnlyHere, 0),
      },
    ]),
  );
}

/**
 * The invalid and rejected rows of batches that a later batch of their family corrects or reads in another way. That batch
 * now handles them.
 * @param batchIds batches that belong to a family; most batches do not, and their rows need not be read
 * @returns by batch; batches without such rows are omitted
 */
export async function readCorrected(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly CorrectedRows[]>> {
  if (batchIds.length === 0) return new Map();
  const found = await sql.query(
    database,
    { id: sql.uuid, status: sql.word<CorrectedRows['status']>(), code: sql.text, rows: sql.int4 },
    // A row that repeats another one counts with the state of that one. Either of the two may be the corrected row.
    `SELECT b.id, f.state AS status, f.code, sum(m.rows)::int AS rows
     FROM unnest(?::uuid[]) AS p (id)
     CROSS JOIN LATERAL (SELECT id, created_at FROM batches WHERE id = p.id ${asFence}) b
     CROSS JOIN unnest(ARRAY['invalid', 'rejected']) AS faulty (state)
     CROSS JOIN LATERAL (SELECT row_number, state, code FROM row_states
       WHERE batch_id = b.id AND state = faulty.state AND code IS NOT NULL ${asFence}) f
     CROSS JOIN LATERAL (
       SELECT count(*) AS rows, bool_or(EXISTS (
         SELECT FROM corrected_rows c
         CROSS JOIN LATERAL (SELECT created_at, staged_at FROM batches WHERE id = c.batch_id ${asFence}) later
         WHERE c.first_batch_id = coalesce(l.first_batch_id, b.id) AND c.first_row = coalesce(l.first_row, same.row_number)
           AND later.staged_at IS NOT NULL AND later.created_at > b.created_at)) AS is_corrected
       FROM (
         SELECT f.row_number
         UNION ALL
         (SELECT row_number FROM row_states
           WHERE batch_id = b.id AND same_as = f.row_number AND state = 'duplicate' ${asFence})) same
       ${lookUpIfAny('first_batch_id, first_row FROM corrected_rows', 'l', 'same', { batch: 'b.id' })}) m
     WHERE m.is_corrected GROUP BY b.id, f.state, f.code`,
    [batchIds],
  );
  return sql.groupedById(found);
}

/**
 * The number of superseded rows of batches, and of the rows that repeat them. By batch. Most batches have none, and their
 * rows are not read.
 */
export async function countSupersededOf(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, SupersededCounts>> {
  const groups = await sql.query(
    database,
    { id: sql.uuid, status: sql.word<ResultStatus>(), rows: sql.int4, doneRows: sql.int4 },
    `WITH superseded AS (
       SELECT s.*, 1 + (SELECT count(*) FROM row_states d
         WHERE d.batch_id = s.batch_id AND d.same_as = s.row_number AND d.state = 'duplicate') AS rows
       FROM unnest(?::uuid[]) AS p (id)
       CROSS JOIN LATERAL (SELECT batch_id, row_number, state, origin_batch, origin_row, origin_place FROM row_states
         WHERE batch_id = p.id AND code = 'superseded' ${asFence}) s
       WHERE ${correctedIn('p.id')} IS NOT NULL OR ${correctedBy('p.id')} IS NOT NULL),
     judged AS (
       SELECT s.batch_id, s.state, s.rows, EXISTS (
         SELECT FROM (SELECT s.batch_id, s.row_number, s.origin_batch, s.origin_row, 0 AS origin_place) own ${rivalsOf('own')}
         WHERE rival.state IN ('created', 'existing')
           -- A row that a person had sent besides the created one is done with its own correction only.
           AND (s.origin_place = 0 OR rival.number > coalesce((SELECT number FROM corrected_rows
             WHERE batch_id = s.batch_id AND row_number = s.row_number), 0))) AS is_done
       FROM superseded s)
     SELECT batch_id AS id, state AS status, sum(rows)::int AS rows,
       coalesce(sum(rows) FILTER (WHERE is_done), 0)::int AS "doneRows"
     FROM judged GROUP BY batch_id, state`,
    [batchIds],
  );
  return new Map(
    [...sql.groupedById(groups)].map(([id, each]) => [
      id,
      {
        all: Object.fromEntries(each.map(({ status, rows }) => [status, rows])),
        done: Object.fromEntries(each.map(({ status, doneRows }) => [status, doneRows])),
      },
    ]),
  );
}
