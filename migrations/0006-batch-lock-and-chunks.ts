import type { Knex } from 'knex';
import { createPortions } from './0005-portions-and-creations.ts';

/** What the tables say together of stored row `s`, its creation `f`, and its claim `l`. */
export const columnsOfRows = `s.batch_id, s.row_number, s.environment_id, s.kind, s.resource,
      CASE WHEN f.row_number IS NOT NULL THEN 'created' WHEN l.lease_token IS NOT NULL THEN 'sending' ELSE s.state END AS state,
      s.generation, s.natural_key, s.owned_key, s.handle, s.same_as,
      coalesce(f.object_id, s.object_id) AS object_id, coalesce(l.lease_token, s.lease_token) AS lease_token,
      coalesce(f.run_id, l.run_id, s.run_id) AS run_id, coalesce(f.credential, l.credential, s.credential) AS credential,
      coalesce(f.first_sent_at, l.claimed_at, s.first_sent_at) AS first_sent_at, s.may_exist,
      coalesce(f.attempts, s.attempts) AS attempts, coalesce(f.http_status, s.http_status) AS http_status,
      s.code, s.field, s.message, coalesce(f.created_at, l.claimed_at, s.changed_at) AS changed_at`;

/** SQL that makes the function `rows_between` as it was until migration 0011. */
export const createRowsBetween = `
  CREATE OR REPLACE FUNCTION rows_between(uuid, integer, integer) RETURNS SETOF rows LANGUAGE sql STABLE AS $$
    SELECT ${columnsOfRows}
    FROM stored_rows s
    LEFT JOIN creations f ON s.chunk IS NOT NULL AND f.batch_id = $1 AND f.row_number > $2 AND f.row_number <= $3
      AND f.row_number = s.row_number
    LEFT JOIN chunks c ON c.batch_id = $1 AND c.last_row > $2 AND c.first_row <= $3 AND c.chunk = s.chunk
      AND f.row_number IS NULL
    LEFT JOIN claims l ON l.batch_id = $1 AND l.lease_token = c.lease_token
    WHERE s.batch_id = $1 AND s.row_number > $2 AND s.row_number <= $3
  $$`;

