import type { Knex } from 'knex';
import { columnsOfRows, createRowsBetween } from './0006-batch-lock-and-chunks.ts';

/**
 * Rows that were found by reading every row of the ledger: those that found an object already there, by that
 * object; those that a person said to be another row's object, by their natural key; and those that are held only
 * because no complete list said if their institution exists. Few rows are in any of these.
 *
 * And `rows_between` looks up what belongs to each row. As joins, it compared every row of a page with every
 * creation of that page wherever the server's statistics were older than the batch; an embedded ledger has none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX existing_by_object ON stored_rows (environment_id, kind, object_id) WHERE state = 'existing';
    CREATE INDEX existing_by_key ON stored_rows (environment_id, kind, natural_key)
      WHERE state = 'existing' AND natural_key IS NOT NULL;
    CREATE INDEX rows_to_verify ON stored_rows (batch_id, row_number)
      WHERE state = 'held' AND code = 'institution_unverifiable' AND first_sent_at IS NULL;
    CREATE OR REPLACE FUNCTION rows_between(uuid, integer, integer) RETURNS SETOF rows LANGUAGE sql STABLE AS $$
      SELECT ${columnsOfRows}
      FROM stored_rows s
      LEFT JOIN LATERAL (SELECT * FROM creations
        WHERE s.chunk IS NOT NULL AND batch_id = $1 AND row_number = s.row_number OFFSET 0) f ON true
      LEFT JOIN LATERAL (SELECT lease_token FROM chunks
        WHERE f.row_number IS NULL AND batch_id = $1 AND chunk = s.chunk OFFSET 0) c ON true
      LEFT JOIN LATERAL (SELECT * FROM claims WHERE batch_id = $1 AND lease_token = c.lease_token OFFSET 0) l ON true
      WHERE s.batch_id = $1 AND s.row_number > $2 AND s.row_number <= $3
    $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP INDEX existing_by_object, existing_by_key, rows_to_verify; ${createRowsBetween}`);
}
