/*
 * The rows of a batch: what came in, the state of each of them, which row of an earlier file it corrects, and by what it is
 * found.
 */

import { changedUnderLock } from './guards.ts';

/**
 * SQL of the hash of row `i` of row_inputs, with the salt of its batch. Of its parts only the last may have a line break, so they
 * cannot be read in another way.
 */
export const hashOfInput = (salt: string): string =>
  `sha256(convert_to(concat_ws(chr(10), ${salt}, i.row_number, i.cells, i.record, i.findings, i.notes), 'UTF8'))`;

/** SQL of the hash over the hashes of rows, for the group of staged rows `g`. */
export const hashOfGroup = `(SELECT sha256(string_agg(i.hash, ''::bytea ORDER BY i.row_number)) FROM row_inputs i
  WHERE i.batch_id = g.batch_id AND i.row_number BETWEEN g.first_row AND g.last_row)`;

/** SQL of the hash over all groups of staged rows of a batch, in hex; null where it has none. */
export const hashOfStaged = (batch: string): string =>
  `(SELECT encode(sha256(string_agg(g.hash, ''::bytea ORDER BY g.first_row)), 'hex') FROM staged_hashes g WHERE g.batch_id = ${batch})`;

const inputs = `
  -- What came in, written once. Without a foreign key, which would look up and lock the batch for each row.
  CREATE TABLE row_inputs (
    batch_id uuid NOT NULL,
    -- In the file or sheet, from 1; row 1 mostly has the titles.
    row_number integer NOT NULL,
    -- JSON as text: cells may hold what jsonb refuses.
    cells text NOT NULL,
    -- The values by field, normalised: what the request is made of.
    record jsonb NOT NULL,
    -- JSON as text, as of cells: what is wrong with the row.
    findings text NOT NULL,
    -- The same of what was changed or assumed without harm.
    notes text NOT NULL,
    -- SHA-256 of all these, with the salt of the batch.
    hash bytea NOT NULL,
    PRIMARY KEY (batch_id, row_number)
  );

  -- A hash over the hashes of each group of rows that was staged together. The audit trail has one over all of a batch.
  CREATE TABLE staged_hashes (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    first_row integer NOT NULL,
    last_row integer NOT NULL CHECK (last_row >= first_row),
    hash bytea NOT NULL,
    PRIMARY KEY (batch_id, first_row)
  );
`;