/**
 * One lock for a batch, and a layout in which wrong states cannot be written.
 *
 * - Every change of a batch's rows happens under the lock of its line in `batches` (`lock_batch`); triggers
 *   refuse those that do without. `revision` counts the changes.
 * - `claims` has one line for each claim: a lease token is used once. Leases are the runs': a claim holds its
 *   rows for as long as its run has not ended.
 * - Rows that are made ready together are cut into `chunks`, which replace portions. A chunk is claimed as a
 *   whole, once; its rows name it, and a foreign key makes sure that it is there.
 * - `creations` has every object that the API created for a row, however it became known, and no id twice in an
 *   environment and kind.
 * - `unrecorded_creations` keeps answers that created an object for a row that was no longer the sender's.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE batches ADD COLUMN revision bigint NOT NULL DEFAULT 0;

    -- Rows of portions are written as they stand. A portion's row that no line covers was claimed by a claim
    -- that was made twice, and lost its line: it may have been sent, so it is unknown, with the oldest age that
    -- its key can have.
    CREATE TEMPORARY TABLE standing ON COMMIT DROP AS
      SELECT r.*, r.state = 'ready' AND NOT EXISTS (
          SELECT FROM portions p WHERE p.batch_id = s.batch_id AND p.portion = s.portion
            AND s.row_number BETWEEN p.first_row AND p.last_row) AS is_lost
      FROM rows r JOIN stored_rows s USING (batch_id, row_number) WHERE s.portion IS NOT NULL;
    DROP VIEW created_objects, rows;
    ALTER TABLE stored_rows DROP CONSTRAINT sending_has_lease, DROP CONSTRAINT portion_is_of_fresh_rows;
    UPDATE stored_rows s SET state = t.state, object_id = t.object_id, lease_token = t.lease_token,
      run_id = t.run_id, credential = t.credential, first_sent_at = t.first_sent_at, attempts = t.attempts,
      http_status = t.http_status, changed_at = t.changed_at, portion = NULL
    FROM standing t WHERE s.batch_id = t.batch_id AND s.row_number = t.row_number AND NOT t.is_lost;
    UPDATE stored_rows s SET state = 'unknown', may_exist = true, code = 'claim_lost', portion = NULL,
      message = 'An earlier version lost the claim of this row, and the row may have been sent.',
      first_sent_at = (SELECT min(started_at) FROM runs r WHERE r.batch_id = s.batch_id),
      credential = (SELECT max(credential) FROM creations c WHERE c.batch_id = s.batch_id
        HAVING count(DISTINCT credential) = 1)
    FROM standing t WHERE s.batch_id = t.batch_id AND s.row_number = t.row_number AND t.is_lost;

    CREATE TABLE claims (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      lease_token bigint NOT NULL,
      run_id uuid NOT NULL,
      credential text NOT NULL,
      claimed_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (batch_id, lease_token)
    );
    INSERT INTO claims (batch_id, lease_token, run_id, credential, claimed_at)
      SELECT DISTINCT ON (batch_id, lease_token) batch_id, lease_token, run_id, credential, changed_at
      FROM stored_rows WHERE state = 'sending';

    CREATE TABLE chunks (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      chunk integer NOT NULL,
      -- All of its rows lie between these; not every row between them is one of its.
      first_row integer NOT NULL,
      last_row integer NOT NULL,
      -- Its rows that are neither created nor taken out of it.
      open_rows integer NOT NULL CHECK (open_rows >= 0),
      -- Null until it is claimed.
      lease_token bigint,
      PRIMARY KEY (batch_id, chunk),
      FOREIGN KEY (batch_id, lease_token) REFERENCES claims
    );
    CREATE INDEX chunks_to_claim ON chunks (batch_id, chunk) WHERE lease_token IS NULL AND open_rows > 0;
    CREATE INDEX chunks_by_token ON chunks (batch_id, lease_token) WHERE lease_token IS NOT NULL AND open_rows > 0;

    DROP INDEX rows_to_send, rows_by_object;
    ALTER TABLE stored_rows DROP COLUMN portion, DROP COLUMN lease_until, ADD COLUMN chunk integer,
      ADD CONSTRAINT row_has_its_chunk FOREIGN KEY (batch_id, chunk) REFERENCES chunks,
      ADD CONSTRAINT row_has_its_claim FOREIGN KEY (batch_id, lease_token) REFERENCES claims,
      ADD CONSTRAINT chunk_is_of_fresh_rows CHECK (chunk IS NULL OR (state = 'ready' AND run_id IS NULL)),
      ADD CONSTRAINT sending_has_lease CHECK ((state = 'sending') = (lease_token IS NOT NULL));
    CREATE INDEX rows_to_send ON stored_rows (batch_id, row_number) WHERE state = 'ready' AND chunk IS NULL;

    -- An id that stands on two rows: the later row is for a person to decide about.
    UPDATE stored_rows s SET state = 'held', code = 'id_seen_before', field = NULL, object_id = NULL,
      message = 'The API named an object for this row that another row has: ' || s.object_id || '.'
    FROM (SELECT batch_id, row_number,
            row_number() OVER (PARTITION BY environment_id, kind, object_id ORDER BY changed_at, batch_id, row_number) AS place
          FROM stored_rows WHERE state = 'created') c
    WHERE c.place > 1 AND s.batch_id = c.batch_id AND s.row_number = c.row_number;

    DROP TABLE portions, creations;
    CREATE TABLE creations (
      batch_id uuid NOT NULL,
      row_number integer NOT NULL,
      environment_id integer NOT NULL,
      kind text NOT NULL,
      object_id text NOT NULL,
      -- Of the claim, for rows that are created at their first answer and not rewritten; null for all others,
      -- whose own line in stored_rows says it.
      run_id uuid,
      credential text,
      first_sent_at timestamptz,
      http_status integer,
      attempts integer CHECK (attempts >= 1),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (batch_id, row_number),
      CONSTRAINT one_row_for_an_object UNIQUE (environment_id, kind, object_id)
    );
    INSERT INTO creations (batch_id, row_number, environment_id, kind, object_id, created_at)
      SELECT batch_id, row_number, environment_id, kind, object_id, changed_at FROM stored_rows WHERE state = 'created';

    -- Evidence only grows; a repeated record adds nothing.
    CREATE TABLE unrecorded_creations (
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

    CREATE VIEW rows AS
    SELECT ${columnsOfRows}
    FROM stored_rows s
    LEFT JOIN creations f ON s.chunk IS NOT NULL AND f.batch_id = s.batch_id AND f.row_number = s.row_number
    LEFT JOIN chunks c ON c.batch_id = s.batch_id AND c.chunk = s.chunk AND f.row_number IS NULL
    LEFT JOIN claims l ON l.batch_id = c.batch_id AND l.lease_token = c.lease_token;

    -- The same for a batch's rows after one row number up to another. The bounds stand beside each table, since
    -- PostgreSQL does not carry them over: it would read every creation of the batch for each page of rows.
    ${createRowsBetween};

    -- Null when there is no such batch.
    CREATE FUNCTION lock_batch(batch uuid) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE found bigint;
    BEGIN
      SELECT revision INTO found FROM batches WHERE id = batch FOR NO KEY UPDATE;
      PERFORM set_config('paybatch.locked_batch', coalesce(batch::text, ''), true);
      RETURN found;
    END $$;
    CREATE FUNCTION refuse_without_lock() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF coalesce(current_setting('paybatch.locked_batch', true), '') = '' THEN
        RAISE EXCEPTION '% is changed only under the lock of its batch', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER under_the_lock BEFORE UPDATE OR DELETE ON stored_rows
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_without_lock();
    CREATE TRIGGER under_the_lock BEFORE INSERT OR UPDATE OR DELETE ON claims
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_without_lock();
    CREATE TRIGGER under_the_lock BEFORE INSERT OR UPDATE OR DELETE ON chunks
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_without_lock();
    CREATE TRIGGER under_the_lock BEFORE INSERT OR UPDATE OR DELETE ON creations
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_without_lock();
  `);
}

/** Writes into each row what the other tables know of it; the schema before it has portions, and none is made. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TEMPORARY TABLE standing ON COMMIT DROP AS
      SELECT r.* FROM rows r JOIN stored_rows s USING (batch_id, row_number) WHERE s.chunk IS NOT NULL;
    DROP FUNCTION rows_between;
    DROP VIEW rows;
    DROP TRIGGER under_the_lock ON stored_rows;
    ALTER TABLE stored_rows DROP COLUMN chunk, DROP CONSTRAINT sending_has_lease, DROP CONSTRAINT row_has_its_claim, ADD COLUMN lease_until timestamptz,
      ADD COLUMN portion bigint,
      ADD CONSTRAINT portion_is_of_fresh_rows CHECK (portion IS NULL OR (state = 'ready' AND run_id IS NULL));
    UPDATE stored_rows r SET state = s.state, object_id = s.object_id, lease_token = s.lease_token,
      run_id = s.run_id, credential = s.credential, first_sent_at = s.first_sent_at, attempts = s.attempts,
      http_status = s.http_status, changed_at = s.changed_at
    FROM standing s WHERE r.batch_id = s.batch_id AND r.row_number = s.row_number;
    UPDATE stored_rows SET lease_until = now() WHERE state = 'sending';
    ALTER TABLE stored_rows ADD CONSTRAINT sending_has_lease CHECK ((state = 'sending') = (lease_token IS NOT NULL)
      AND (state = 'sending') = (lease_until IS NOT NULL));
    DROP TABLE chunks, claims, creations, unrecorded_creations;
    DROP FUNCTION lock_batch, refuse_without_lock;
    ALTER TABLE batches DROP COLUMN revision;
    CREATE INDEX rows_to_send ON stored_rows (batch_id, row_number) WHERE state = 'ready' AND portion IS NULL;
    CREATE INDEX rows_by_object ON stored_rows (environment_id, kind, object_id) WHERE state = 'created';
  `);
  await createPortions(knex);
}
