import type { Knex } from 'knex';

/*
 * A run log that was cut looks like that of a run that was killed. Beside the head file next to the log, the ledger keeps with
 * which line the log of each run ended, so that a log that is shorter is noticed and completed while the ledger is still there.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  ALTER TABLE runs ADD COLUMN log_head jsonb;
  COMMENT ON COLUMN runs.log_head IS 'With which lines its run log ended, and the path of that log; null for runs that did not come to their end.';
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE runs DROP COLUMN log_head');
}
