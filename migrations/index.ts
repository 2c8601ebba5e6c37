import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import * as schema from './0001-schema/index.ts';

/** Every migration, oldest first, under the name that a database remembers it by. */
const migrations: readonly (Knex.Migration & { readonly name: string })[] = [
  { ...schema, name: nameOf('0001-schema', schema.sql) },
];

/**
 * A name says what the migration does: a ledger that was made by an earlier form of it is not taken for one of this
 * version. After the first release no migration changes any more, and so no name does.
 */
function nameOf(title: string, sql: string): string {
  return `${title}-${createHash('sha256').update(sql).digest('hex').slice(0, 8)}`;
}

/**
 * Lists the migrations by static import, so that the built program, `knexfile.ts` and the tests run
 * the very same list under the same names (file names would end in `.ts` here and `.js` there).
 */
export const migrationSource: Knex.MigrationSource<(typeof migrations)[number]> = {
  getMigrations: async () => [...migrations],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};
