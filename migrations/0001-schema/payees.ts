/*
 * Who is paid where: the payees of rows that were about to be sent, what differs between the payees of a file and those that
 * are known, and whom the files of a series pay. Nothing personal is stored a second time: keys are hashes, values stand in
 * row_inputs.
 */

const known = `
  -- The payee of each recipient that was made ready to be sent. Whether its object exists is for the view rows to say. Without a
  -- foreign key, which would look the row up for each line.
  CREATE TABLE payees (
    environment_id integer NOT NULL,
    -- A hash of the customer's id at the API.
    customer_key bytea NOT NULL,
    -- A hash of the account's name without what people write differently.
    name_key bytea NOT NULL,
    -- A hash of payee type, account and institution: where exactly the money goes.
    details_key bytea NOT NULL,
    -- A hash of what belongs to one person only: an IBAN, a phone number, an account at one institution.
    account_key bytea NOT NULL,
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    -- A few bits for the words of the name: they do not reveal the words, and most names that differ are seen to differ without
    -- reading a row. All zero where nothing is known of them.
    name_marks bytea NOT NULL DEFAULT decode(repeat('00', 16), 'hex'),
    PRIMARY KEY (batch_id, row_number)
  );
  -- By customer and by account in every environment: whatever begins with the environment looks as good as the right index to a
  -- planner whose statistics are older than that. Where very many payees have an account, always the same ones are compared,
  -- and found without sorting all of them.
  CREATE INDEX payees_by_name ON payees (customer_key, name_key, details_key) INCLUDE (environment_id, name_marks);
  CREATE INDEX payees_by_account ON payees (account_key, batch_id, row_number) INCLUDE (environment_id);

  -- Rows whose payee differs from what was known when they were staged: by row and code, with the row that it was compared with.
  CREATE TABLE payee_changes (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    row_number integer NOT NULL,
    code text NOT NULL CHECK (code IN ('payee_details_changed', 'account_shared')),
    -- The batch of the row that it was compared with; its own batch where that row is in the same file.
    earlier_batch_id uuid NOT NULL,
    earlier_row integer NOT NULL,
    -- To details_key: the payee as in payees, so that what a person decided about it is found again.
    environment_id integer NOT NULL,
    customer_key bytea NOT NULL,
    name_key bytea NOT NULL,
    details_key bytea NOT NULL,
    PRIMARY KEY (batch_id, row_number, code)
  );
  CREATE INDEX payee_changes_by_payee ON payee_changes (environment_id, customer_key, name_key, details_key);
`;

const series = `
  -- What a batch has in common with other files of its series: files that come again and again.
  CREATE TABLE batch_series (
    batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
    environment_id integer NOT NULL,
    kind text NOT NULL,
    -- The name of the file and sheet without dates and numbers.
    name_key text,
    -- A hash of the header, where the file is read with the mapping that is remembered for it.
    mapping_key text,
    -- How its payees compare with those of the last file when it was staged; null where there was none.
    comparison jsonb
  );
  CREATE INDEX batch_series_by_name ON batch_series (environment_id, kind, name_key);
  CREATE INDEX batch_series_by_mapping ON batch_series (environment_id, kind, mapping_key);

  -- What the columns of a batch's file held, for the comparison with the next file of its layout.
  CREATE TABLE batch_profiles (
    batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
    environment_id integer NOT NULL,
    -- A hash of the kind and of the titles that are read, in any order.
    layout_key text NOT NULL,
    -- Counts, and hashes that are too short to tell a value; about 25 kB. JSON as text: nothing in it is searched for.
    profile text NOT NULL,
    -- How it differs from the last file of its layout when it was staged: a list.
    drift jsonb NOT NULL
  );
  CREATE INDEX batch_profiles_by_layout ON batch_profiles (environment_id, layout_key);

  -- The payees of all rows of a batch that are not invalid, a line for each group of rows that was staged.
  CREATE TABLE batch_payees (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    first_row integer NOT NULL,
    rows integer[] NOT NULL,
    -- Of each of the rows, 8 bytes of a hash of customer and name.
    payees bytea NOT NULL CHECK (octet_length(payees) = 8 * cardinality(rows)),
    PRIMARY KEY (batch_id, first_row)
  );
`;

export const payees = [known, series].join('\n');
