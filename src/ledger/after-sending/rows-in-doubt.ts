import type { RowsInDoubt } from '../../domain/batches/open-rows.ts';
import { isUnsettled } from '../query/each-row.ts';
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
       SELECT batch_id, row_number, generation, 1 AS rows, first_sent_at FROM stored_rows
       WHERE batch_id = ? AND state = 'unknown'
       UNION ALL
       SELECT batch_id, row_number, generation, 1, first_sent_at FROM stored_rows WHERE batch_id = ? AND state = 'sending'
       UNION ALL
       -- Rows of a chunk are sent for the first time.
       SELECT c.batch_id, NULL, NULL, c.open_rows, l.claimed_at FROM chunks c JOIN claims l USING (batch_id, lease_token)
       WHERE c.batch_id = ? AND c.lease_token IS NOT NULL AND c.open_rows > 0),
     aged AS (
       SELECT rows, first_sent_at, first_sent_at + ? * interval '1 millisecond' AS runs_out_at,
         ${isUnsettled('open')} AS is_unsettled FROM open)
     SELECT ${isoUtc('min(first_sent_at)')} AS "oldestSentAt", ${isoUtc('min(runs_out_at)')} AS "oldestRunsOutAt",
       ${isoUtc('min(runs_out_at) FILTER (WHERE runs_out_at > now() AND NOT is_unsettled)')} AS "nextRunsOutAt",
       coalesce(sum(rows) FILTER (WHERE runs_out_at <= now()), 0)::int AS expired,
       count(*) FILTER (WHERE runs_out_at > now() AND is_unsettled)::int AS unsettled
     FROM aged`,
    [batchId, batchId, batchId, keyLifetimeInMs],
  );
  const {
    oldestSentAt = null,
    oldestRunsOutAt = null,
    nextRunsOutAt = null,
    expired,
    unsettled,
  } = found ?? {};
  if (oldestSentAt === null || oldestRunsOutAt === null) return null;
  return { oldestSentAt, oldestRunsOutAt, nextRunsOutAt, expired: expired ?? 0, unsettled: unsettled ?? 0 };
}
