import type { Knex } from 'knex';

/**
 * What a person agreed to, and what the rows were checked against. `plans` keeps, for each hash that was
 * shown, the totals that stood beside it, so that a changed plan can be told from the old one.
 * `batch_institution_lists` pins a batch to the lists of institutions that its rows were checked with.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE plans (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      plan_hash text NOT NULL,
      totals jsonb NOT NULL,
      planned_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (batch_id, plan_hash)
    );

    CREATE TABLE batch_institution_lists (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      country text NOT NULL,
      list_id integer NOT NULL REFERENCES institution_lists,
      PRIMARY KEY (batch_id, country)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE batch_institution_lists, plans;');
}
