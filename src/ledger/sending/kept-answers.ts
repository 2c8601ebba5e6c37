import type { KeptAnswer } from '../../domain/rows/object-facts.ts';
import { answerDiffers } from '../../domain/sending/conclusion.ts';
import { numbersLiteral, textsBindings, textsParameter } from '../query/array-parameters.ts';
import { type Database, query } from '../query/sql.ts';

/**
 * The answers that created the objects of rows of a batch, whichever batch of the environment created them. Each is
 * looked up by its keys: joined as whole tables, every creation of the ledger was compared with each of the rows
 * wherever the server's statistics were older than the batch.
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
    `SELECT n.row_number AS row, i.record, o.resource, a.answer, d.message AS contradiction
     FROM unnest(?::int[], ${textsParameter}) AS n (row_number, object_id)
     JOIN batches b ON b.id = ?
     CROSS JOIN LATERAL (SELECT record FROM row_inputs
       WHERE batch_id = b.id AND row_number = n.row_number OFFSET 0) i
     CROSS JOIN LATERAL (SELECT resource FROM stored_rows
       WHERE batch_id = b.id AND row_number = n.row_number OFFSET 0) o
     LEFT JOIN LATERAL (SELECT batch_id, row_number, object_id FROM creations
       WHERE environment_id = b.environment_id AND kind = b.kind AND object_id = n.object_id OFFSET 0) c ON true
     LEFT JOIN LATERAL (SELECT answer FROM attempts
       WHERE batch_id = c.batch_id AND row_number = c.row_number AND outcome = 'created'
         AND object_id = c.object_id AND answer IS NOT NULL
       ORDER BY generation DESC, number DESC LIMIT 1) a ON true
     LEFT JOIN LATERAL (SELECT message FROM stored_rows
       WHERE batch_id = c.batch_id AND row_number = c.row_number AND code = '${answerDiffers}' OFFSET 0) d ON true`,
    [
      numbersLiteral(rows.map(({ row }) => row)),
      ...textsBindings(rows.map(({ objectId }) => objectId)),
      batchId,
    ],
  );
}
