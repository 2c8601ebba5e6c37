/*
 * What a batch needs before its rows are claimed, asked of the policy and of the approvals that count: a trigger refuses the
 * claim of a batch whose policy is not met, whichever program makes it.
 */

import { lockOfControls } from './controls.ts';

const questions = `
  -- Changes whenever a person decides that a row of the batch is sent. Content and reading of a batch never change.
  CREATE FUNCTION content_revision(batch uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(id), 0) FROM verdicts WHERE batch_id = batch AND verdict IN ('send', 'not-created')
  $$;

  -- The greater sum of each currency.
  CREATE FUNCTION greater_sums(one jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(key, amount::text), '{}') FROM (
      SELECT key, max(value::numeric) AS amount
      FROM (SELECT * FROM jsonb_each_text(one) UNION ALL SELECT * FROM jsonb_each_text(other)) each GROUP BY key) greatest
  $$;

  -- The measures of a staged batch, made at the first call, and once more where it is asked for. They never become smaller.
  CREATE FUNCTION measure_batch(batch uuid, anew boolean) RETURNS batch_measures LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE measured batch_measures;
  BEGIN
    SELECT * INTO measured FROM batch_measures WHERE batch_id = batch;
    IF FOUND AND NOT anew THEN RETURN measured; END IF;
    WITH counted AS (
      SELECT record->>'currency' AS currency, count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount,
        (count(*) FILTER (WHERE record->>'currency' IS NULL OR record->>'amount' IS NULL))::int AS bare
      FROM row_states s JOIN row_inputs i USING (batch_id, row_number)
      WHERE s.batch_id = batch AND s.state NOT IN ('invalid', 'duplicate') GROUP BY 1),
    staged AS (
      SELECT key AS currency, sum(value::numeric)::text AS amount
      FROM staged_measures m CROSS JOIN LATERAL jsonb_each_text(m.sums) WHERE m.batch_id = batch GROUP BY 1),
    now AS (
      SELECT greatest((SELECT sum(rows) FROM counted), (SELECT sum(rows) FROM staged_measures WHERE batch_id = batch), 0)::int AS rows,
        greatest((SELECT sum(bare) FROM counted), (SELECT sum(bare) FROM staged_measures WHERE batch_id = batch), 0)::int AS bare,
        greater_sums(
          (SELECT coalesce(jsonb_object_agg(currency, amount) FILTER (WHERE currency IS NOT NULL AND amount IS NOT NULL), '{}') FROM counted),
          (SELECT coalesce(jsonb_object_agg(currency, amount), '{}') FROM staged)) AS sums)
    INSERT INTO batch_measures AS kept (batch_id, rows, sums, bare)
    SELECT id, now.rows, now.sums, now.bare FROM batches, now WHERE id = batch AND staged_at IS NOT NULL
    ON CONFLICT (batch_id) DO UPDATE SET rows = greatest(kept.rows, excluded.rows), sums = greater_sums(kept.sums, excluded.sums),
      bare = greatest(kept.bare, excluded.bare);
    SELECT * INTO measured FROM batch_measures WHERE batch_id = batch;
    RETURN measured;
  END $$;

  -- The rule of the policy in force that asks for approvals of a batch; no line where none does. The batch is measured anew where
  -- a claim asks.
  CREATE FUNCTION approval_rule(batch uuid, anew boolean DEFAULT false) RETURNS SETOF policy_rules LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE rule policy_rules; size batch_measures;
  BEGIN
    SELECT r.* INTO rule FROM batches b
    JOIN environments e ON e.id = b.environment_id
    JOIN policy_rules r ON r.version = policy_in_force() AND r.mode = e.mode AND r.kind = b.kind
    WHERE b.id = batch;
    IF NOT FOUND OR rule.approvers = 0 THEN RETURN; END IF;
    IF rule.from_rows IS NULL AND rule.from_sums = '{}' AND rule.findings = '{}' THEN
      RETURN NEXT rule;
    ELSIF EXISTS (SELECT FROM payee_changes WHERE batch_id = batch AND (code = 'payee_details_changed' OR code = ANY(rule.findings))) THEN
      RETURN NEXT rule;
    ELSIF rule.from_rows IS NOT NULL OR rule.from_sums <> '{}' THEN
      size := measure_batch(batch, anew);
      IF size.batch_id IS NULL OR size.rows >= rule.from_rows OR EXISTS (
          SELECT FROM jsonb_each_text(rule.from_sums) f JOIN jsonb_each_text(size.sums) s USING (key)
          WHERE s.value::numeric >= f.value::numeric)
        -- A sum in one currency says nothing of others, nor of payments whose amount nobody states.
        OR (rule.from_sums <> '{}' AND rule.other_sums = 'approve' AND (
          EXISTS (SELECT FROM jsonb_each_text(size.sums) s WHERE s.value::numeric > 0 AND NOT jsonb_exists(rule.from_sums, s.key))
          OR (rule.kind IN ('recipients', 'collections') AND size.bare > 0))) THEN
        RETURN NEXT rule;
      END IF;
    END IF;
  END $$;

  -- Whether a person had the batch staged, or decided that a row of it is sent.
  CREATE FUNCTION is_maker(batch uuid, person text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT made_by IS NULL OR made_by = person OR EXISTS (SELECT FROM verdicts v
      WHERE v.batch_id = batch AND v.verdict IN ('send', 'not-created') AND v.decided_by = person)
    FROM batches WHERE id = batch
  $$;

  -- Whether a statement names a session at the console of this person.
  CREATE FUNCTION session_of_statement(statement text, person text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT EXISTS (SELECT FROM console_sessions s WHERE s.id::text = statement::jsonb->>'session' AND s.user_name = person)
  $$;

  -- When an approval was given: as it was signed, whatever a table says.
  CREATE FUNCTION signed_at(given approvals) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT least(given.decided_at, ((given.statement)::jsonb->>'at')::timestamptz)
  $$;

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
  CREATE FUNCTION approves_alike(given approvals, other approvals) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT given.rows @> other.rows AND given.changes_hash = other.changes_hash
      AND (given.leaves_root = other.leaves_root OR has_leaves_of(given.proof, other.proof))
  $$;

  -- The approvals of a batch that count now: of active approvers who are not its makers, of this content and policy, in time,
  -- after the last rejection; of those that a console has signed, where the rule takes them, the ones with a session.
  CREATE FUNCTION counted_approvals(batch uuid, rule policy_rules) RETURNS SETOF approvals LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT a.* FROM approvals a
    JOIN users u ON u.name = a.decided_by AND u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
    JOIN user_keys k ON k.id = a.key_id AND k.replaced_at IS NULL
      AND CASE k.kind WHEN 'person' THEN k.user_name = u.name ELSE rule.console AND session_of_statement(a.statement, u.name) END
    WHERE a.batch_id = batch AND a.decision = 'approve' AND a.policy_version = rule.version
      AND a.content_revision = content_revision(batch) AND signed_at(a) > now() - rule.valid_for
      AND a.number > (SELECT coalesce(max(number), 0) FROM approvals WHERE batch_id = batch AND decision = 'reject')
      AND (rule.maker_may_approve OR NOT is_maker(batch, u.name))
  $$;

  -- The approvals of a batch under which rows may be claimed, newest first: enough approvers have approved all of
  -- their rows, with the same content.
  CREATE FUNCTION approvals_in_force(batch uuid, rule policy_rules) RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER AS $$
    WITH counted AS MATERIALIZED (SELECT * FROM counted_approvals(batch, rule))
    SELECT a.id FROM counted a
    WHERE (SELECT count(DISTINCT o.decided_by) FROM counted o WHERE approves_alike(o, a)) >= rule.approvers
    ORDER BY a.number DESC
  $$;
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
  DECLARE rule policy_rules;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${lockOfControls});
    -- Rows that were invalid when the batch was measured count once a run is about to send: at its first claim.
    SELECT * INTO rule FROM approval_rule(NEW.batch_id, NOT EXISTS (
      SELECT FROM claims WHERE batch_id = NEW.batch_id AND run_id = NEW.run_id));
    IF NOT FOUND THEN
      NEW.approval_id := NULL;
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
