import type { BatchFamily, SupersededCounts } from '../../domain/batches/family.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { rivalsOf } from '../protocol/origins.ts';
import { type Database, query } from '../query/sql.ts';

/** SQL: row `r`, or the row that it repeats, has its object. */
const isDone = `coalesce((SELECT o.state FROM rows o WHERE r.state = 'duplicate'
  AND o.batch_id = r.batch_id AND o.row_number = r.same_as), r.state) IN ('created', 'existing')`;

/**
 * The batches that a batch belongs together with: the one whose rows it corrects, however many rounds ago, and all
 * that correct that one's. Null for a batch without corrections that corrects none.
 */
export async function readFamily(database: Database, batchId: string): Promise<BatchFamily | null> {
  const [origin] = await query<{ first: string }>(
    database,
    'SELECT first_batch_id AS first FROM corrected_rows WHERE batch_id = ? LIMIT 1',
    [batchId],
  );
  const first = origin?.first ?? batchId;
  const corrections = await query<BatchFamily['corrections'][number]>(
    database,
    `SELECT b.id, count(*)::int AS rows, (count(*) FILTER (WHERE ${isDone}))::int AS "doneRows"
     FROM corrected_rows c JOIN batches b ON b.id = c.batch_id
       JOIN rows r ON r.batch_id = c.batch_id AND r.row_number = c.row_number
     WHERE c.first_batch_id = ? AND b.staged_at IS NOT NULL GROUP BY b.id, b.created_at ORDER BY b.created_at, b.id`,
    [first],
  );
  if (corrections.length === 0) return null;
  const [done] = await query<{ rows: number; doneRows: number }>(
    database,
    `WITH done AS (
       SELECT r.row_number FROM rows r WHERE r.batch_id = ? AND ${isDone}
       UNION
       SELECT c.first_row FROM corrected_rows c JOIN rows r ON r.batch_id = c.batch_id AND r.row_number = c.row_number
       WHERE c.first_batch_id = ? AND ${isDone})
     SELECT (SELECT count(*)::int FROM stored_rows WHERE batch_id = ?) AS rows, count(*)::int AS "doneRows" FROM done`,
    [first, first, first],
  );
  return { first: { id: first, rows: done?.rows ?? 0 }, doneRows: done?.doneRows ?? 0, corrections };
}

/**
 * How many of a batch's invalid and rejected rows stand corrected in a later batch of its family: they are that
 * batch's matter now.
 */
export async function countCorrected(database: Database, batchId: string): Promise<number> {
  const [counted] = await query<{ rows: number }>(
    database,
    `SELECT count(*)::int AS rows
     FROM stored_rows s
       LEFT JOIN LATERAL (SELECT * FROM corrected_rows
         WHERE batch_id = s.batch_id AND row_number = s.row_number OFFSET 0) own ON true
     WHERE s.batch_id = ? AND s.state IN ('invalid', 'rejected')
       -- IS TRUE: looked up in a hash table. Of a join, each row might be compared with each that was corrected.
       AND ((coalesce(own.first_batch_id, s.batch_id), coalesce(own.first_row, s.row_number)) IN (
         SELECT c.first_batch_id, c.first_row FROM corrected_rows c JOIN batches later ON later.id = c.batch_id
         WHERE c.first_batch_id = coalesce((SELECT first_batch_id FROM corrected_rows WHERE batch_id = ? LIMIT 1), ?)
           AND later.staged_at IS NOT NULL
           AND later.created_at > (SELECT created_at FROM batches WHERE id = ?))) IS TRUE`,
    [batchId, batchId, batchId, batchId],
  );
  return counted?.rows ?? 0;
}

/** A batch's rows that are superseded, and those that repeat them. Most batches have none, and no row of theirs is read. */
export async function countSuperseded(database: Database, batchId: string): Promise<SupersededCounts> {
  const groups = await query<{ status: ResultStatus; rows: number; doneRows: number }>(
    database,
    `WITH superseded AS (
       SELECT coalesce(o.state, s.state) AS status, coalesce(o.row_number, s.row_number) AS row_number, s.batch_id,
         coalesce(o.origin_batch, s.origin_batch) AS origin_batch, coalesce(o.origin_row, s.origin_row) AS origin_row,
         coalesce(o.origin_place, s.origin_place) AS origin_place
       FROM stored_rows s
       LEFT JOIN LATERAL (SELECT * FROM stored_rows
         WHERE s.state = 'duplicate' AND batch_id = s.batch_id AND row_number = s.same_as OFFSET 0) o ON true
       WHERE s.batch_id = ? AND coalesce(o.code, s.code) = 'superseded'
         AND (EXISTS (SELECT FROM corrected_rows WHERE first_batch_id = ?)
           OR EXISTS (SELECT FROM corrected_rows WHERE batch_id = ?)))
     SELECT status, count(*)::int AS rows, (count(*) FILTER (WHERE EXISTS (
       SELECT FROM (SELECT s.*) own ${rivalsOf('own')} WHERE rival.state IN ('created', 'existing'))))::int AS "doneRows"
     FROM superseded s GROUP BY status`,
    [batchId, batchId, batchId],
  );
  return {
    all: Object.fromEntries(groups.map(({ status, rows }) => [status, rows])),
    done: Object.fromEntries(groups.map(({ status, doneRows }) => [status, doneRows])),
  };
}
