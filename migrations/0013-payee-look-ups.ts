import type { Knex } from 'knex';

/*
 * Known payees are found by customer and by account in every environment: whatever begins with the environment looks as
 * good as the right index to a planner whose statistics are older than that.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  DROP INDEX payees_by_name, payees_by_account;
  CREATE INDEX payees_by_name ON payees (customer_key, name_key, details_key) INCLUDE (environment_id, name_marks);
  CREATE INDEX payees_by_account ON payees (account_key, batch_id, row_number) INCLUDE (environment_id);
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX payees_by_name, payees_by_account;
    CREATE INDEX payees_by_name ON payees (environment_id, customer_key, name_key, details_key) INCLUDE (name_marks);
    CREATE INDEX payees_by_account ON payees (environment_id, account_key, batch_id, row_number);
  `);
}
