import type { Knex } from 'knex';

/**
 * The first schema. Three tables hold one row of an input, by how often they change: `row_inputs` (what
 * came in; written once), `requests` (what is to be sent: key and exact bytes; written once for each
 * generation, never changed) and `rows` (where it stands; small, because every step rewrites it).
 * `attempts` is the history: one line for each HTTP request.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE environments (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      mode text NOT NULL CHECK (mode IN ('sandbox', 'live')),
      origin text NOT NULL,
      UNIQUE (mode, origin)
    );

    CREATE TABLE batches (
      id uuid PRIMARY KEY,
      environment_id integer NOT NULL REFERENCES environments,
      kind text NOT NULL CHECK (kind IN ('customers', 'accounts', 'recipients', 'collections')),
      file_name text NOT NULL,
      sheet text,
      content_hash text NOT NULL,
      reading_hash text NOT NULL,
      header text[] NOT NULL,
      notes text[] NOT NULL DEFAULT '{}',
      -- The call that staged it: its batches are resumed together, in the order of their kinds.
      import_id uuid NOT NULL,
      -- Null until every row is staged: a batch without it was interrupted before anything could be sent.
      staged_at timestamptz,
      row_count integer CHECK (row_count >= 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK ((staged_at IS NULL) = (row_count IS NULL))
    );

    CREATE TABLE runs (
      id uuid PRIMARY KEY,
      -- Lease tokens are made of this number and a counter, so that no two claims share one.
      number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      command text NOT NULL,
      owner_host text NOT NULL,
      owner_process text NOT NULL,
      started_at timestamptz NOT NULL DEFAULT now(),
      lease_until timestamptz NOT NULL,
      ended_at timestamptz,
      exit_code integer
    );
    CREATE INDEX runs_of_batch ON runs (batch_id, started_at);

    CREATE TABLE row_inputs (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      row_number integer NOT NULL,
      -- JSON as text where it only has to come back as it went in: cells may hold what jsonb refuses.
      cells text NOT NULL,
      record jsonb NOT NULL,
      findings text NOT NULL,
      notes text NOT NULL,
      PRIMARY KEY (batch_id, row_number)
    );

    CREATE TABLE rows (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      row_number integer NOT NULL,
      environment_id integer NOT NULL REFERENCES environments,
      kind text NOT NULL,
      -- The resource definition; null when the row's payee type is not known.
      resource text,
      state text NOT NULL CHECK (state IN ('staged', 'waiting', 'ready', 'sending', 'created', 'rejected',
        'unknown', 'held', 'invalid', 'existing', 'duplicate')),
      generation integer NOT NULL DEFAULT 1 CHECK (generation >= 1),
      -- What makes the object the same object; owned while an object of ours exists or may exist.
      natural_key bytea,
      owned_key bytea,
      -- The name by which rows of other batches may refer to the object.
      handle text,
      same_as integer,
      object_id text,
      lease_token bigint,
      lease_until timestamptz,
      run_id uuid,
      credential text,
      first_sent_at timestamptz,
      -- An earlier try under the current key may have reached the API.
      may_exist boolean NOT NULL DEFAULT false,
      attempts integer NOT NULL DEFAULT 0,
      http_status integer,
      code text,
      field text,
      message text,
      changed_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (batch_id, row_number),
      CONSTRAINT created_has_evidence CHECK (state NOT IN ('created', 'existing') OR object_id IS NOT NULL),
      CONSTRAINT live_owns_its_key CHECK (state NOT IN ('ready', 'sending', 'unknown', 'created') OR owned_key IS NOT NULL),
      CONSTRAINT refused_owns_nothing CHECK (state NOT IN ('staged', 'waiting', 'rejected', 'invalid', 'existing', 'duplicate') OR owned_key IS NULL),
      -- A new key starts afresh, and only what never left, or was refused for certain, may get one.
      CONSTRAINT unsent_starts_afresh CHECK (state NOT IN ('staged', 'waiting', 'ready') OR first_sent_at IS NULL),
      CONSTRAINT doubt_is_remembered CHECK (CASE WHEN state IN ('staged', 'waiting', 'ready', 'rejected') THEN NOT may_exist
        WHEN state = 'unknown' THEN may_exist ELSE true END),
      CONSTRAINT sending_has_lease CHECK ((state = 'sending') = (lease_token IS NOT NULL)
        AND (state = 'sending') = (lease_until IS NOT NULL)),
      CONSTRAINT sent_has_time CHECK (state NOT IN ('sending', 'unknown', 'rejected') OR first_sent_at IS NOT NULL),
      CONSTRAINT duplicate_names_original CHECK (state <> 'duplicate' OR same_as IS NOT NULL)
    );
    -- Exactly once, across batches: one live or created row for an environment, kind and natural key.
    CREATE UNIQUE INDEX rows_own_key_once ON rows (environment_id, kind, owned_key) WHERE owned_key IS NOT NULL;
    CREATE INDEX rows_to_prepare ON rows (batch_id, row_number) WHERE state IN ('staged', 'waiting');
    CREATE INDEX rows_to_send ON rows (batch_id, row_number) WHERE state = 'ready';
    CREATE INDEX rows_to_send_again ON rows (batch_id, row_number) WHERE state = 'unknown';
    CREATE INDEX rows_under_lease ON rows (batch_id, lease_token) WHERE state = 'sending';
    CREATE INDEX rows_by_handle ON rows (environment_id, kind, handle) WHERE handle IS NOT NULL;
    CREATE INDEX rows_by_object ON rows (environment_id, kind, object_id) WHERE state = 'created';
    ALTER TABLE rows SET (fillfactor = 70);

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
      PRIMARY KEY (batch_id, row_number, generation),
      FOREIGN KEY (batch_id, row_number) REFERENCES rows ON DELETE CASCADE
    );

    -- Without a foreign key: it would look the batch up, and lock it, once for each request. A batch with
    -- attempts is never deleted.
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
      PRIMARY KEY (batch_id, row_number, number)
    );

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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE institution_lists, attempts, requests, rows, row_inputs, runs, batches, environments;
  `);
}
