import type { Knex } from 'knex';

/*
 * The ledger, in the order in which one explains it: environments, batches and runs, the institutions that rows are
 * checked with, the rows, what is sent for them, what came back, what exists once, what people decided, and what run
 * logs told. Comments that matter to whoever looks at the database itself are stored in it.
 */

const batchesAndRuns = `
  CREATE TABLE environments (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mode text NOT NULL CHECK (mode IN ('sandbox', 'live')),
    origin text NOT NULL,
    ledger_id uuid NOT NULL DEFAULT gen_random_uuid(),
    UNIQUE (mode, origin)
  );
  COMMENT ON COLUMN environments.ledger_id IS 'Names this ledger in the run logs of the environment. Ledgers made from one template differ.';
  COMMENT ON TABLE environments IS 'Mode and origin of an API. Keys, objects and references belong to one of them.';

  CREATE TABLE credentials (
    fingerprint text PRIMARY KEY,
    mode text NOT NULL CHECK (mode IN ('sandbox', 'live')),
    first_used_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE credentials IS 'The mode in which each API key was first accepted. A key is refused in the other mode.';
  COMMENT ON COLUMN credentials.fingerprint IS 'A hash of the key, never the key.';

  CREATE TABLE batches (
    id uuid PRIMARY KEY,
    environment_id integer NOT NULL REFERENCES environments,
    kind text NOT NULL,
    file_name text NOT NULL,
    given_name text,
    sheet text,
    content_hash text NOT NULL,
    reading_hash text NOT NULL,
    header text[] NOT NULL,
    notes text[] NOT NULL DEFAULT '{}',
    import_id uuid NOT NULL,
    staged_at timestamptz,
    row_count integer CHECK (row_count >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    revision bigint NOT NULL DEFAULT 0,
    rate_reserved_until timestamptz,
    refused_alike jsonb,
    goes_on_refused boolean NOT NULL DEFAULT false,
    totals jsonb,
    totals_revision bigint,
    CHECK ((staged_at IS NULL) = (row_count IS NULL))
  );
  CREATE INDEX batches_by_content ON batches (content_hash);
  COMMENT ON TABLE batches IS 'One file, or one sheet of it, read in one way. Its line is the lock of all its rows.';
  COMMENT ON COLUMN batches.given_name IS 'Name of the file that corrections were read from; file_name is that of their first file.';
  COMMENT ON COLUMN batches.import_id IS 'The call that staged it. Its batches are resumed together, in the order of their kinds.';
  COMMENT ON COLUMN batches.staged_at IS 'Null until every row is staged: nothing of an interrupted batch can be sent.';
  COMMENT ON COLUMN batches.revision IS 'Counts the changes of the rows.';
  COMMENT ON COLUMN batches.rate_reserved_until IS 'End of the last interval of the request rate that a run has reserved. Runs of a batch share one rate.';
  COMMENT ON COLUMN batches.refused_alike IS 'Why no fresh row is claimed any more: the API refused its rows for one reason, and created none.';
  COMMENT ON COLUMN batches.totals IS 'What the rows added up to when revision was totals_revision: rows and amounts by status.';
  COMMENT ON COLUMN batches.goes_on_refused IS 'A person has said that sending goes on although rows are refused for one reason.';

  CREATE TABLE batch_readings (
    batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
    mapping text NOT NULL,
    rules text NOT NULL,
    hidden_rows integer NOT NULL CHECK (hidden_rows >= 0),
    hidden_choice text CHECK (hidden_choice IN ('include', 'skip'))
  );
  COMMENT ON TABLE batch_readings IS 'How the file was read, so that its failed file is read in the same way. JSON as text: it has to come back unchanged.';
  COMMENT ON COLUMN batch_readings.hidden_choice IS 'Null while nobody has said whether hidden rows are meant.';

  CREATE TABLE remembered_mappings (
    header_key text PRIMARY KEY,
    header text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    mapping text NOT NULL,
    remembered_at timestamptz NOT NULL DEFAULT now(),
    content_hash text
  );
  COMMENT ON TABLE remembered_mappings IS 'Mappings that a person has agreed to, by header. The last one counts.';
  COMMENT ON COLUMN remembered_mappings.header_key IS 'SHA-256 of the titles, in hex.';
  COMMENT ON COLUMN remembered_mappings.content_hash IS 'Of the file for which it was agreed to: there it counts even if the file was read before.';

  CREATE TABLE runs (
    id uuid PRIMARY KEY,
    number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    command text NOT NULL,
    owner_host text NOT NULL,
    owner_process text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz NOT NULL,
    ended_at timestamptz,
    outcome text,
    log_paths text[] NOT NULL DEFAULT '{}',
    is_logged boolean NOT NULL DEFAULT false
  );
  CREATE INDEX runs_of_batch ON runs (batch_id, started_at);
  COMMENT ON TABLE runs IS 'A program that works on a batch. It holds its claims until it ends, or its lease does.';
  COMMENT ON COLUMN runs.number IS 'Lease tokens are made of it and a counter, so that no two claims share one.';
  COMMENT ON COLUMN runs.log_paths IS 'Where it wrote its run log, or which logs a recovery has read.';
  COMMENT ON COLUMN runs.is_logged IS 'Its run log has all that the ledger has of it. A killed run leaves false, until a later run completes the log.';
`;

