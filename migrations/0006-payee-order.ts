import type { Knex } from 'knex';

/* Of an account that very many payees have, always the same ones are compared, and found without sorting all of them. */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  DROP INDEX payees_by_account;
  CREATE INDEX payees_by_account ON payees (environment_id, account_key, batch_id, row_number);
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX payees_by_account;
    CREATE INDEX payees_by_account ON payees (environment_id, account_key);
  `);
}
