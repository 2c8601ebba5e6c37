import type { Knex } from 'knex';

/* Files that come again and again: whom each of them pays, and how it compares with the one before. */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  CREATE TABLE batch_series (
    batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
    environment_id integer NOT NULL,
    kind text NOT NULL,
    name_key text,
    mapping_key text,
    comparison jsonb
  );
  CREATE INDEX batch_series_by_name ON batch_series (environment_id, kind, name_key);
  CREATE INDEX batch_series_by_mapping ON batch_series (environment_id, kind, mapping_key);
  COMMENT ON TABLE batch_series IS 'What a batch has in common with other files of its series.';
  COMMENT ON COLUMN batch_series.name_key IS 'The name of the file and sheet without dates and numbers.';
  COMMENT ON COLUMN batch_series.mapping_key IS 'A hash of the header, where the file is read with the mapping that is remembered for it.';
  COMMENT ON COLUMN batch_series.comparison IS 'How its payees compare with those of the last file when it was staged; null where there was none.';

  CREATE TABLE batch_payees (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    first_row integer NOT NULL,
    rows integer[] NOT NULL,
    payees bytea NOT NULL CHECK (octet_length(payees) = 8 * cardinality(rows)),
    PRIMARY KEY (batch_id, first_row)
  );
  COMMENT ON TABLE batch_payees IS 'The payees of all rows of a batch that are not invalid, a line for each group of rows that was staged.';
  COMMENT ON COLUMN batch_payees.payees IS 'Of each of the rows, 8 bytes of a hash of customer and name.';
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE batch_payees, batch_series');
}
