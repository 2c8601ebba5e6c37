import type { WaitingRows } from '../../domain/batches/open-rows.ts';
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