const institutions = `
  CREATE TABLE institution_lists (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    environment_id integer NOT NULL REFERENCES environments,
    country text NOT NULL,
    hash text NOT NULL,
    is_complete boolean NOT NULL,
    institutions jsonb NOT NULL,
    fetched_at timestamptz NOT NULL
  );
  CREATE INDEX institution_lists_newest ON institution_lists (environment_id, country, fetched_at DESC);
  COMMENT ON TABLE institution_lists IS 'A country''s institutions as the API gave them at one time.';

  CREATE TABLE batch_institution_lists (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    country text NOT NULL,
    list_id integer NOT NULL REFERENCES institution_lists,
    PRIMARY KEY (batch_id, country)
  );
  COMMENT ON TABLE batch_institution_lists IS 'The lists that the rows of a batch were checked with.';
`;

const rows = `
  CREATE TABLE row_inputs (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    cells text NOT NULL,
    record jsonb NOT NULL,
    findings text NOT NULL,
    notes text NOT NULL,
    PRIMARY KEY (batch_id, row_number)
  );
  COMMENT ON TABLE row_inputs IS 'What came in, written once. Without a foreign key, which would look up and lock the batch for each row.';
  COMMENT ON COLUMN row_inputs.cells IS 'JSON as text: cells may hold what jsonb refuses.';

  CREATE TABLE row_states (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    environment_id integer NOT NULL,
    kind text NOT NULL,
    resource text,
    state text NOT NULL CHECK (state IN ('staged', 'waiting', 'ready', 'sending', 'created',
      'rejected', 'unknown', 'held', 'invalid', 'existing', 'duplicate')),
    generation integer NOT NULL DEFAULT 1 CHECK (generation >= 1),
    natural_key bytea,
    owned_key bytea,
    handle text,
    same_as integer,
    object_id text,
    lease_token bigint,
    run_id uuid,
    credential text,
    first_sent_at timestamptz,
    may_exist boolean NOT NULL DEFAULT false,
    attempts integer NOT NULL DEFAULT 0,
    http_status integer,
    code text,
    field text,
    message text,
    changed_at timestamptz NOT NULL DEFAULT now(),
    chunk integer,
    refused_at timestamptz,
    origin_batch uuid,
    origin_row integer,
    origin_place integer,
    PRIMARY KEY (batch_id, row_number),
    CONSTRAINT created_has_evidence CHECK (state NOT IN ('created', 'existing') OR object_id IS NOT NULL),
    CONSTRAINT live_owns_its_key CHECK (state NOT IN ('ready', 'sending', 'unknown', 'created') OR owned_key IS NOT NULL),
    CONSTRAINT refused_owns_nothing CHECK (
      state NOT IN ('staged', 'waiting', 'rejected', 'invalid', 'existing', 'duplicate') OR owned_key IS NULL),
    -- A new key starts afresh, and only what never left, or was refused for certain, may get one.
    CONSTRAINT unsent_starts_afresh CHECK (state NOT IN ('staged', 'waiting', 'ready') OR first_sent_at IS NULL),
    CONSTRAINT doubt_is_remembered CHECK (CASE WHEN state IN ('staged', 'waiting', 'ready', 'rejected') THEN NOT may_exist
      WHEN state = 'unknown' THEN may_exist ELSE true END),
    CONSTRAINT sending_has_lease CHECK ((state = 'sending') = (lease_token IS NOT NULL)),
    CONSTRAINT sent_has_time CHECK (state NOT IN ('sending', 'unknown', 'rejected') OR first_sent_at IS NOT NULL),
    CONSTRAINT duplicate_names_original CHECK (state <> 'duplicate' OR same_as IS NOT NULL),
    CONSTRAINT chunk_is_of_fresh_rows CHECK (chunk IS NULL OR (state = 'ready' AND run_id IS NULL)),
    CONSTRAINT origin_is_whole CHECK (num_nulls(origin_batch, origin_row, origin_place) IN (0, 3))
  ) WITH (fillfactor = 70);
  COMMENT ON TABLE row_states IS 'Where each row stands, as far as it had to be rewritten. A row of a chunk stays ready here; the view rows has the whole state. Inserted only by the statement that finds its batch under the lock, so that no foreign key has to look the batch up for each row.';
  COMMENT ON COLUMN row_states.resource IS 'The resource definition; null while the payee type is not known.';
  COMMENT ON COLUMN row_states.generation IS 'Counts the idempotency keys of the row.';
  COMMENT ON COLUMN row_states.natural_key IS 'What makes the object the same object.';
  COMMENT ON COLUMN row_states.owned_key IS 'The natural key while an object of this row exists or may exist.';
  COMMENT ON COLUMN row_states.handle IS 'The name by which rows of other batches may refer to the object.';
  COMMENT ON COLUMN row_states.same_as IS 'The earlier row of the batch that a duplicate repeats.';
  COMMENT ON COLUMN row_states.may_exist IS 'An earlier request under the current key may have reached the API.';
  COMMENT ON COLUMN row_states.refused_at IS 'Since when it waits for what only time brings; null for rows that wait for another object.';
  COMMENT ON COLUMN row_states.origin_batch IS 'With origin_row: the row of the first file that a family of corrections and other readings began with; null for ordinary rows.';
  COMMENT ON COLUMN row_states.origin_place IS '0; greater only where a person had a row sent besides one that is created.';

  CREATE INDEX rows_to_prepare ON row_states (batch_id, row_number) WHERE state IN ('staged', 'waiting');
  CREATE INDEX rows_to_send ON row_states (batch_id, row_number) WHERE state = 'ready' AND chunk IS NULL;
  CREATE INDEX rows_to_send_again ON row_states (batch_id, row_number) WHERE state = 'unknown';
  CREATE INDEX rows_under_lease ON row_states (batch_id, lease_token) WHERE state = 'sending';
  CREATE INDEX rows_to_verify ON row_states (batch_id, row_number)
    WHERE state = 'held' AND code = 'institution_unverifiable' AND first_sent_at IS NULL;
  CREATE INDEX superseded_rows ON row_states (batch_id) WHERE code = 'superseded';
  CREATE INDEX duplicates_of_row ON row_states (batch_id, same_as) WHERE state = 'duplicate';
  CREATE INDEX refused_rows ON row_states (batch_id) WHERE state = 'rejected';
  CREATE INDEX rows_by_handle ON row_states (environment_id, kind, handle) WHERE handle IS NOT NULL;
  CREATE INDEX existing_by_object ON row_states (environment_id, kind, object_id) WHERE state = 'existing';
  CREATE INDEX existing_by_key ON row_states (environment_id, kind, natural_key)
    WHERE state = 'existing' AND natural_key IS NOT NULL;
`;

