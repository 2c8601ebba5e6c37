import type { Knex } from 'knex';

/*
 * Somebody looks for the few rows among very many that need attention: by status, and by what is said of them. Rows that
 * go their ordinary way, which are most, are in neither index.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  CREATE INDEX rows_set_aside ON row_states (batch_id, state, row_number)
    WHERE state IN ('invalid', 'rejected', 'held', 'waiting', 'existing', 'duplicate');
  CREATE INDEX rows_by_code ON row_states (batch_id, state, code, row_number) INCLUDE (field) WHERE code IS NOT NULL;
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX rows_set_aside, rows_by_code;');
}
