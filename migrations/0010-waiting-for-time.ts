import type { Knex } from 'knex';

/** Since when a row waits for what only time brings: its refusal. Null for rows that wait for another object. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE stored_rows ADD COLUMN refused_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE stored_rows DROP COLUMN refused_at');
}