const sending = `
  CREATE TABLE requests (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    generation integer NOT NULL,
    idempotency_key uuid NOT NULL UNIQUE,
    path text NOT NULL,
    body bytea NOT NULL,
    fingerprint bytea NOT NULL,
    run_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, row_number, generation)
  );
  COMMENT ON TABLE requests IS 'The idempotency key and the exact bytes of a row, written once for each generation, before the first byte leaves.';

  CREATE TABLE claims (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    lease_token bigint NOT NULL,
    run_id uuid NOT NULL,
    credential text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, lease_token)
  );
  COMMENT ON TABLE claims IS 'Each taking of rows to send them, under a lease token that is used once. How long it is good for is its run''s lease.';
  COMMENT ON COLUMN claims.credential IS 'Fingerprint of the API key under which the rows are sent.';

  CREATE TABLE send_chunks (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    chunk integer NOT NULL,
    first_row integer NOT NULL,
    last_row integer NOT NULL,
    open_rows integer NOT NULL CHECK (open_rows >= 0),
    lease_token bigint,
    PRIMARY KEY (batch_id, chunk),
    FOREIGN KEY (batch_id, lease_token) REFERENCES claims
  );
  CREATE INDEX send_chunks_to_claim ON send_chunks (batch_id, chunk) WHERE lease_token IS NULL AND open_rows > 0;
  CREATE INDEX send_chunks_by_token ON send_chunks (batch_id, lease_token) WHERE lease_token IS NOT NULL AND open_rows > 0;
  COMMENT ON TABLE send_chunks IS 'Rows that were made ready together, and are claimed as a whole, once. Not every row between first_row and last_row is in it.';
  COMMENT ON COLUMN send_chunks.open_rows IS 'Its rows that are neither created nor taken out of it.';
  COMMENT ON COLUMN send_chunks.lease_token IS 'Null until it is claimed.';

  ALTER TABLE row_states
    ADD CONSTRAINT row_has_its_chunk FOREIGN KEY (batch_id, chunk) REFERENCES send_chunks,
    ADD CONSTRAINT row_has_its_claim FOREIGN KEY (batch_id, lease_token) REFERENCES claims;
`;

