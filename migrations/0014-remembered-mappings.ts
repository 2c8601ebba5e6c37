import type { Knex } from 'knex';

/**
 * Mappings that a person has agreed to, by the header that they are for: the next file with that header is read in the
 * same way, and the last one counts. JSON as text: it only has to come back as it went in.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE remembered_mappings (
      -- SHA-256 of the header's titles, in hex.
      header_key text PRIMARY KEY,
      header text NOT NULL,
      name text NOT NULL,
      kind text NOT NULL,
      mapping text NOT NULL,
      remembered_at timestamptz NOT NULL DEFAULT now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE remembered_mappings');
}
