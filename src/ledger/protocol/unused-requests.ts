/* Requests whose keys were never used, and never will be. */

import { rowStateOf } from '../query/each-row.ts';
import { asFence, isAt, itsPlace } from '../query/planner.ts';
import { type Database, execute } from '../query/sql.ts';

/** Deletes the requests that rows have in their present generation: they are taken out of what is sent. */
export async function forgetUnusedRequests(
  transaction: Database,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  if (rows.length === 0) return;
  await execute(
    transaction,
    `DELETE FROM requests q USING unnest(?::int[]) AS p (row_number)
     ${rowStateOf('p')}
     CROSS JOIN LATERAL (SELECT ${itsPlace} FROM requests
       WHERE batch_id = s.batch_id AND row_number = s.row_number AND generation = s.generation ${asFence}) found
     WHERE ${isAt('q', 'found')}`,
    [rows, batchId],
  );
}
