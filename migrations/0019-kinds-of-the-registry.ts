import type { Knex } from 'knex';

/** Which kinds there are, the program's registry says: a new one needs no change of the ledger. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE batches DROP CONSTRAINT batches_kind_check');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE batches ADD CONSTRAINT batches_kind_check
      CHECK (kind IN ('customers', 'accounts', 'recipients', 'collections'))
  `);
}
