/* Finds lines that belong to no row, since the schema leaves out some foreign keys. */

import { int4 } from '../query/columns.ts';
import { type Database, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/**
 * What belongs to a row, by a name for people. A foreign key would look the batch or the row up for each line that is
 * written, which costs a fifth of preparing a row; the way in which these tables are written keeps the same promise.
 */
const parts = [
  { what: 'input', table: 'row_inputs' },
  { what: 'request', table: 'requests' },
  { what: 'attempt', table: 'attempts' },
  { what: 'created object', table: 'created_objects' },
] as const;

/** Lines of the ledger that belong to nothing, by what they are; those of which there are none are left out. */
export type Orphans = readonly { readonly what: string; readonly rows: number }[];

/**
 * Counts rows without their batch or in another environment than it, and inputs, requests, attempts and created objects
 * without their row. Reads the keys of these tables once.
 */
export const countOrphans = verb(
  { pool: 'long', repeatable: false },
  async (database: Database): Promise<Orphans> => {
    const [counted] = await query<Readonly<Record<string, number>>>(
      database,
      Object.fromEntries([['row', int4], ...parts.map(({ what }) => [what, int4] as const)]),
      `SELECT
         (SELECT count(*)::int FROM row_states s LEFT JOIN batches b ON b.id = s.batch_id
          WHERE b.environment_id IS DISTINCT FROM s.environment_id) AS "row",
         ${parts.map(({ what, table }) => `(${countWithoutRow(table)}) AS "${what}"`).join(',\n       ')}`,
    );
    return Object.entries(counted ?? {}).flatMap(([what, rows]) => (rows === 0 ? [] : [{ what, rows }]));
  },
);

function countWithoutRow(table: string): string {
  return `SELECT count(*)::int FROM ${table} t WHERE NOT EXISTS (
    SELECT FROM row_states s WHERE s.batch_id = t.batch_id AND s.row_number = t.row_number)`;
}
