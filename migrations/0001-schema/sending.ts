/*
 * What is sent for the rows, what came back, and what exists since then; what is known of that from run logs only; and the state of
 * each row as all of these tables have it together.
 */

import { changedUnderLock } from './guards.ts';

const requests = `
  -- The idempotency key and the exact bytes of a row, written once for each generation, before the first byte leaves.
  CREATE TABLE requests (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    generation integer NOT NULL,
    -- One key is for one body: no second request ever has it.
    idempotency_key uuid NOT NULL UNIQUE,
    path text NOT NULL,
    body bytea NOT NULL,
    -- SHA-256 of path and body: two requests ask for the same if these are the same.
    fingerprint bytea NOT NULL,
    run_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- A row has one key at a time: it is sent again with the same bytes, or gets another generation.
    PRIMARY KEY (batch_id, row_number, generation)
  );
`;

const claims = `
  -- Each taking of rows to send them, under a lease token that is used once. How long it is good for is its run's lease.
  CREATE TABLE claims (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    -- Of the run's number and a counter. What a lost worker still does names a token that is not the row's any more.
    lease_token bigint NOT NULL,
    run_id uuid NOT NULL,
    -- Fingerprint of the API key under which the rows are sent.
    credential text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    -- The approval under which its rows are sent; null where the policy asks for none.
    approval_id uuid REFERENCES approvals,
    -- With a token that is used twice, one worker could record for the other.
    PRIMARY KEY (batch_id, lease_token)
  );

  -- Rows that were made ready together, and are claimed as a whole, once. Not every row between first_row and last_row is in it.
  CREATE TABLE send_chunks (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    chunk integer NOT NULL,
    first_row integer NOT NULL,
    last_row integer NOT NULL,
    -- Its rows that are neither created nor taken out of it.
    open_rows integer NOT NULL CHECK (open_rows >= 0),
    -- Null until it is claimed.
    lease_token bigint,
    PRIMARY KEY (batch_id, chunk),
    -- Nothing is sent under a token that no claim has.
    FOREIGN KEY (batch_id, lease_token) REFERENCES claims
  );
  -- What is claimed next, and what a claim has left open.
  CREATE INDEX send_chunks_to_claim ON send_chunks (batch_id, chunk) WHERE lease_token IS NULL AND open_rows > 0;
  CREATE INDEX send_chunks_by_token ON send_chunks (batch_id, lease_token) WHERE lease_token IS NOT NULL AND open_rows > 0;
${changedUnderLock('claims')}${changedUnderLock('send_chunks')}
  ALTER TABLE row_states
    -- No row waits in a chunk that does not exist, and so is never claimed.
    ADD CONSTRAINT row_has_its_chunk FOREIGN KEY (batch_id, chunk) REFERENCES send_chunks,
    -- No row is sent under a token that no claim has.
    ADD CONSTRAINT row_has_its_claim FOREIGN KEY (batch_id, lease_token) REFERENCES claims;

  -- A row is sent under a claim only, so that nothing of a closed batch leaves.
  CREATE FUNCTION refuse_claim_of_closed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT closed_at FROM batches WHERE id = NEW.batch_id) IS NOT NULL THEN
      RAISE EXCEPTION 'rows of a closed batch are not claimed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER batch_is_open BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION refuse_claim_of_closed();

  -- What a claim was checked for when it was made, it is for good.
  CREATE TRIGGER claims_only_grow BEFORE UPDATE ON claims FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
`;

const answers = `
  -- Each HTTP request and what it came to. Without a foreign key; a batch with attempts is never deleted.
  CREATE TABLE attempts (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    generation integer NOT NULL,
    -- Counts the requests of the row from 1, over all runs.
    number integer NOT NULL,
    run_id uuid NOT NULL,
    -- What the answer, or that there was none, says of the object.
    outcome text NOT NULL,
    -- A stable code: why it is in doubt, why it was refused, why the run stopped; null where an object was created.
    reason text,
    http_status integer,
    object_id text,
    duration_in_ms integer NOT NULL,
    -- The answer's body where it was read whole and is of moderate size: evidence for a reconciliation.
    answer text,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    -- When it left, in milliseconds after the first of its claim; null where only the record tells.
    sent_after_ms integer,
    -- What is recorded once more after a lost reply is the same attempt.
    PRIMARY KEY (batch_id, row_number, number)
  );

  -- Every object that the API created for a row, however it became known. No id twice in an environment and kind.
  CREATE TABLE created_objects (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    environment_id integer NOT NULL,
    kind text NOT NULL,
    object_id text NOT NULL,
    -- With credential to attempts: of the claim, for rows that were created at their first answer; null for others, whose line
    -- in row_states has them.
    run_id uuid,
    credential text,
    first_sent_at timestamptz,
    http_status integer,
    attempts integer CHECK (attempts >= 1),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- A row has one object.
    PRIMARY KEY (batch_id, row_number),
    -- An answer that names the object of another row is no evidence: one of the two is wrong.
    CONSTRAINT one_row_for_an_object UNIQUE (environment_id, kind, object_id)
  );
${changedUnderLock('created_objects')}
  -- Answers that created an object for a row that was no longer the sender's. Only grows.
  CREATE TABLE late_creations (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    -- Of the request; 0 for what is known from a run log only, whose run is all zeros.
    generation integer NOT NULL,
    run_id uuid NOT NULL,
    -- Of the attempt.
    number integer NOT NULL,
    idempotency_key uuid NOT NULL,
    object_id text NOT NULL,
    http_status integer,
    answer text,
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, row_number, generation, run_id, number)
  );
`;

const runLogs = `
  -- Claims, and runs (claim 0), that a recovery knows from a run log only. A log that names others belongs to a ledger
  -- that knows more.
  CREATE TABLE logged_claims (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    -- As the log has it.
    run text NOT NULL,
    claim integer NOT NULL,
    PRIMARY KEY (batch_id, run, claim)
  );

  -- Keys that a recovery knows from a run log only.
  CREATE TABLE logged_keys (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    idempotency_key uuid NOT NULL,
    PRIMARY KEY (batch_id, idempotency_key)
  );
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
  -- The state of each row: created once created_objects has it, sending while its chunk is claimed, else as stored.
  CREATE VIEW rows AS
  SELECT ${columnsOfRows}
  FROM row_states s
  LEFT JOIN created_objects f ON s.chunk IS NOT NULL AND f.batch_id = s.batch_id AND f.row_number = s.row_number
  LEFT JOIN send_chunks c ON c.batch_id = s.batch_id AND c.chunk = s.chunk AND f.row_number IS NULL
  LEFT JOIN claims l ON l.batch_id = c.batch_id AND l.lease_token = c.lease_token;

  -- The view rows for a batch, after one row number up to another and with it.
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
`;

export const sending = [requests, claims, answers, runLogs, statesOfRows].join('\n');
