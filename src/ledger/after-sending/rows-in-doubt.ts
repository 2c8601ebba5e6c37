import type { RowsInDoubt } from '../../domain/batches/open-rows.ts';
import { type Database, isoUtc, query } from '../query/sql.ts';

/**
 * The rows of a batch in doubt, those included that a run is sending at this moment; null when there are none.
 * @param keyLifetimeInMs how long after its first send a row may be sent again under its key
 */
export async function readRowsInDoubt(
  database: Database,
  batchId: string,
  keyLifetimeInMs: number,
): Promise<RowsInDoubt | null> {
  const [found] = await query<{ [Name in keyof RowsInDoubt]: RowsInDoubt[Name] | null }>(
    database,
    `WITH open AS (
       SELECT row_number, generation, 1 AS rows, first_sent_at FROM stored_rows
       WHERE batch_id = ? AND state = 'unknown'
       UNION ALL
       SELECT row_number, generation, 1, first_sent_at FROM stored_rows WHERE batch_id = ? AND state = 'sending'
       UNION ALL
       -- Rows of a chunk are sent for the first time.
       SELECT NULL, NULL, c.open_rows, l.claimed_at FROM chunks c JOIN claims l USING (batch_id, lease_token)
       WHERE c.batch_id = ? AND c.lease_token IS NOT NULL AND c.open_rows > 0)
     SELECT ${isoUtc('min(first_sent_at)')} AS "oldestSentAt",
       ${isoUtc("(min(first_sent_at) + ? * interval '1 millisecond')")} AS "oldestRunsOutAt",
       coalesce(sum(rows) FILTER (WHERE first_sent_at + ? * interval '1 millisecond' <= now()), 0)::int AS expired,
       count(*) FILTER (WHERE first_sent_at + ? * interval '1 millisecond' > now() AND (SELECT count(DISTINCT a.run_id) > 1 FROM attempts a
         WHERE a.batch_id = ? AND a.row_number = open.row_number AND a.generation = open.generation
           AND a.outcome IN ('unknown', 'conflict')))::int AS unsettled
     FROM open`,
    [batchId, batchId, batchId, keyLifetimeInMs, keyLifetimeInMs, keyLifetimeInMs, batchId],
  );
  const { oldestSentAt = null, oldestRunsOutAt = null, expired, unsettled } = found ?? {};
  if (oldestSentAt === null || oldestRunsOutAt === null) return null;
  return { oldestSentAt, oldestRunsOutAt, expired: expired ?? 0, unsettled: unsettled ?? 0 };
}