const answers = `
  CREATE TABLE attempts (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    generation integer NOT NULL,
    number integer NOT NULL,
    run_id uuid NOT NULL,
    outcome text NOT NULL,
    reason text,
    http_status integer,
    object_id text,
    duration_in_ms integer NOT NULL,
    answer text,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    sent_after_ms integer,
    PRIMARY KEY (batch_id, row_number, number)
  );
  COMMENT ON TABLE attempts IS 'Each HTTP request and what it came to. Without a foreign key; a batch with attempts is never deleted.';
  COMMENT ON COLUMN attempts.sent_after_ms IS 'When it left, in milliseconds after the first of its claim; null where only the record tells.';

  CREATE TABLE created_objects (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    environment_id integer NOT NULL,
    kind text NOT NULL,
    object_id text NOT NULL,
    run_id uuid,
    credential text,
    first_sent_at timestamptz,
    http_status integer,
    attempts integer CHECK (attempts >= 1),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, row_number),
    CONSTRAINT one_row_for_an_object UNIQUE (environment_id, kind, object_id)
  );
  COMMENT ON TABLE created_objects IS 'Every object that the API created for a row, however it became known. No id twice in an environment and kind.';
  COMMENT ON COLUMN created_objects.run_id IS 'With credential to attempts: of the claim, for rows that were created at their first answer; null for others, whose line in row_states has them.';

  CREATE TABLE late_creations (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    generation integer NOT NULL,
    run_id uuid NOT NULL,
    number integer NOT NULL,
    idempotency_key uuid NOT NULL,
    object_id text NOT NULL,
    http_status integer,
    answer text,
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, row_number, generation, run_id, number)
  );
  COMMENT ON TABLE late_creations IS 'Answers that created an object for a row that was no longer the sender''s. Only grows.';
`;

const exactlyOnce = `
  CREATE UNIQUE INDEX rows_own_key_once ON row_states (environment_id, kind, owned_key) WHERE owned_key IS NOT NULL;
  COMMENT ON INDEX rows_own_key_once IS 'Exactly once, across batches: one live or created row for an environment, kind and natural key.';
  CREATE UNIQUE INDEX rows_own_origin_once ON row_states (origin_batch, origin_row, origin_place)
    WHERE owned_key IS NOT NULL AND origin_batch IS NOT NULL;
  COMMENT ON INDEX rows_own_origin_once IS 'Of one original row, its corrections and its other readings at most one is live or created.';

  CREATE TABLE corrected_rows (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    row_number integer NOT NULL,
    first_batch_id uuid NOT NULL,
    first_row integer NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    earlier_batch_id uuid,
    earlier_row integer,
    earlier_generation integer,
    is_reading boolean NOT NULL DEFAULT false,
    PRIMARY KEY (batch_id, row_number)
  );
  CREATE INDEX corrected_rows_of_origin ON corrected_rows (first_batch_id, first_row, number);
  COMMENT ON TABLE corrected_rows IS 'Which row of the first file a corrected row stands for, however many rounds there were. Without a foreign key: the ledger may have lost the first batch.';
  COMMENT ON COLUMN corrected_rows.number IS 'Of two corrections of one row, the one with the greater number is the later word.';
  COMMENT ON COLUMN corrected_rows.is_reading IS 'Not corrected by a person, but another reading of the same content.';
`;

