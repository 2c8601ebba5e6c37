import type { Knex } from 'knex';

let logins = 0;

/**
 * Makes a login that is a member of these roles of the ledger alone.
 * @returns the address of the database for it
 */
export async function loginAs(
  database: Knex,
  databaseUrl: string,
  ...roles: readonly string[]
): Promise<string> {
  logins += 1;
  const url = new URL(databaseUrl);
  [url.username, url.password] = [`login_${process.pid}_${logins}`, 'secret'];
  await database.raw(`CREATE ROLE ${url.username} LOGIN PASSWORD 'secret' IN ROLE ${roles.join(', ')}`);
  return url.href;
}
