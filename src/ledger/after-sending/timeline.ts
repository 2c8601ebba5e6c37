/* When the rows of a batch got their status while it was sent, for a picture of a run. */

import { partsOfTime, type SentOverTime } from '../../domain/batches/timeline.ts';
import { type Database, int4, query, shortVerb, word } from '../query/sql.ts';

/** A picture of more rows looks the same, and takes longer to read. */
const mostRows = 2_000;

/**
 * How many rows of a batch got which status in each part of a span of time. Of a large batch, rows at equal distances are
 * looked at, each of which represents those beside it.
 * @param span ISO 8601, UTC
 */
export const readSentOverTime = shortVerb(
  (
    database: Database,
    batchId: string,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<SentOverTime[]> => {
    return query<SentOverTime>(
      database,
      { status: word(), part: int4, rows: int4 },
      `WITH bounds AS MATERIALIZED (
         SELECT min(row_number) AS first, max(row_number) AS last FROM row_states WHERE batch_id = ?),
       steps AS MATERIALIZED (
         SELECT first, last, greatest(1, ceil((last - first + 1) / ${mostRows}.0))::int AS step FROM bounds),
       looked AS MATERIALIZED (SELECT step, generate_series(first, last, step) AS row_number FROM steps),
       ended AS (
         SELECT 'created' AS status, o.created_at AS at, l.step FROM looked l
           JOIN created_objects o ON o.batch_id = ? AND o.row_number = l.row_number
         UNION ALL
         SELECT s.state, s.changed_at, l.step FROM looked l
           JOIN row_states s ON s.batch_id = ? AND s.row_number = l.row_number
           WHERE s.state IN ('rejected', 'unknown', 'held', 'waiting') AND s.attempts > 0)
       SELECT status, greatest(1, least(${partsOfTime}, ceil(${partsOfTime} * extract(epoch FROM at - ?::timestamptz)
           / greatest(0.001, extract(epoch FROM ?::timestamptz - ?::timestamptz)))))::int AS part, sum(step)::int AS rows
       FROM ended WHERE at BETWEEN ?::timestamptz AND ?::timestamptz GROUP BY 1, 2 ORDER BY 2, 1`,
      [batchId, batchId, batchId, from, to, from, from, to],
    );
  },
);
