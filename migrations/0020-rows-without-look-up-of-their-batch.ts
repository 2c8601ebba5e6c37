import type { Knex } from 'knex';

/**
 * One foreign key less, which looked the batch up, and locked it, once for every row: a quarter of what it cost to stage
 * one. Rows are only ever inserted by the statement that finds their batch, under its lock, and takes its environment
 * and kind from there; they are deleted before it, by `giveUpBatch`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE stored_rows DROP CONSTRAINT rows_batch_id_fkey');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE stored_rows ADD CONSTRAINT rows_batch_id_fkey
      FOREIGN KEY (batch_id) REFERENCES batches ON DELETE CASCADE;
  `);
}
