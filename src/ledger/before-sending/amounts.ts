import type { CurrencySum, ReadSums } from '../../domain/money/expectation.ts';
import { type Database, query } from '../query/sql.ts';

/**
 * The amounts of a batch's valid rows by currency, summed exactly by the database. A row that repeats an
 * earlier one stands for the same object, and does not count again.
 */
export function sumAmounts(database: Database, batchId: string): Promise<CurrencySum[]> {
  return query<CurrencySum>(
    database,
    `SELECT record->>'currency' AS currency, count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount
     FROM row_inputs JOIN stored_rows USING (batch_id, row_number)
     WHERE batch_id = ? AND state NOT IN ('duplicate', 'invalid') AND record->>'amount' IS NOT NULL AND record->>'currency' IS NOT NULL
     GROUP BY 1 ORDER BY 1`,
    [batchId],
  );
}

/** Everything that was read of a batch's file: every row, invalid and repeated ones too. */
export async function sumRead(database: Database, batchId: string): Promise<ReadSums> {
  const sums = await query<{ currency: string | null; rows: number; amount: string | null }>(
    database,
    `SELECT CASE WHEN record->>'amount' IS NULL THEN NULL ELSE record->>'currency' END AS currency,
       count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount
     FROM row_inputs WHERE batch_id = ? GROUP BY 1 ORDER BY 1`,
    [batchId],
  );
  return {
    rows: sums.reduce((sum, { rows }) => sum + rows, 0),
    amounts: sums.flatMap(({ currency, rows, amount }) =>
      currency === null || amount === null ? [] : [{ currency, rows, amount }],
    ),
  };
}
