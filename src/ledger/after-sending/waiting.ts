import type { WaitingRows } from '../../domain/batches/open-rows.ts';
import { type UnansweredRows, unansweredCodes } from '../../domain/sending/unanswered.ts';
import { type Database, isoUtc, query } from '../query/sql.ts';

/** What the waiting rows of a batch wait for, each with the time of the oldest; the most frequent first. */
export function readWaiting(database: Database, batchId: string): Promise<WaitingRows[]> {
  return query<WaitingRows>(
    database,
    `SELECT coalesce(code, '') AS code, count(*)::int AS rows, ${isoUtc('min(changed_at)')} AS since
     FROM stored_rows WHERE batch_id = ? AND state = 'waiting' GROUP BY 1 ORDER BY 2 DESC, 1`,
    [batchId],
  );
}

/** So many rows tell since when nothing was heard: a run gives up after some tens. */
const rowsAsked = 20;

/**
 * The rows of a batch that got no answer, for the most frequent of the causes, and since when, however many runs have
 * tried; null when there are none.
 */
export async function readUnanswered(database: Database, batchId: string): Promise<UnansweredRows | null> {
  const [found] = await query<UnansweredRows>(
    database,
    `WITH open AS (
       SELECT batch_id, row_number, code, http_status, changed_at FROM stored_rows
       WHERE batch_id = ? AND state = 'ready' AND chunk IS NULL AND code = ANY(?::text[])
       UNION ALL
       SELECT batch_id, row_number, code, http_status, changed_at FROM stored_rows
       WHERE batch_id = ? AND state = 'unknown' AND code = ANY(?::text[])),
     cause AS (SELECT code, count(*)::int AS rows FROM open GROUP BY code ORDER BY 2 DESC, 1 LIMIT 1),
     asked AS (SELECT o.*, c.rows FROM cause c JOIN open o USING (code) ORDER BY o.row_number LIMIT ?)
     SELECT code, rows, max(http_status) FILTER (WHERE code = 'server_error') AS "httpStatus",
       ${isoUtc('min(coalesce(since, changed_at))')} AS since
     FROM asked r CROSS JOIN LATERAL (
       SELECT min(recorded_at) AS since FROM attempts a
       WHERE a.batch_id = r.batch_id AND a.row_number = r.row_number AND a.number > coalesce((
         SELECT max(number) FROM attempts b WHERE b.batch_id = r.batch_id AND b.row_number = r.row_number
           AND b.outcome NOT IN ('not_sent', 'unknown')), 0)) heard
     GROUP BY code, rows`,
    [batchId, unansweredCodes, batchId, unansweredCodes, rowsAsked],
  );
  return found ?? null;
}
