/*
 * API keys that turned out to be of another mode: what was created with a sandbox key in the place of the live one is not
 * there in live mode, so a person takes it back, and its rows are sent again.
 */

import { lockOfControls } from './controls.ts';

export const disowned = `
  -- Live keys that were sandbox keys in truth, as a person found. Only grows.
  CREATE TABLE disowned_keys (
    -- As of credentials.
    fingerprint text PRIMARY KEY,
    note text NOT NULL CHECK (btrim(note) <> ''),
    disowned_by text NOT NULL,
    disowned_at timestamptz NOT NULL DEFAULT now()
  );
  -- A claim comes before such a finding, or sees it.
  CREATE TRIGGER one_after_the_other BEFORE INSERT ON disowned_keys FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();
  -- Why rows were sent once more stays to be seen.
  CREATE TRIGGER disowned_keys_only_grow BEFORE UPDATE OR DELETE ON disowned_keys FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  -- Notes that a live key is a sandbox key: from then on it is refused in live mode.
  CREATE FUNCTION disown_key(key text, why text, person text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO disowned_keys (fingerprint, note, disowned_by) VALUES (key, why, person) ON CONFLICT DO NOTHING;
    INSERT INTO credentials (fingerprint, mode) VALUES (key, 'sandbox') ON CONFLICT (fingerprint) DO UPDATE SET mode = 'sandbox';
  END $$;

  -- No live row is sent with such a key any more, whichever program asks.
  CREATE FUNCTION refuse_disowned_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${lockOfControls});
    IF EXISTS (SELECT FROM disowned_keys WHERE fingerprint = NEW.credential)
        AND (SELECT e.mode FROM batches b JOIN environments e ON e.id = b.environment_id WHERE b.id = NEW.batch_id) = 'live' THEN
      RAISE EXCEPTION 'this API key is a sandbox key' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER key_is_not_disowned BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION refuse_disowned_key();

  -- Takes back what the rows of a batch have created with a disowned key, under the lock of the batch: they are staged anew, and
  -- get another idempotency key. The verdict names the object, which is there in the other mode. What a person has named as
  -- created stays: it is not known in which mode it was found.
  CREATE FUNCTION disown_created(batch uuid, key text, run uuid, why text, person text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE taken integer;
  BEGIN
    IF NOT EXISTS (SELECT FROM disowned_keys WHERE fingerprint = key) THEN
      RAISE EXCEPTION 'the key % is not disowned', key USING ERRCODE = 'restrict_violation';
    END IF;
    WITH gone AS (
      DELETE FROM created_objects f USING row_states s
      WHERE f.batch_id = batch AND s.batch_id = f.batch_id AND s.row_number = f.row_number
        AND coalesce(f.credential, s.credential) = key AND NOT (s.state = 'created' AND s.code IS NOT DISTINCT FROM 'resolved')
        AND (SELECT mode FROM environments WHERE id = f.environment_id) = 'live'
      RETURNING f.row_number, f.object_id, coalesce(f.attempts, s.attempts) AS attempts,
        coalesce(f.http_status, s.http_status) AS http_status, s.generation, s.code),
    noted AS (
      INSERT INTO verdicts (batch_id, row_number, generation, from_state, from_code, attempts, verdict, object_id, note, decided_by, run_id)
      SELECT batch, row_number, generation, 'created', code, attempts, 'not-created', object_id, why, person, run FROM gone
      ORDER BY row_number)
    UPDATE row_states s SET state = 'staged', generation = s.generation + 1, object_id = NULL, owned_key = NULL, chunk = NULL,
      lease_token = NULL, run_id = NULL, credential = NULL, first_sent_at = NULL, may_exist = false, refused_at = NULL,
      attempts = g.attempts, http_status = g.http_status, code = 'resolved', field = NULL,
      message = 'Its API key was a sandbox key: the next run sends it under a new key.', changed_at = now()
    FROM gone g WHERE s.batch_id = batch AND s.row_number = g.row_number;
    GET DIAGNOSTICS taken = ROW_COUNT;
    RETURN taken;
  END $$;
`;
