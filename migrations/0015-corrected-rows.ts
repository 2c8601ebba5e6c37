import type { Knex } from 'knex';

/**
 * Which row of the first file a corrected row stands for, however many rounds there were: a batch and its corrections
 * are one family. Without a foreign key to the first batch: its ledger may have lost it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE corrected_rows (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      row_number integer NOT NULL,
      first_batch_id uuid NOT NULL,
      first_row integer NOT NULL,
      PRIMARY KEY (batch_id, row_number)
    );
    CREATE INDEX corrected_rows_of_first ON corrected_rows (first_batch_id, batch_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE corrected_rows');
}
