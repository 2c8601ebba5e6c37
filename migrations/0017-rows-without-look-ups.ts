import type { Knex } from 'knex';

/**
 * Three foreign keys less, of which each looked a line up, and locked it, once for every row: a fifth of what it cost
 * to prepare one. What they said holds by the way rows are written. A row's input, its environment and its request are
 * only ever written under the lock of the batch, in the statement or the transaction that finds the batch or the row
 * itself; and rows are only deleted with all that belongs to them, by `emptyUnstaged` and `giveUpBatch`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE requests DROP CONSTRAINT requests_batch_id_row_number_fkey;
    ALTER TABLE row_inputs DROP CONSTRAINT row_inputs_batch_id_fkey;
    ALTER TABLE stored_rows DROP CONSTRAINT rows_environment_id_fkey;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE requests ADD CONSTRAINT requests_batch_id_row_number_fkey
      FOREIGN KEY (batch_id, row_number) REFERENCES stored_rows ON DELETE CASCADE;
    ALTER TABLE row_inputs ADD CONSTRAINT row_inputs_batch_id_fkey
      FOREIGN KEY (batch_id) REFERENCES batches ON DELETE CASCADE;
    ALTER TABLE stored_rows ADD CONSTRAINT rows_environment_id_fkey
      FOREIGN KEY (environment_id) REFERENCES environments;
  `);
}
