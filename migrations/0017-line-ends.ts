import type { Knex } from 'knex';

/*
 * A file that was copied in part mostly ends without a line end. Some programs write none at all, so that only the earlier
 * files of the same header tell: each batch keeps whether its file had one.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  ALTER TABLE batches ADD COLUMN has_line_end boolean;
  COMMENT ON COLUMN batches.has_line_end IS 'Whether the last line of the CSV file had a line end. Null for workbooks, for corrections, and for files of earlier versions.';
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE batches DROP COLUMN has_line_end');
}
