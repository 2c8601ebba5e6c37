import type { Knex } from 'knex';

/**
 * The sending of a batch stops when the API refuses its rows for one reason and none was created.
 *
 * - `batches.refused_alike`: why no fresh row of the batch is claimed any more (code, message, rows).
 * - `batches.goes_on_refused`: a person has said that it goes on all the same.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE batches ADD COLUMN refused_alike jsonb, ADD COLUMN goes_on_refused boolean NOT NULL DEFAULT false;
    CREATE INDEX refused_rows ON stored_rows (batch_id) WHERE state = 'rejected';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX refused_rows;
    ALTER TABLE batches DROP COLUMN refused_alike, DROP COLUMN goes_on_refused;
  `);
}
