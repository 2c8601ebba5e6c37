/*
 * What was read, where it is to be sent, and who works on it: environments, batches with their readings, runs, and the
 * lists of institutions that rows are checked with.
 */

const environments = `
  -- Mode and origin of an API. Keys, objects and references belong to one of them.
  CREATE TABLE environments (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mode text NOT NULL CHECK (mode IN ('sandbox', 'live')),
    -- Scheme, host and port of the API; of the built-in sandbox the id of its store, since its port changes with each run.
    origin text NOT NULL,
    -- Names this ledger in the run logs of the environment. Ledgers made from one template differ.
    ledger_id uuid NOT NULL DEFAULT gen_random_uuid(),
    -- "Exactly once" counts within an environment: with two lines for one, an object could be created twice.
    UNIQUE (mode, origin)
  );

  -- The mode in which each API key was first accepted. A key is refused in the other mode.
  CREATE TABLE credentials (
    -- A hash of the key, never the key.
    fingerprint text PRIMARY KEY,
    mode text NOT NULL CHECK (mode IN ('sandbox', 'live')),
    -- The call whose batches were the first that it sent, where no person had compared it: nothing else says that a key is live.
    first_import uuid,
    first_used_at timestamptz NOT NULL DEFAULT now()
  );

  -- Where each API key was accepted. A key at an address that is new to it creates last month's objects again.
  CREATE TABLE credential_uses (
    fingerprint text NOT NULL REFERENCES credentials,
    environment_id integer NOT NULL REFERENCES environments,
    first_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (fingerprint, environment_id)
  );
`;

const batchesAndReadings = `
  -- One file, or one sheet of it, read in one way. Its line is the lock of all its rows, see lock_batch.
  CREATE TABLE batches (
    -- A hash of environment, kind, sheet, content and reading: the same file is the same batch, in every ledger.
    id uuid PRIMARY KEY,
    environment_id integer NOT NULL REFERENCES environments,
    -- What its rows become, in the plural: customers, recipients.
    kind text NOT NULL,
    file_name text NOT NULL,
    -- Name of the file that corrections were read from; file_name is that of their first file.
    given_name text,
    -- Of the workbook; null for other files.
    sheet text,
    -- SHA-256 of the file's bytes, in hex.
    content_hash text NOT NULL,
    -- SHA-256 of all that changes how the bytes are read: mapping, delimiter, encoding.
    reading_hash text NOT NULL,
    -- The titles of the columns, as they are in the file.
    header text[] NOT NULL,
    -- What was noticed about the file as a whole while it was read: messages, as JSON, which each channel words.
    notes json NOT NULL DEFAULT '[]',
    -- The call that staged it. Its batches are resumed together, in the order of their kinds.
    import_id uuid NOT NULL,
    -- Null until every row is staged: nothing of an interrupted batch can be sent.
    staged_at timestamptz,
    row_count integer CHECK (row_count >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Counts the changes of the rows. Result files that were written at one revision are right while it stays the same.
    revision bigint NOT NULL DEFAULT 0,
    -- End of the last interval of the request rate that a run has reserved. Runs of a batch share one rate.
    rate_reserved_until timestamptz,
    -- Why no fresh row is claimed any more: the API refused its rows for one reason, and created none.
    refused_alike jsonb,
    -- A person has said that sending goes on although rows are refused for one reason.
    goes_on_refused boolean NOT NULL DEFAULT false,
    -- What the rows added up to when revision was totals_revision: rows and amounts by status.
    totals jsonb,
    totals_revision bigint,
    -- Since when no run takes the batch up any more; null while runs may.
    closed_at timestamptz,
    -- Who closed it; null where this is known from a run log only.
    closed_by text,
    -- Why, in that person's words.
    closed_note text,
    -- Who had it staged. Null where that is not known: it can then be approved only under a policy that lets makers approve.
    made_by text,
    -- Whether rows of it are open (rows), or only refused ones wait to be corrected (corrections), as its totals had it when
    -- they were kept; null where neither is so. A new batch is open.
    need text DEFAULT 'rows' CHECK (need IN ('rows', 'corrections')),
    -- Whether the last line of a CSV file had a line end: one that was cut off has none, unless its earlier files had none
    -- either. Null for workbooks and corrections.
    has_line_end boolean,
    -- Goes into the leaves of its plans, so that a guess at the content of a row cannot be confirmed by its leaf.
    leaf_salt uuid NOT NULL DEFAULT gen_random_uuid(),
    -- A batch that counts as staged knows how many rows it has to account for.
    CHECK ((staged_at IS NULL) = (row_count IS NULL)),
    -- A batch that is not closed names no person, and a person who closes one gives a reason.
    CONSTRAINT closing_is_whole CHECK (num_nulls(closed_by, closed_note) IN (0, 2)
      AND (closed_at IS NOT NULL OR closed_by IS NULL))
  );
  -- A file that was read before is noticed, however it was read.
  CREATE INDEX batches_by_content ON batches (content_hash);
  -- Thresholds of a policy count the files of a call together.
  CREATE INDEX batches_by_call ON batches (import_id);
  -- The work list does not look at batches that are done.
  CREATE INDEX batches_in_need ON batches (need, created_at) WHERE need IS NOT NULL AND staged_at IS NOT NULL;

  -- For the trigger below.
  CREATE FUNCTION refuse_reopening() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'a closed batch stays closed' USING ERRCODE = 'restrict_violation';
  END $$;
  -- Once a batch is closed, a person relies on it that nothing more of it is sent.
  CREATE TRIGGER closed_stays_closed BEFORE UPDATE OF closed_at ON batches FOR EACH ROW
    WHEN (OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at)
    EXECUTE FUNCTION refuse_reopening();

  -- How the file was read, so that its failed file is read in the same way. JSON as text: it has to come back unchanged.
  CREATE TABLE batch_readings (
    batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
    -- The mapping file.
    mapping text NOT NULL,
    -- The rules file; {} where there was none.
    rules text NOT NULL,
    -- Rows of the batch that were hidden in the workbook.
    hidden_rows integer NOT NULL CHECK (hidden_rows >= 0),
    -- Whether hidden rows are rows of the batch; null while no person has decided it.
    hidden_choice text CHECK (hidden_choice IN ('include', 'skip'))
  );

  -- Mappings that a person has agreed to, by header. The last one counts.
  CREATE TABLE remembered_mappings (
    -- SHA-256, in hex, of the titles, of the sheet where the mapping is for one, and of the purpose where that is an export.
    header_key text PRIMARY KEY,
    -- The titles, a list in JSON as text.
    header text NOT NULL,
    -- As the person named it.
    name text NOT NULL,
    -- What the rows become; null for exports of the other side.
    kind text,
    -- The mapping file's JSON.
    mapping text NOT NULL,
    remembered_at timestamptz NOT NULL DEFAULT now(),
    -- Of the file for which it was agreed to: there it counts even if the file was read before.
    content_hash text,
    -- import: how a file becomes rows. export: how a reconciliation reads a file of the other side, whatever the kind of the
    -- batch.
    purpose text NOT NULL DEFAULT 'import' CHECK (purpose IN ('import', 'export')),
    -- Nothing is imported without knowing what it becomes.
    CONSTRAINT import_has_its_kind CHECK (purpose = 'export' OR kind IS NOT NULL)
  );
`;

