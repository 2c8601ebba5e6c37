/*
 * Which ledger this is, and whether its policy was lost: an empty database in the place of the ledger has neither a name that
 * anybody knows nor a policy, and a ledger that was rebuilt from run logs has no policy either. And which API keys it knows.
 */

const name = `
  -- The name of this ledger, which deployments state beside the API key. It is given when it is first asked for, so that ledgers
  -- made from one template differ.
  CREATE TABLE ledger_identity (
    -- A ledger has one name.
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    id uuid NOT NULL DEFAULT gen_random_uuid()
  );
  -- No ledger takes the name of another one.
  CREATE TRIGGER identity_stays BEFORE UPDATE OR DELETE ON ledger_identity FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  -- The name of this ledger, for everyone who may use it.
  CREATE FUNCTION name_of_ledger() RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM ledger_identity) THEN
      INSERT INTO ledger_identity DEFAULT VALUES ON CONFLICT DO NOTHING;
    END IF;
    RETURN (SELECT id FROM ledger_identity);
  END $$;
`;

const lostPolicy = `
  -- That a person let live rows leave although batches were recovered into this ledger and no policy is in force. Only grows.
  CREATE TABLE policy_waivers (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    note text NOT NULL CHECK (btrim(note) <> ''),
    waived_by text NOT NULL,
    waived_at timestamptz NOT NULL DEFAULT now()
  );
  -- Who has waived what stays to be seen.
  CREATE TRIGGER waivers_only_grow BEFORE UPDATE OR DELETE ON policy_waivers FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  -- A waiver holds for what was recovered before it, not for what is recovered later.
  CREATE FUNCTION stamp_waiver() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.waived_at := now();
    RETURN NEW;
  END $$;
  CREATE TRIGGER waiver_is_stamped BEFORE INSERT ON policy_waivers FOR EACH ROW EXECUTE FUNCTION stamp_waiver();

  -- The recoveries of a ledger, which are few among its runs.
  CREATE INDEX runs_recovering ON runs (batch_id) WHERE command = 'recover';

  -- Whether live batches were recovered into a ledger without a policy. Run logs do not say whether one was in force when they were
  -- written, so a person has to.
  CREATE FUNCTION is_policy_lost() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN policy_in_force() IS NULL AND EXISTS (
      SELECT FROM runs r JOIN batches b ON b.id = r.batch_id JOIN environments e ON e.id = b.environment_id
      WHERE r.command = 'recover' AND e.mode = 'live'
        AND r.started_at > coalesce((SELECT max(waived_at) FROM policy_waivers), '-infinity'));
  END $$;

  -- No live row is claimed while the policy is lost (SQLSTATE PB010).
  CREATE FUNCTION refuse_without_policy() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF is_policy_lost() AND (SELECT e.mode FROM batches b JOIN environments e ON e.id = b.environment_id WHERE b.id = NEW.batch_id) = 'live' THEN
      RAISE EXCEPTION 'the policy of this ledger is lost' USING ERRCODE = 'PB010', HINT = 'Set the policy again, or waive it with a note.';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER policy_is_not_lost BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION refuse_without_policy();
`;

const acceptedKeys = `
  -- Notes that the API has accepted a key in the environment of a batch: the first mode stays. Without an answer to a request of
  -- the batch that was claimed under the key nothing is noted, so that no program only says so.
  CREATE FUNCTION note_credential(batch uuid, key text, is_compared boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM claims l JOIN attempts a ON a.batch_id = l.batch_id AND a.run_id = l.run_id
        WHERE l.batch_id = batch AND l.credential = key AND a.outcome IN ('created', 'refused', 'conflict')) THEN
      RETURN;
    END IF;
    INSERT INTO credentials (fingerprint, mode, first_import)
    SELECT key, e.mode, CASE WHEN NOT is_compared THEN b.import_id END
    FROM batches b JOIN environments e ON e.id = b.environment_id WHERE b.id = batch
    ON CONFLICT DO NOTHING;
    INSERT INTO credential_uses (fingerprint, environment_id) SELECT key, environment_id FROM batches WHERE id = batch
    ON CONFLICT DO NOTHING;
  END $$;
`;

export const identity = [name, lostPolicy, acceptedKeys].join('\n');