const decisions = `
  CREATE TABLE plans (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    plan_hash text NOT NULL,
    totals jsonb NOT NULL,
    planned_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, plan_hash)
  );
  COMMENT ON TABLE plans IS 'For each hash that a person was shown, the totals beside it, so that a changed plan can be told from the old one.';

  CREATE TABLE verdicts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    generation integer NOT NULL,
    from_state text NOT NULL CHECK (from_state IN ('held', 'unknown')),
    from_code text,
    attempts integer NOT NULL CHECK (attempts >= 0),
    verdict text NOT NULL CHECK (verdict IN ('created', 'not-created', 'existing', 'send')),
    object_id text,
    note text NOT NULL DEFAULT '',
    decided_by text NOT NULL,
    run_id uuid NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (batch_id, row_number) REFERENCES row_states,
    CONSTRAINT names_an_object CHECK ((verdict IN ('created', 'existing')) = (object_id IS NOT NULL))
  );
  CREATE INDEX verdicts_of_row ON verdicts (batch_id, row_number);
  COMMENT ON TABLE verdicts IS 'What people decided about rows. Only grows: a verdict is overruled by a later one.';
  COMMENT ON COLUMN verdicts.from_state IS 'With generation and from_code: the row when the person decided.';

  CREATE TABLE reconciliations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL REFERENCES batches,
    compared jsonb NOT NULL,
    result jsonb NOT NULL,
    made_by text NOT NULL,
    outcome text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX reconciliations_of_batch ON reconciliations (batch_id, made_at);
  COMMENT ON TABLE reconciliations IS 'Comparisons with the other side, as they were made. Only grows.';
  COMMENT ON COLUMN reconciliations.compared IS 'Files by name and SHA-256, coverage, tolerances.';

  CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER verdicts_only_grow BEFORE UPDATE OR DELETE ON verdicts
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
  CREATE TRIGGER reconciliations_only_grow BEFORE UPDATE OR DELETE ON reconciliations
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
`;

const runLogs = `
  CREATE TABLE logged_claims (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    run text NOT NULL,
    claim integer NOT NULL,
    PRIMARY KEY (batch_id, run, claim)
  );
  COMMENT ON TABLE logged_claims IS 'Claims, and runs (claim 0), that only a run log told of when it was recovered. A log that names others belongs to a ledger that knows more.';
  COMMENT ON COLUMN logged_claims.run IS 'As the log has it.';

  CREATE TABLE logged_keys (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    idempotency_key uuid NOT NULL,
    PRIMARY KEY (batch_id, idempotency_key)
  );
  COMMENT ON TABLE logged_keys IS 'Keys that only a run log told of when it was recovered.';
`;

/** What the tables say together of stored row `s`, its creation `f`, and its claim `l`. */
const columnsOfRows = `s.batch_id, s.row_number, s.environment_id, s.kind, s.resource,
    CASE WHEN f.row_number IS NOT NULL THEN 'created' WHEN l.lease_token IS NOT NULL THEN 'sending' ELSE s.state END AS state,
    s.generation, s.natural_key, s.owned_key, s.handle, s.same_as,
    coalesce(f.object_id, s.object_id) AS object_id, coalesce(l.lease_token, s.lease_token) AS lease_token,
    coalesce(f.run_id, l.run_id, s.run_id) AS run_id, coalesce(f.credential, l.credential, s.credential) AS credential,
    coalesce(f.first_sent_at, l.claimed_at, s.first_sent_at) AS first_sent_at, s.may_exist,
    coalesce(f.attempts, s.attempts) AS attempts, coalesce(f.http_status, s.http_status) AS http_status,
    s.code, s.field, s.message, coalesce(f.created_at, l.claimed_at, s.changed_at) AS changed_at`;

