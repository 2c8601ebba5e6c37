import type { KeptAnswer } from '../../domain/object-facts.ts';
import { numbersLiteral, textsBindings, textsParameter } from '../query/array-parameters.ts';
import { type Database, query } from '../query/sql.ts';

/**
 * The answers that created the objects of rows of a batch, whichever batch of the environment created them.
 * @param rows rows that are created or existing, with their objects
 * @returns one for each of the rows, in no order
 */
export function readKeptAnswers(
  database: Database,
  batchId: string,
  rows: readonly { readonly row: number; readonly objectId: string }[],
): Promise<KeptAnswer[]> {
  return query<KeptAnswer>(
    database,
    `SELECT n.row_number AS row, i.record, o.resource, a.answer
     FROM unnest(?::int[], ${textsParameter}) AS n (row_number, object_id)
     JOIN batches b ON b.id = ?
     JOIN row_inputs i ON i.batch_id = b.id AND i.row_number = n.row_number
     JOIN stored_rows o ON o.batch_id = b.id AND o.row_number = n.row_number
     LEFT JOIN creations c
       ON c.environment_id = b.environment_id AND c.kind = b.kind AND c.object_id = n.object_id
     LEFT JOIN LATERAL (SELECT answer FROM attempts
       WHERE batch_id = c.batch_id AND row_number = c.row_number AND outcome = 'created'
         AND object_id = c.object_id AND answer IS NOT NULL
       ORDER BY generation DESC, number DESC LIMIT 1) a ON true`,
    [
      numbersLiteral(rows.map(({ row }) => row)),
      ...textsBindings(rows.map(({ objectId }) => objectId)),
      batchId,
    ],
  );
}
