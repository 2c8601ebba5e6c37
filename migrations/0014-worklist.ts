import type { Knex } from 'knex';

/*
 * What needs a person, over all batches: batches with open rows are found without looking at those that are done, rows in
 * doubt by when their keys run out, and runs that have not ended without those that have.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  ALTER TABLE batches ADD COLUMN need text DEFAULT 'rows' CHECK (need IN ('rows', 'corrections'));
  COMMENT ON COLUMN batches.need IS 'Whether rows of it are open (rows), or only refused ones wait to be corrected (corrections), as its totals had it when they were kept; null where neither is so. A new batch is open.';
  CREATE INDEX batches_in_need ON batches (need, created_at) WHERE need IS NOT NULL AND staged_at IS NOT NULL;
  CREATE INDEX rows_in_doubt ON row_states (batch_id, first_sent_at) WHERE state = 'unknown';
  CREATE INDEX runs_not_ended ON runs (batch_id) WHERE ended_at IS NULL;
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX runs_not_ended, rows_in_doubt, batches_in_need;
    ALTER TABLE batches DROP COLUMN need;
  `);
}
