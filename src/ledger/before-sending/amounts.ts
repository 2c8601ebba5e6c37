import { type Database, query } from '../query/sql.ts';

/** Rows and exact sum of the amounts of one currency. */
export interface CurrencySum {
  readonly currency: string;
  readonly rows: number;
  /** A plain decimal. */
  readonly amount: string;
}

/**
 * The amounts of a batch's valid rows by currency, summed exactly by the database. A row that repeats an
 * earlier one stands for the same object, and does not count again.
 */
export function sumAmounts(database: Database, batchId: string): Promise<CurrencySum[]> {
  return query<CurrencySum>(
    database,
    `SELECT record->>'currency' AS currency, count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount
     FROM row_inputs JOIN stored_rows USING (batch_id, row_number)
     WHERE batch_id = ? AND state <> 'duplicate' AND record->>'amount' IS NOT NULL AND record->>'currency' IS NOT NULL
     GROUP BY 1 ORDER BY 1`,
    [batchId],
  );
}
