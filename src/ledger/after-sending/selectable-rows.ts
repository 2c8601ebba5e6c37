/* The rows of a batch that wait for a person, with what a person may select them by. */

import type { SelectableRow } from '../../domain/batches/selection.ts';
import { int4, json, orNull, text, uuid, word } from '../query/columns.ts';
import { inputOf, requestOf } from '../query/each-row.ts';
import { type Database, query, rangeBindings, readPages } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** The held and unknown rows of a batch in row order, in groups. */
export const readSelectableRows = verb(
  { pool: 'long', repeatable: false },
  (database: Database, batchId: string): AsyncGenerator<readonly SelectableRow[]> => {
    return readPages(database, batchId, async (range) => {
      const found = await query<Omit<SelectableRow, 'cells'> & { readonly cells: string }>(
        database,
        {
          row: int4,
          state: word(),
          code: orNull(text),
          generation: int4,
          attempts: int4,
          idempotencyKey: orNull(uuid),
          record: json(),
          cells: text,
        },
        `SELECT r.row_number AS row, r.state, r.code, r.generation, r.attempts, q.idempotency_key AS "idempotencyKey",
           i.record, i.cells
         FROM rows_between(?, ?, ?) r
         ${inputOf('r')}
         ${requestOf('r')}
         WHERE r.state IN ('held', 'unknown') ORDER BY r.row_number`,
        rangeBindings(range),
      );
      return found.map((row) => ({ ...row, cells: JSON.parse(row.cells) }));
    });
  },
);
