/*
 * What a batch needs before its rows are claimed, asked of the policy and of the approvals that count: a trigger refuses the
 * claim of a batch whose policy is not met, whichever program makes it.
 */

import { lockOfControls } from './controls.ts';
import { lockOfDays } from './thresholds.ts';

const questions = `
  -- The functions that every claim asks are in PL/pgSQL, which plans a query once in a session, and not at each call.

  -- Changes whenever a person decides that a row of the batch is sent. Content and reading of a batch never change.
  CREATE FUNCTION content_revision(batch uuid) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN coalesce(max(id), 0) FROM verdicts WHERE batch_id = batch AND verdict IN ('send', 'not-created');
  END $$;

  -- Whether a person had the batch staged, or decided that a row of it is sent.
  CREATE FUNCTION is_maker(batch uuid, person text) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
  BEGIN
    RETURN made_by IS NULL OR made_by = person OR EXISTS (SELECT FROM verdicts v
      WHERE v.batch_id = batch AND v.verdict IN ('send', 'not-created') AND v.decided_by = person)
    FROM batches WHERE id = batch;
  END $$;

  -- Whether a statement names a session at the console of this person.
  CREATE FUNCTION session_of_statement(statement text, person text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT EXISTS (SELECT FROM console_sessions s WHERE s.id::text = statement::jsonb->>'session' AND s.user_name = person)
  $$;

  -- When an approval was given: as it was signed, whatever a table says.
  CREATE FUNCTION signed_at(given approvals) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN least(given.decided_at, ((given.statement)::jsonb->>'at')::timestamptz);
  END $$;

  -- The chunks of leaves that a proof names.
  CREATE FUNCTION chunks_of_proof(proof bytea) RETURNS TABLE (first_row integer, hash bytea) LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || encode(substr(proof, at, 4), 'hex'))::bit(32)::integer, substr(proof, at + 4, 32)
    FROM generate_series(1, length(proof) - 35, 36) AS at
  $$;

  -- The leaves of a chunk, each with its row's number; none where the chunk is not stored.
  CREATE FUNCTION leaves_of_chunk(asked bytea) RETURNS SETOF bytea LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT substr(content, at, 36) FROM plan_leaves, generate_series(1, length(content) - 35, 36) AS at WHERE hash = asked
  $$;

  -- Whether every row of a proof has the same leaf in another one. Chunks with the same hash are the same.
  CREATE FUNCTION has_leaves_of(outer_proof bytea, inner_proof bytea) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT NOT EXISTS (
      SELECT FROM (SELECT * FROM chunks_of_proof(inner_proof) EXCEPT SELECT * FROM chunks_of_proof(outer_proof)) c
      WHERE NOT EXISTS (SELECT FROM plan_leaves p WHERE p.hash = c.hash) OR EXISTS (
        SELECT leaves_of_chunk(c.hash) EXCEPT
        SELECT leaves_of_chunk(o.hash) FROM chunks_of_proof(outer_proof) o WHERE o.first_row / 1024 = c.first_row / 1024))
  $$;

  -- Whether an approval counts together with another one: for all rows of that one, each with the same content.
  CREATE FUNCTION approves_alike(given approvals, other approvals) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
  BEGIN
    RETURN given.rows @> other.rows AND given.changes_hash = other.changes_hash
      AND (given.leaves_root = other.leaves_root OR has_leaves_of(given.proof, other.proof));
  END $$;

  -- The approvals of a batch that count now: of active approvers who are not its makers, of this content and policy, in time,
  -- after the last rejection; of those that a console has signed, where the rule takes them, the ones with a session.
  CREATE FUNCTION counted_approvals(batch uuid, rule policy_rules) RETURNS SETOF approvals LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
  BEGIN
    RETURN QUERY SELECT a.* FROM approvals a
    JOIN users u ON u.name = a.decided_by AND u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
    JOIN user_keys k ON k.id = a.key_id AND k.replaced_at IS NULL
      AND CASE k.kind WHEN 'person' THEN k.user_name = u.name ELSE rule.console AND session_of_statement(a.statement, u.name) END
    WHERE a.batch_id = batch AND a.decision = 'approve' AND a.policy_version = rule.version
      AND a.content_revision = content_revision(batch) AND signed_at(a) > now() - rule.valid_for
      AND a.number > (SELECT coalesce(max(number), 0) FROM approvals WHERE batch_id = batch AND decision = 'reject')
      AND (rule.maker_may_approve OR NOT is_maker(batch, u.name));
  END $$;

  -- The approvals of a batch under which rows may be claimed, newest first: enough approvers have approved all of
  -- their rows, with the same content.
  CREATE FUNCTION approvals_in_force(batch uuid, rule policy_rules) RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
  BEGIN
    RETURN QUERY WITH counted AS MATERIALIZED (SELECT * FROM counted_approvals(batch, rule))
    SELECT a.id FROM counted a
    WHERE (SELECT count(DISTINCT o.decided_by) FROM counted o WHERE approves_alike(o, a)) >= rule.approvers
    ORDER BY a.number DESC;
  END $$;
`;

