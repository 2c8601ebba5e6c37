import type { Knex } from 'knex';
import { migrationSource } from './migrations/index.ts';

/** For the knex command line: the same migrations as `paybatch migrate`, on the server of `DATABASE_URL`. */
const config: Knex.Config = {
  client: 'pg',
  ...(process.env['DATABASE_URL'] === undefined ? {} : { connection: process.env['DATABASE_URL'] }),
  migrations: { migrationSource, tableName: 'paybatch_migrations' },
};

export default config;
