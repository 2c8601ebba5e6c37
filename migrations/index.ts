import type { Knex } from 'knex';
import * as ledger from './0001-ledger.ts';

/** Every migration, oldest first, under the name that a database remembers it by. Names never change. */
const migrations: readonly (Knex.Migration & { readonly name: string })[] = [
  { name: '0001-ledger', ...ledger },
];

/**
 * Lists the migrations by static import, so that the built program, `knexfile.ts` and the tests run
 * the very same list under the same names (file names would end in `.ts` here and `.js` there).
 */
export const migrationSource: Knex.MigrationSource<(typeof migrations)[number]> = {
  getMigrations: async () => [...migrations],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};