const states = `
  -- The state of each row, as far as it had to be rewritten. A row of a chunk stays ready here; the view rows has the whole
  -- state. Inserted only by the statement that finds its batch under the lock, so that no foreign key has to look the batch up
  -- for each row.
  CREATE TABLE row_states (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    -- Of the batch, as its kind: an index over all batches can only have columns of this table.
    environment_id integer NOT NULL,
    kind text NOT NULL,
    -- The resource definition; null while the payee type is not known.
    resource text,
    -- What they mean, and what follows on what: docs/states.md.
    state text NOT NULL CHECK (state IN ('staged', 'waiting', 'ready', 'sending', 'created',
      'rejected', 'unknown', 'held', 'invalid', 'existing', 'duplicate')),
    -- Counts the idempotency keys of the row.
    generation integer NOT NULL DEFAULT 1 CHECK (generation >= 1),
    -- A hash of what makes the object the same object.
    natural_key bytea,
    -- The natural key while an object of this row exists or may exist; something else than it where a person had the row sent
    -- although another row owns it.
    owned_key bytea,
    -- The name by which rows of other batches may refer to the object.
    handle text,
    -- The earlier row of the batch that a duplicate repeats.
    same_as integer,
    object_id text,
    -- Under which claim it is being sent; null for rows of chunks, whose claim send_chunks has.
    lease_token bigint,
    -- Which run claimed it last, with the fingerprint of which API key, and when its present key first left.
    run_id uuid,
    credential text,
    first_sent_at timestamptz,
    -- An earlier request under the current key may have reached the API.
    may_exist boolean NOT NULL DEFAULT false,
    -- Requests that were sent for it, over all runs.
    attempts integer NOT NULL DEFAULT 0,
    -- Of the last answer.
    http_status integer,
    -- The reason of its state: a stable code, the column that it is about, a sentence.
    code text,
    field text,
    message text,
    changed_at timestamptz NOT NULL DEFAULT now(),
    -- The rows with which it was made ready, and will be claimed.
    chunk integer,
    -- Since when it waits for what only time brings; null for rows that wait for another object.
    refused_at timestamptz,
    -- With origin_row: the row of the first file that a family of corrections and other readings began with; null for ordinary
    -- rows.
    origin_batch uuid,
    origin_row integer,
    -- 0; greater only where a person had a row sent besides one that is created.
    origin_place integer,
    PRIMARY KEY (batch_id, row_number),

    -- A row that is said to have an object has the object's id.
    CONSTRAINT created_has_evidence CHECK (state NOT IN ('created', 'existing') OR object_id IS NOT NULL),
    -- What may have an object, or is about to get one, keeps every other row from making the same: see rows_own_key_once.
    CONSTRAINT live_owns_its_key CHECK (state NOT IN ('ready', 'sending', 'unknown', 'created') OR owned_key IS NOT NULL),
    -- What has no object, and gets none, keeps no other row from being sent.
    CONSTRAINT refused_owns_nothing CHECK (
      state NOT IN ('staged', 'waiting', 'rejected', 'invalid', 'existing', 'duplicate') OR owned_key IS NULL),
    -- A new key starts afresh, and only what never left, or was refused for certain, may get one.
    CONSTRAINT unsent_starts_afresh CHECK (state NOT IN ('staged', 'waiting', 'ready') OR first_sent_at IS NULL),
    -- A row in doubt stays in doubt until an answer or a person says so, and what was refused for certain is in none.
    CONSTRAINT doubt_is_remembered CHECK (CASE WHEN state IN ('staged', 'waiting', 'ready', 'rejected') THEN NOT may_exist
      WHEN state = 'unknown' THEN may_exist ELSE true END),
    -- Nothing is sent but under a claim, and no claim outlives the sending.
    CONSTRAINT sending_has_lease CHECK ((state = 'sending') = (lease_token IS NOT NULL)),
    -- The age of a key that may have reached the API is known: how long the row may be sent again under it.
    CONSTRAINT sent_has_time CHECK (state NOT IN ('sending', 'unknown', 'rejected') OR first_sent_at IS NOT NULL),
    -- A duplicate has no end of its own, so the row is named that has it.
    CONSTRAINT duplicate_names_original CHECK (state <> 'duplicate' OR same_as IS NOT NULL),
    -- A chunk is claimed as a whole and once: a row that was claimed before, or has another end, is not claimed with it.
    CONSTRAINT chunk_is_of_fresh_rows CHECK (chunk IS NULL OR (state = 'ready' AND run_id IS NULL)),
    -- Half an origin would take no part in rows_own_origin_once.
    CONSTRAINT origin_is_whole CHECK (num_nulls(origin_batch, origin_row, origin_place) IN (0, 3))
  ) WITH (fillfactor = 70); -- Most rows are rewritten a few times: the new version finds room beside the old one.

  -- Exactly once, across batches: one live or created row for an environment, kind and natural key.
  CREATE UNIQUE INDEX rows_own_key_once ON row_states (environment_id, kind, owned_key) WHERE owned_key IS NOT NULL;
  -- At most one of an original row, its corrections and its other readings is live or created.
  CREATE UNIQUE INDEX rows_own_origin_once ON row_states (origin_batch, origin_row, origin_place)
    WHERE owned_key IS NOT NULL AND origin_batch IS NOT NULL;

  -- What the next step has to do, without a look at the rows that are done: a large batch is gone through in pages.
  CREATE INDEX rows_to_prepare ON row_states (batch_id, row_number) WHERE state IN ('staged', 'waiting');
  CREATE INDEX rows_to_send ON row_states (batch_id, row_number) WHERE state = 'ready' AND chunk IS NULL;
  CREATE INDEX rows_to_send_again ON row_states (batch_id, row_number) WHERE state = 'unknown';
  CREATE INDEX rows_under_lease ON row_states (batch_id, lease_token) WHERE state = 'sending';
  CREATE INDEX rows_to_verify ON row_states (batch_id, row_number)
    WHERE state = 'held' AND code = 'institution_unverifiable' AND first_sent_at IS NULL;

  -- What a batch is asked about: rows that others replace, that repeat a row, that were refused; by when keys run out.
  CREATE INDEX superseded_rows ON row_states (batch_id) WHERE code = 'superseded';
  CREATE INDEX duplicates_of_row ON row_states (batch_id, same_as) WHERE state = 'duplicate';
  CREATE INDEX refused_rows ON row_states (batch_id) WHERE state = 'rejected';
  CREATE INDEX rows_in_doubt ON row_states (batch_id, first_sent_at) WHERE state = 'unknown';

  -- The few rows among very many that need attention: by status, and by what is said of them. Rows that go their ordinary way,
  -- which are most, are in neither index.
  CREATE INDEX rows_set_aside ON row_states (batch_id, state, row_number)
    WHERE state IN ('invalid', 'rejected', 'held', 'waiting', 'existing', 'duplicate');
  CREATE INDEX rows_by_code ON row_states (batch_id, state, code, row_number) INCLUDE (field) WHERE code IS NOT NULL;

  -- The object that a row refers to, or is the same as, in whichever batch it is.
  CREATE INDEX rows_by_handle ON row_states (environment_id, kind, handle) WHERE handle IS NOT NULL;
  CREATE INDEX existing_by_object ON row_states (environment_id, kind, object_id) WHERE state = 'existing';
  CREATE INDEX existing_by_key ON row_states (environment_id, kind, natural_key)
    WHERE state = 'existing' AND natural_key IS NOT NULL;
${changedUnderLock('row_states')}
  -- The index rows_own_origin_once says nothing of an original that does not take part in it.
  CREATE FUNCTION require_origin() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM row_states
        WHERE batch_id = NEW.origin_batch AND row_number = NEW.origin_row AND origin_batch IS NULL) THEN
      RAISE EXCEPTION 'a correction is made ready before the row that it corrects is marked'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$;
  -- A corrected row is not sent while the row that it corrects could be sent as well.
  CREATE TRIGGER origin_is_marked AFTER UPDATE ON row_states FOR EACH ROW
    WHEN (NEW.origin_batch IS NOT NULL AND NEW.owned_key IS NOT NULL AND OLD.owned_key IS NULL)
    EXECUTE FUNCTION require_origin();
`;