const runs = `
  -- A program that works on a batch. It holds its claims until it ends, or its lease does.
  CREATE TABLE runs (
    id uuid PRIMARY KEY,
    -- Which of two runs is the later one: clocks may be set back. Lease tokens are made of it and a counter, so that no two
    -- claims share one.
    number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    -- What the person or job called: import, resume, resolve.
    command text NOT NULL,
    -- Where it runs, and as which process of which boot: a program on the same host knows whether it is gone.
    owner_host text NOT NULL,
    owner_process text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    -- How long it counts as alive without a further sign of life. Its claims are good as long.
    lease_until timestamptz NOT NULL,
    ended_at timestamptz,
    -- How it ended; null while it goes on, and for a run that was lost.
    outcome text,
    -- Where it wrote its run log, or which logs a recovery has read.
    log_paths text[] NOT NULL DEFAULT '{}',
    -- Its run log has all that the ledger has of it. A killed run leaves false, until a later run completes the log.
    is_logged boolean NOT NULL DEFAULT false,
    -- The actor: a user of this ledger who has shown the key, else the user of the operating system. Null where it is not known.
    started_by text,
    -- The way in: command line, library, console.
    channel text,
    -- With which lines its run log ended, and the path of that log, so that a log that was cut is noticed; null for runs that
    -- did not come to their end.
    log_head jsonb
  );
  CREATE INDEX runs_of_batch ON runs (batch_id, started_at);
  -- Runs under way, and those that were cut off, without looking at those that have ended.
  CREATE INDEX runs_not_ended ON runs (batch_id) WHERE ended_at IS NULL;

  -- Runs that failed before they had a batch which shows the failure. A line is removed once a later run succeeds. A failure has
  -- one line, however often a nightly job repeats it.
  CREATE TABLE failed_runs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Mode and address of the API as the settings named them: what fails there may be that they name none.
    target text NOT NULL,
    -- What failed: a file by its path, or what a run as a whole failed with.
    subject text NOT NULL,
    -- Path of the file that was refused; null where the run failed as a whole.
    file text,
    command text NOT NULL,
    -- How it ended, as of runs.outcome, and the error with its message and with what helps.
    outcome text NOT NULL,
    code text NOT NULL,
    message jsonb NOT NULL,
    remedies jsonb NOT NULL,
    -- As of runs.
    started_by text NOT NULL,
    channel text NOT NULL,
    owner_host text NOT NULL,
    -- Since when it has failed again and again; the other columns are about the last time.
    first_at timestamptz NOT NULL DEFAULT now(),
    last_at timestamptz NOT NULL DEFAULT now(),
    times integer NOT NULL DEFAULT 1 CHECK (times > 0),
    -- The person who said that nothing is left to do about it, and when. It is listed again once it has failed again.
    put_away_by text,
    put_away_at timestamptz,
    -- A job that fails every night is in the work list once.
    UNIQUE (target, subject),
    -- It is known who has put away what.
    CONSTRAINT put_away_by_a_person CHECK ((put_away_by IS NULL) = (put_away_at IS NULL))
  );
`;

const institutions = `
  -- A country's institutions as the API gave them at one time.
  CREATE TABLE institution_lists (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    environment_id integer NOT NULL REFERENCES environments,
    -- ISO 3166-1, two letters.
    country text NOT NULL,
    -- SHA-256 of the institutions, in hex.
    hash text NOT NULL,
    -- False where not all of its pages could be read: that an institution is not in it proves nothing.
    is_complete boolean NOT NULL,
    institutions jsonb NOT NULL,
    fetched_at timestamptz NOT NULL
  );
  CREATE INDEX institution_lists_newest ON institution_lists (environment_id, country, fetched_at DESC);

  -- The lists that the rows of a batch were checked with.
  CREATE TABLE batch_institution_lists (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    country text NOT NULL,
    list_id integer NOT NULL REFERENCES institution_lists,
    PRIMARY KEY (batch_id, country)
  );
`;

export const batches = [environments, batchesAndReadings, runs, institutions].join('\n');
