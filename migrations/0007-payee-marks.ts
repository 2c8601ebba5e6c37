import type { Knex } from 'knex';

/* Names of known payees are compared by marks of their words first, which stand in the index that finds them. */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  ALTER TABLE payees ADD COLUMN name_marks bytea NOT NULL DEFAULT decode(repeat('00', 16), 'hex');
  COMMENT ON COLUMN payees.name_marks IS 'Marks of the words of the name, too few to tell them; all zero where nothing is known of them.';
  DROP INDEX payees_by_name;
  CREATE INDEX payees_by_name ON payees (environment_id, customer_key, name_key, details_key) INCLUDE (name_marks);
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX payees_by_name;
    ALTER TABLE payees DROP COLUMN name_marks;
    CREATE INDEX payees_by_name ON payees (environment_id, customer_key, name_key, details_key);
  `);
}