const families = `
  -- Which row of the first file a row corrects, however many rounds there were. Without a foreign key: the ledger
  -- may have lost the first batch.
  CREATE TABLE corrected_rows (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    row_number integer NOT NULL,
    first_batch_id uuid NOT NULL,
    first_row integer NOT NULL,
    -- Of two corrections of one row, the one with the greater number is the later word.
    number bigint GENERATED ALWAYS AS IDENTITY,
    -- The row that it names, of the round before, and that row's generation at the time.
    earlier_batch_id uuid,
    earlier_row integer,
    earlier_generation integer,
    -- Not corrected by a person, but another reading of the same content.
    is_reading boolean NOT NULL DEFAULT false,
    -- A row corrects one row, so that a family has one beginning.
    PRIMARY KEY (batch_id, row_number)
  );
  CREATE INDEX corrected_rows_of_origin ON corrected_rows (first_batch_id, first_row, number);
`;

const found = `
  -- By what the rows of a batch are found in the whole ledger, a line for each group of rows that was staged. Nothing personal is
  -- stored a second time: values are in row_inputs only. An index of the words of each row would take a tenth of the time in which
  -- a row is staged; bits for each thousand rows or so take next to nothing, and are looked through in milliseconds.
  CREATE TABLE search_terms (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    first_row integer NOT NULL,
    last_row integer NOT NULL CHECK (last_row >= first_row),
    -- A Bloom filter of words of names, of each two of them, and of account and phone numbers.
    bits bytea NOT NULL CHECK (length(bits) > 0),
    PRIMARY KEY (batch_id, first_row)
  );
  -- To compress such bits takes time and saves nothing.
  ALTER TABLE search_terms ALTER COLUMN bits SET STORAGE EXTERNAL;
`;

export const rows = [inputs, states, families, found].join('\n');
