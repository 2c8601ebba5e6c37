import type { Knex } from 'knex';

/**
 * The mode in which each API key was first used with this ledger. A key of one mode that is given in the other
 * is a mistake that the API cannot notice: it would create live objects in a run that is called a test.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credentials (
      -- Of the key, never the key.
      fingerprint text PRIMARY KEY,
      mode text NOT NULL CHECK (mode IN ('sandbox', 'live')),
      first_used_at timestamptz NOT NULL DEFAULT now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE credentials;');
}
