import type { Knex } from 'knex';

/*
 * Rows are found by the words of names and by account and phone numbers in the whole ledger. An index of them, of each row or
 * of groups of rows, takes a tenth of the time in which a row is staged. Bits for each thousand rows or so take next to
 * nothing, and to look through those of a million rows takes ten milliseconds. Rows that were staged before are not found so.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  CREATE TABLE search_terms (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    first_row integer NOT NULL,
    last_row integer NOT NULL CHECK (last_row >= first_row),
    bits bytea NOT NULL CHECK (length(bits) > 0),
    PRIMARY KEY (batch_id, first_row)
  );
  ALTER TABLE search_terms ALTER COLUMN bits SET STORAGE EXTERNAL;
  COMMENT ON TABLE search_terms IS 'By what the rows of a batch are found, a line for each group of rows that was staged. Nothing personal is stored a second time: values stand in row_inputs.';
  COMMENT ON COLUMN search_terms.bits IS 'A Bloom filter of words of names, of each two of them, and of account and phone numbers.';
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE search_terms');
}
