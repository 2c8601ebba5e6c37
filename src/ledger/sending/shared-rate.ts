import { type Database, query } from '../query/sql.ts';

/**
 * Reserves the next interval of a batch's request rate: one run's interval begins where another's ends,
 * and never in the past, so that time nobody used is lost and not made up for by a burst.
 * @returns in how many milliseconds, by the database's clock, the interval begins
 */
export async function reserveRate(
  database: Database,
  batchId: string,
  durationInMs: number,
): Promise<number> {
  const [interval] = await query<{ startsInMs: number }>(
    database,
    `UPDATE batches SET rate_reserved_until =
       greatest(rate_reserved_until, clock_timestamp()) + ? * interval '1 millisecond'
     WHERE id = ?
     RETURNING (extract(epoch FROM rate_reserved_until - clock_timestamp()) * 1000 - ?)::float8 AS "startsInMs"`,
    [durationInMs, batchId, durationInMs],
  );
  if (interval === undefined) throw new Error('a batch that is being sent is not there');
  return Math.max(0, interval.startsInMs);
}
