import type { Knex } from 'knex';

/**
 * When each request of a row left: the tries of one claim are recorded together, seconds or minutes after the
 * first of them. Null for attempts of earlier versions, of which only the moment of their record is known.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE attempts ADD COLUMN sent_after_ms integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE attempts DROP COLUMN sent_after_ms');
}
