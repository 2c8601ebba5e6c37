import type { Knex } from 'knex';

/*
 * Who is paid where: the payees of rows that were about to be sent, and what differs between the payees of a file and
 * those that are known. Nothing personal is stored a second time: keys are hashes, values stand in row_inputs.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  CREATE TABLE payees (
    environment_id integer NOT NULL,
    customer_key bytea NOT NULL,
    name_key bytea NOT NULL,
    details_key bytea NOT NULL,
    account_key bytea NOT NULL,
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    PRIMARY KEY (batch_id, row_number)
  );
  CREATE INDEX payees_by_name ON payees (environment_id, customer_key, name_key, details_key);
  CREATE INDEX payees_by_account ON payees (environment_id, account_key);
  COMMENT ON TABLE payees IS 'The payee of each recipient that was made ready to be sent. Whether its object exists is for the view rows to say. Without a foreign key, which would look the row up for each line.';
  COMMENT ON COLUMN payees.customer_key IS 'A hash of the customer''s id at the API.';
  COMMENT ON COLUMN payees.name_key IS 'A hash of the account''s name without what people write differently.';
  COMMENT ON COLUMN payees.details_key IS 'A hash of payee type, account and institution: where exactly the money goes.';
  COMMENT ON COLUMN payees.account_key IS 'A hash of what belongs to one person only: an IBAN, a phone number, an account at one institution.';

  CREATE TABLE payee_changes (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    row_number integer NOT NULL,
    code text NOT NULL CHECK (code IN ('payee_details_changed', 'account_shared')),
    earlier_batch_id uuid NOT NULL,
    earlier_row integer NOT NULL,
    environment_id integer NOT NULL,
    customer_key bytea NOT NULL,
    name_key bytea NOT NULL,
    details_key bytea NOT NULL,
    PRIMARY KEY (batch_id, row_number, code)
  );
  CREATE INDEX payee_changes_by_payee ON payee_changes (environment_id, customer_key, name_key, details_key);
  COMMENT ON TABLE payee_changes IS 'Rows whose payee differs from what was known when they were staged: by row and code, with the row that it was compared with.';
  COMMENT ON COLUMN payee_changes.earlier_batch_id IS 'The batch of the row that it was compared with; its own batch where that row is in the same file.';
  COMMENT ON COLUMN payee_changes.customer_key IS 'With name_key and details_key: the payee as in payees, so that what a person decided about it is found again.';
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payee_changes, payees');
}
