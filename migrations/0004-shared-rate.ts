import type { Knex } from 'knex';

/** The end of the last stretch of a batch's request rate that a run has reserved: its runs share one rate. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE batches ADD COLUMN rate_reserved_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE batches DROP COLUMN rate_reserved_until');
}
