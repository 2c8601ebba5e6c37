import type { Knex } from 'knex';

/**
 * How a batch's file was read, so that its failed file is read in the same way without a word, and what a person
 * said about its hidden rows. JSON as text: it only has to come back as it went in.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE batch_readings (
      batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
      mapping text NOT NULL,
      rules text NOT NULL,
      hidden_rows integer NOT NULL CHECK (hidden_rows >= 0),
      -- Null while nobody has said whether hidden rows are meant.
      hidden_choice text CHECK (hidden_choice IN ('include', 'skip'))
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE batch_readings');
}