const refusals = `
  -- The server signs for people with an open session, about batches alone, and where the policy in force allows it.
  CREATE FUNCTION require_console_approval() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF (SELECT kind FROM user_keys WHERE id = NEW.key_id) = 'person' THEN RETURN NULL; END IF;
    IF NEW.batch_id IS NULL OR NOT EXISTS (SELECT FROM approval_rule(NEW.batch_id) WHERE console) OR NOT EXISTS (
        SELECT FROM console_sessions s JOIN users u ON u.name = s.user_name AND u.locked_at IS NULL
        WHERE s.id::text = NEW.statement::jsonb->>'session' AND s.user_name = NEW.decided_by AND s.ended_at IS NULL
          AND s.began_at > now() - interval '8 hours') THEN
      RAISE EXCEPTION 'the policy takes no such decision from the console'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'console_may_decide';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER console_may_decide AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION require_console_approval();

  -- No row of a batch is claimed whose policy is not met (SQLSTATE PB008).
  CREATE FUNCTION require_approval() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE rule policy_rules; is_first boolean; reserves boolean;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${lockOfControls});
    is_first := NOT EXISTS (SELECT FROM claims WHERE batch_id = NEW.batch_id AND run_id = NEW.run_id);
    SELECT * INTO rule FROM rule_of_batch(NEW.batch_id);
    reserves := (rule.day_rows IS NOT NULL OR rule.day_sums <> '{}') AND (is_first OR NOT EXISTS (
      SELECT FROM unapproved_days WHERE batch_id = NEW.batch_id AND day = utc_day() AND rows IS NOT NULL));
    -- Of two claims that would reach a day's threshold together, the second one sees the first.
    IF reserves THEN
      PERFORM pg_advisory_xact_lock(${lockOfDays}, environment_id) FROM batches WHERE id = NEW.batch_id;
    END IF;
    -- Rows that were invalid when the batch was measured count once a run is about to send: at its first claim.
    SELECT * INTO rule FROM approval_rule(NEW.batch_id, is_first);
    IF NOT FOUND THEN
      NEW.approval_id := NULL;
      PERFORM count_as_unapproved(NEW.batch_id, reserves);
    ELSIF NEW.approval_id IS NULL OR NEW.approval_id NOT IN (SELECT approvals_in_force(NEW.batch_id, rule)) THEN
      RAISE EXCEPTION 'the policy asks for an approval of batch %', NEW.batch_id
        USING ERRCODE = 'PB008', HINT = 'An approver approves its plan.';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER batch_is_approved BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION require_approval();

  -- No chunk is claimed of which a row has joined since the plan was approved.
  CREATE FUNCTION require_approved_chunk() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE approved int4multirange;
  BEGIN
    SELECT a.rows INTO approved FROM claims c JOIN approvals a ON a.id = c.approval_id
    WHERE c.batch_id = NEW.batch_id AND c.lease_token = NEW.lease_token;
    IF FOUND AND NOT approved @> int4range(NEW.first_row, NEW.last_row, '[]') AND EXISTS (
        SELECT FROM row_states WHERE batch_id = NEW.batch_id AND chunk = NEW.chunk
          AND row_number BETWEEN NEW.first_row AND NEW.last_row AND NOT approved @> row_number) THEN
      RAISE EXCEPTION 'a row that is not in the approved plan of batch % was claimed', NEW.batch_id USING ERRCODE = 'PB008';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER rows_are_approved AFTER UPDATE OF lease_token ON send_chunks FOR EACH ROW
    WHEN (NEW.lease_token IS NOT NULL AND OLD.lease_token IS NULL) EXECUTE FUNCTION require_approved_chunk();

  -- The same of a row that is claimed by itself. Rows in doubt may be claimed under every approval in force: their request was
  -- sent already, under the same key.
  CREATE FUNCTION require_approved_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF EXISTS (SELECT FROM claims c JOIN approvals a ON a.id = c.approval_id
        WHERE c.batch_id = NEW.batch_id AND c.lease_token = NEW.lease_token AND NOT a.rows @> NEW.row_number) THEN
      RAISE EXCEPTION 'a row that is not in the approved plan of batch % was claimed', NEW.batch_id USING ERRCODE = 'PB008';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER row_is_approved AFTER UPDATE OF state ON row_states FOR EACH ROW
    WHEN (NEW.state = 'sending' AND OLD.state = 'ready') EXECUTE FUNCTION require_approved_row();
`;

export const approvals = [questions, refusals].join('\n');