const statesOfRows = `
  CREATE VIEW rows AS
  SELECT ${columnsOfRows}
  FROM row_states s
  LEFT JOIN created_objects f ON s.chunk IS NOT NULL AND f.batch_id = s.batch_id AND f.row_number = s.row_number
  LEFT JOIN send_chunks c ON c.batch_id = s.batch_id AND c.chunk = s.chunk AND f.row_number IS NULL
  LEFT JOIN claims l ON l.batch_id = c.batch_id AND l.lease_token = c.lease_token;
  COMMENT ON VIEW rows IS 'The state of each row: created once created_objects has it, sending while its chunk is claimed, else as stored.';

  -- Looked up row by row (OFFSET 0): as joins, every row of a page would be compared with every creation of that page
  -- wherever the server's statistics are older than the batch; an embedded ledger has none.
  CREATE FUNCTION rows_between(uuid, integer, integer) RETURNS SETOF rows LANGUAGE sql STABLE AS $$
    SELECT ${columnsOfRows}
    FROM row_states s
    LEFT JOIN LATERAL (SELECT * FROM created_objects
      WHERE s.chunk IS NOT NULL AND batch_id = $1 AND row_number = s.row_number OFFSET 0) f ON true
    LEFT JOIN LATERAL (SELECT lease_token FROM send_chunks
      WHERE f.row_number IS NULL AND batch_id = $1 AND chunk = s.chunk OFFSET 0) c ON true
    LEFT JOIN LATERAL (SELECT * FROM claims WHERE batch_id = $1 AND lease_token = c.lease_token OFFSET 0) l ON true
    WHERE s.batch_id = $1 AND s.row_number > $2 AND s.row_number <= $3
  $$;
  COMMENT ON FUNCTION rows_between(uuid, integer, integer) IS 'The view rows for a batch, after one row number up to another and with it.';
`;

/**
 * SQL of triggers that refuse to change a row of `table` in a transaction that does not hold the lock of that row's
 * batch. They come after the change: before it, PostgreSQL would lock each row once more.
 */
function changedUnderLock(table: string): string {
  const isOfAnother = (row: string): string =>
    `${row}.batch_id::text IS DISTINCT FROM current_setting('paybatch.locked_batch', true)`;
  return `
  CREATE TRIGGER under_the_lock AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW
    WHEN (${isOfAnother('NEW')}) EXECUTE FUNCTION refuse_without_lock();
  CREATE TRIGGER removed_under_the_lock AFTER DELETE ON ${table} FOR EACH ROW
    WHEN (${isOfAnother('OLD')}) EXECUTE FUNCTION refuse_without_lock();`;
}

const guards = `
  CREATE FUNCTION lock_batch(batch uuid) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE found bigint;
  BEGIN
    SELECT revision INTO found FROM batches WHERE id = batch FOR NO KEY UPDATE;
    PERFORM set_config('paybatch.locked_batch', coalesce(batch::text, ''), true);
    RETURN found;
  END $$;
  COMMENT ON FUNCTION lock_batch(uuid) IS 'Takes the lock of a batch until the end of the transaction, and gives its revision; null when there is no such batch.';
  CREATE FUNCTION refuse_without_lock() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% is changed only under the lock of its batch', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
  COMMENT ON FUNCTION refuse_without_lock() IS 'Called for a row whose batch is not the one that this transaction has locked; the WHEN of its triggers finds these rows without a call.';
${['row_states', 'claims', 'send_chunks', 'created_objects'].map(changedUnderLock).join('')}
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
  CREATE TRIGGER origin_is_marked AFTER UPDATE ON row_states FOR EACH ROW
    WHEN (NEW.origin_batch IS NOT NULL AND NEW.owned_key IS NOT NULL AND OLD.owned_key IS NULL)
    EXECUTE FUNCTION require_origin();
`;

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = [
  batchesAndRuns,
  institutions,
  rows,
  sending,
  answers,
  exactlyOnce,
  decisions,
  runLogs,
  statesOfRows,
  guards,
].join('\n');

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION rows_between;
    DROP VIEW rows;
    DROP TABLE logged_keys, logged_claims, reconciliations, verdicts, plans, batch_institution_lists, institution_lists,
      late_creations, created_objects, attempts, requests, corrected_rows, send_chunks, claims, row_states, row_inputs, runs,
      remembered_mappings, batch_readings, batches, credentials, environments;
    DROP FUNCTION require_origin, refuse_without_lock, lock_batch, refuse_rewriting;
  `);
}
