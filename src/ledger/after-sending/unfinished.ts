/* The rows of batches that are not final: in doubt, without an answer, or waiting. */

import type { RowsInDoubt, WaitingRows } from '../../domain/batches/batch.ts';
import { type UnansweredRows, unansweredCodes } from '../../domain/sending/outcome.ts';
import { isUnsettled } from '../query/planner.ts';
import {
  bool,
  type Database,
  groupedById,
  int4,
  isoUtc,
  json,
  orNull,
  query,
  text,
  uuid,
} from '../query/sql.ts';

/** Rows in doubt, and their number. */
export interface CountedDoubt extends RowsInDoubt {
  readonly rows: number;
}

/**
 * The rows of batches in doubt, including those that a run is sending now. By batch; those without such rows are
 * left out.
 */
export async function readDoubts(
  database: Database,
  batches: readonly { readonly id: string; readonly keyLifetimeInMs: number }[],
): Promise<ReadonlyMap<string, CountedDoubt>> {
  const found = await query<CountedDoubt & { readonly id: string }>(
    database,
    {
      id: uuid,
      oldestSentAt: text,
      oldestRunsOutAt: text,
      nextRunsOutAt: orNull(text),
      rows: int4,
      expired: int4,
      unsettled: int4,
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
         ${isUnsettled('open')} AS is_unsettled FROM open)
     SELECT batch_id AS id, ${isoUtc('min(first_sent_at)')} AS "oldestSentAt",
       ${isoUtc('min(runs_out_at)')} AS "oldestRunsOutAt",
       ${isoUtc('min(runs_out_at) FILTER (WHERE runs_out_at > now() AND NOT is_unsettled)')} AS "nextRunsOutAt",
       sum(rows)::int AS rows, coalesce(sum(rows) FILTER (WHERE runs_out_at <= now()), 0)::int AS expired,
       (count(*) FILTER (WHERE runs_out_at > now() AND is_unsettled))::int AS unsettled
     FROM aged GROUP BY batch_id`,
    [batches.map(({ id }) => id), batches.map(({ keyLifetimeInMs }) => keyLifetimeInMs)],
  );
  return new Map(found.map(({ id, ...doubt }) => [id, doubt]));
}

/** What the waiting rows of batches wait for, each with the time of the oldest; the most frequent first. By batch. */
export async function readWaitingOf(
  database: Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly WaitingRows[]>> {
  const found = await query<WaitingRows & { readonly id: string }>(
    database,
    { id: uuid, code: text, rows: int4, since: text },
    `SELECT batch_id AS id, coalesce(code, '') AS code, count(*)::int AS rows, ${isoUtc('min(changed_at)')} AS since
     FROM row_states WHERE batch_id = ANY(?::uuid[]) AND state = 'waiting' GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
    [batchIds],
  );
  return groupedById(found);
}

/** How many ranges of rows are kept: rows that always fail are mostly adjacent. */
const rangesKept = 5;

/** SQL: batch `p` has no rows left to be sent except those in doubt, and other rows were created or refused. */
const areOthersThrough = `(
  NOT EXISTS (SELECT FROM row_states WHERE batch_id = p.id AND state IN ('staged', 'waiting'))
  AND NOT EXISTS (SELECT FROM row_states WHERE batch_id = p.id AND state = 'ready' AND chunk IS NULL)
  AND NOT EXISTS (SELECT FROM send_chunks WHERE batch_id = p.id AND open_rows > 0)
  AND (EXISTS (SELECT FROM created_objects WHERE batch_id = p.id)
    OR EXISTS (SELECT FROM row_states WHERE batch_id = p.id AND state = 'rejected')))`;

/** How many rows are read to find since when there was no answer: a run gives up after some tens. */
const rowsAsked = 20;

/**
 * The rows of batches that got no answer, for the most frequent cause, and since when, over all runs that tried.
 * By batch; those without such rows are left out.
 */
export async function readUnansweredOf(
  database: Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, UnansweredRows>> {
  const found = await query<UnansweredRows & { readonly id: string }>(
    database,
    {
      id: uuid,
      code: text,
      rows: int4,
      httpStatus: orNull(int4),
      ranges: json(),
      areAlone: bool,
      since: text,
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
         ${isoUtc('min(coalesce(since, changed_at))')} AS since
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
