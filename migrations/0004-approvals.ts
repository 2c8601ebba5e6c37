import type { Knex } from 'knex';

/*
 * Who may act, what a batch needs before it is sent, and who has approved it. The claim of rows asks all of it: a
 * trigger refuses the claim of a batch whose policy is not met, whichever program makes it.
 */

const people = `
  CREATE TABLE users (
    name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._@-]{0,62}$'),
    role text NOT NULL CHECK (role IN ('maker', 'approver', 'admin')),
    added_by text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    active_at timestamptz,
    locked_at timestamptz,
    locked_by text,
    CONSTRAINT lock_is_whole CHECK ((locked_at IS NULL) = (locked_by IS NULL))
  );
  COMMENT ON TABLE users IS 'People with a key of their own. A maker prepares batches, an approver approves plans, an admin adds and locks users.';
  COMMENT ON COLUMN users.active_at IS 'Null for an approver whom neither the first policy names nor the approvers in office have approved.';
  COMMENT ON COLUMN users.locked_at IS 'A locked user stays locked. Approvals of locked users do not count.';

  CREATE TABLE user_keys (
    id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'),
    user_name text NOT NULL REFERENCES users,
    public_key bytea NOT NULL,
    previous_key text REFERENCES user_keys,
    endorsement bytea,
    since timestamptz NOT NULL DEFAULT now(),
    replaced_at timestamptz,
    CONSTRAINT endorsed_by_the_previous CHECK ((previous_key IS NULL) = (endorsement IS NULL)),
    CONSTRAINT id_is_hash CHECK (id = encode(sha256(public_key), 'hex'))
  );
  CREATE UNIQUE INDEX one_present_key ON user_keys (user_name) WHERE replaced_at IS NULL;
  CREATE UNIQUE INDEX one_first_key ON user_keys (user_name) WHERE previous_key IS NULL;
  COMMENT ON TABLE user_keys IS 'Public Ed25519 keys (DER, SPKI). A replaced key verifies no approval any more.';
  COMMENT ON COLUMN user_keys.id IS 'SHA-256 of the public key, in hex.';
  COMMENT ON COLUMN user_keys.endorsement IS 'The signature of the previous key over this one, so that nobody else can replace a key.';

  CREATE TABLE policies (
    version integer PRIMARY KEY CHECK (version >= 1),
    content text NOT NULL,
    proposed_by text NOT NULL,
    proposed_at timestamptz NOT NULL DEFAULT now(),
    in_force_at timestamptz,
    is_restored boolean NOT NULL DEFAULT false
  );
  COMMENT ON TABLE policies IS 'What a batch needs before it is sent. The greatest version that was put into force counts. Only grows.';
  COMMENT ON COLUMN policies.content IS 'Canonical JSON with all defaults filled in: its bytes are what approvers sign.';
  COMMENT ON COLUMN policies.in_force_at IS 'Null until those have approved it whom the policy before it asks for.';
  COMMENT ON COLUMN policies.is_restored IS 'Put into force by the owner of the database, because nobody was left who could approve.';

  CREATE VIEW policy_rules AS
  SELECT p.version, rule->>'mode' AS mode, kind, (rule->>'approvers')::int AS approvers,
    (rule->>'fromRows')::int AS from_rows, rule->'fromSum' AS from_sums,
    ARRAY(SELECT jsonb_array_elements_text(rule->'findings')) AS findings,
    (rule->>'validForInMs')::bigint * interval '1 millisecond' AS valid_for,
    (rule->>'makerMayApprove')::boolean AS maker_may_approve, (rule->>'console')::boolean AS console
  FROM policies p
  CROSS JOIN LATERAL jsonb_array_elements(p.content::jsonb->'rules') AS rule
  CROSS JOIN LATERAL jsonb_array_elements_text(rule->'kinds') AS kind;
  COMMENT ON VIEW policy_rules IS 'The rules of each policy, one for a mode and kind.';
`;

const words = `
  CREATE TABLE approvals (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    statement text NOT NULL UNIQUE,
    signature bytea NOT NULL,
    rows int4multirange,
    decided_at timestamptz NOT NULL DEFAULT now(),
    subject text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'subject') STORED CHECK (subject IN ('batch', 'policy', 'user')),
    decision text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'decision') STORED CHECK (decision IN ('approve', 'reject')),
    batch_id uuid GENERATED ALWAYS AS (((statement::jsonb)->>'batch')::uuid) STORED REFERENCES batches,
    plan_hash text GENERATED ALWAYS AS ((statement::jsonb)->>'planHash') STORED,
    changes_hash text GENERATED ALWAYS AS ((statement::jsonb)->>'changesHash') STORED,
    content_revision bigint GENERATED ALWAYS AS (((statement::jsonb)->>'contentRevision')::bigint) STORED,
    proposed_version integer GENERATED ALWAYS AS (((statement::jsonb)->>'proposedVersion')::integer) STORED REFERENCES policies,
    proposed_user text GENERATED ALWAYS AS ((statement::jsonb)->>'proposedUser') STORED REFERENCES users,
    policy_version integer NOT NULL GENERATED ALWAYS AS (((statement::jsonb)->>'policy')::integer) STORED REFERENCES policies,
    decided_by text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'by') STORED REFERENCES users,
    key_id text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'key') STORED REFERENCES user_keys,
    note text NOT NULL GENERATED ALWAYS AS (coalesce((statement::jsonb)->>'note', '')) STORED,
    CONSTRAINT names_its_subject CHECK (CASE subject WHEN 'batch' THEN batch_id IS NOT NULL AND proposed_version IS NULL AND proposed_user IS NULL
      WHEN 'policy' THEN proposed_version IS NOT NULL AND batch_id IS NULL AND proposed_user IS NULL
      ELSE proposed_user IS NOT NULL AND batch_id IS NULL AND proposed_version IS NULL END),
    CONSTRAINT approved_plan_is_whole CHECK (subject <> 'batch' OR decision <> 'approve'
      OR num_nulls(plan_hash, changes_hash, content_revision, rows) = 0),
    CONSTRAINT rows_are_signed CHECK (rows IS NULL
      OR encode(sha256(convert_to(rows::text, 'UTF8')), 'hex') = (statement::jsonb)->>'rowsHash')
  );
  CREATE INDEX approvals_of_batch ON approvals (batch_id, number) WHERE batch_id IS NOT NULL;
  COMMENT ON TABLE approvals IS 'Signed decisions of approvers about a batch''s plan, a proposed policy or a proposed user. Only grows.';
  COMMENT ON COLUMN approvals.statement IS 'The signed bytes: canonical JSON. The generated columns are parts of it.';
  COMMENT ON COLUMN approvals.rows IS 'The rows of the approved plan. They may leave it; others never join it.';
  COMMENT ON COLUMN approvals.content_revision IS 'The content_revision of the batch when it was looked at.';
  CREATE TRIGGER approvals_only_grow BEFORE UPDATE OR DELETE ON approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  CREATE TABLE batch_measures (
    batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
    rows integer NOT NULL,
    sums jsonb NOT NULL
  );
  COMMENT ON TABLE batch_measures IS 'How large a batch is for the thresholds of a policy: its rows that are neither invalid nor repeated, and their sums by currency. Made once: rows only leave a batch.';

  ALTER TABLE runs ADD COLUMN started_by text, ADD COLUMN door text;
  COMMENT ON COLUMN runs.started_by IS 'The actor: a user of this ledger who has shown the key, else the user of the operating system.';
  COMMENT ON COLUMN runs.door IS 'The way in: command line, library, console.';
  ALTER TABLE batches ADD COLUMN made_by text;
  COMMENT ON COLUMN batches.made_by IS 'Who had it staged. Null: nobody knows, and nobody who must not be its maker can approve it.';
  CREATE FUNCTION refuse_another_maker() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'who had a batch staged is written once' USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER maker_stays BEFORE UPDATE OF made_by ON batches FOR EACH ROW
    WHEN (OLD.made_by IS NOT NULL AND NEW.made_by IS DISTINCT FROM OLD.made_by) EXECUTE FUNCTION refuse_another_maker();
  ALTER TABLE claims ADD COLUMN approval_id uuid REFERENCES approvals;
  COMMENT ON COLUMN claims.approval_id IS 'The approval under which its rows are sent; null where the policy asks for none.';
  CREATE INDEX verdicts_that_send ON verdicts (batch_id, id) WHERE verdict IN ('send', 'not-created');
`;

/** Names this program's lock of users and policies among the advisory locks of the database. */
const lockOfControls = 7_249_116_230;

const questions = `
  CREATE FUNCTION policy_in_force() RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT max(version) FROM policies WHERE in_force_at IS NOT NULL
  $$;
  COMMENT ON FUNCTION policy_in_force() IS 'The version of the policy that counts; null where there is none.';

  CREATE FUNCTION approvers_of_controls() RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(approvers), 0) FROM policy_rules WHERE version = policy_in_force() AND mode = 'live'
  $$;
  COMMENT ON FUNCTION approvers_of_controls() IS 'How many approvers a change of the policy or of the approvers needs: as many as the strictest rule for live batches.';

  CREATE FUNCTION content_revision(batch uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(id), 0) FROM verdicts WHERE batch_id = batch AND verdict IN ('send', 'not-created')
  $$;
  COMMENT ON FUNCTION content_revision(uuid) IS 'Changes whenever a person decides that a row of the batch is sent. Content and reading of a batch never change.';

  CREATE FUNCTION measure_batch(batch uuid) RETURNS batch_measures LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE measured batch_measures;
  BEGIN
    SELECT * INTO measured FROM batch_measures WHERE batch_id = batch;
    IF FOUND THEN RETURN measured; END IF;
    WITH counted AS (
      SELECT record->>'currency' AS currency, count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount
      FROM row_states s JOIN row_inputs i USING (batch_id, row_number)
      WHERE s.batch_id = batch AND s.state NOT IN ('invalid', 'duplicate') GROUP BY 1)
    INSERT INTO batch_measures (batch_id, rows, sums)
    SELECT id, (SELECT coalesce(sum(rows), 0)::int FROM counted),
      (SELECT coalesce(jsonb_object_agg(currency, amount) FILTER (WHERE currency IS NOT NULL AND amount IS NOT NULL), '{}') FROM counted)
    FROM batches WHERE id = batch AND staged_at IS NOT NULL
    ON CONFLICT (batch_id) DO NOTHING;
    SELECT * INTO measured FROM batch_measures WHERE batch_id = batch;
    RETURN measured;
  END $$;
  COMMENT ON FUNCTION measure_batch(uuid) IS 'The measures of a staged batch, made at the first call.';

  CREATE FUNCTION approval_rule(batch uuid) RETURNS SETOF policy_rules LANGUAGE plpgsql SECURITY DEFINER AS $$
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
      size := measure_batch(batch);
      IF size.batch_id IS NULL OR size.rows >= rule.from_rows OR EXISTS (
          SELECT FROM jsonb_each_text(rule.from_sums) f JOIN jsonb_each_text(size.sums) s USING (key)
          WHERE s.value::numeric >= f.value::numeric) THEN
        RETURN NEXT rule;
      END IF;
    END IF;
  END $$;
  COMMENT ON FUNCTION approval_rule(uuid) IS 'The rule of the policy in force that asks for approvals of a batch; no line where none does.';

  CREATE FUNCTION is_maker(batch uuid, person text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT made_by IS NULL OR made_by = person OR EXISTS (SELECT FROM verdicts v
      WHERE v.batch_id = batch AND v.verdict IN ('send', 'not-created') AND v.decided_by = person)
    FROM batches WHERE id = batch
  $$;
  COMMENT ON FUNCTION is_maker(uuid, text) IS 'Whether a person had the batch staged, or decided that a row of it is sent.';

  CREATE FUNCTION counted_approvals(batch uuid, rule policy_rules) RETURNS SETOF approvals LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT a.* FROM approvals a
    JOIN users u ON u.name = a.decided_by AND u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
    JOIN user_keys k ON k.id = a.key_id AND k.user_name = u.name AND k.replaced_at IS NULL
    WHERE a.batch_id = batch AND a.decision = 'approve' AND a.policy_version = rule.version
      AND a.content_revision = content_revision(batch) AND a.decided_at > now() - rule.valid_for
      AND a.number > (SELECT coalesce(max(number), 0) FROM approvals WHERE batch_id = batch AND decision = 'reject')
      AND (rule.maker_may_approve OR NOT is_maker(batch, u.name))
  $$;
  COMMENT ON FUNCTION counted_approvals(uuid, policy_rules) IS 'The approvals of a batch that count now: of active approvers who are not its makers, of this content and policy, in time, after the last rejection.';

  CREATE FUNCTION approvals_in_force(batch uuid, rule policy_rules) RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER AS $$
    WITH counted AS MATERIALIZED (SELECT * FROM counted_approvals(batch, rule))
    SELECT a.id FROM counted a
    WHERE (SELECT count(DISTINCT o.decided_by) FROM counted o WHERE o.rows @> a.rows AND o.changes_hash = a.changes_hash) >= rule.approvers
    ORDER BY a.number DESC
  $$;
  COMMENT ON FUNCTION approvals_in_force(uuid, policy_rules) IS 'The approvals of a batch under which rows may be claimed, newest first: enough approvers have approved all of their rows.';
`;

const guards = `
  CREATE FUNCTION lock_controls() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${lockOfControls});
    RETURN NULL;
  END $$;
  COMMENT ON FUNCTION lock_controls() IS 'Changes of users, keys and policies come one after the other, and never while a claim is being made. Claims share this lock, and take it after their batch''s.';
  CREATE TRIGGER one_after_the_other BEFORE INSERT OR UPDATE OR DELETE ON users FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();
  CREATE TRIGGER one_after_the_other BEFORE INSERT OR UPDATE OR DELETE ON user_keys FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();
  CREATE TRIGGER one_after_the_other BEFORE INSERT OR UPDATE OR DELETE ON policies FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();

  CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'rows of % are never deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER users_stay BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
  CREATE TRIGGER keys_stay BEFORE DELETE ON user_keys FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
  CREATE TRIGGER policies_stay BEFORE DELETE ON policies FOR EACH ROW EXECUTE FUNCTION refuse_deletion();

  CREATE FUNCTION add_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.added_at := now();
    NEW.locked_at := NULL;
    NEW.locked_by := NULL;
    NEW.active_at := CASE WHEN NEW.role <> 'approver' OR (policy_in_force() IS NOT NULL AND approvers_of_controls() = 0) THEN now() END;
    RETURN NEW;
  END $$;
  COMMENT ON FUNCTION add_user() IS 'A new approver is inactive until the first policy names them, or the approvers in office approve them.';
  CREATE TRIGGER user_is_added BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add_user();

  CREATE FUNCTION change_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.name, NEW.role, NEW.added_by, NEW.added_at) IS DISTINCT FROM (OLD.name, OLD.role, OLD.added_by, OLD.added_at)
        OR (OLD.locked_at IS NOT NULL AND NEW.locked_at IS DISTINCT FROM OLD.locked_at)
        OR (NEW.active_at IS DISTINCT FROM OLD.active_at AND (OLD.active_at IS NOT NULL OR NOT is_approved_user(OLD.name))) THEN
      RAISE EXCEPTION 'this change of a user is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER user_is_changed BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION change_user();

  CREATE FUNCTION change_key() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.user_name, NEW.public_key, NEW.previous_key, NEW.endorsement, NEW.since)
        IS DISTINCT FROM (OLD.id, OLD.user_name, OLD.public_key, OLD.previous_key, OLD.endorsement, OLD.since)
        OR OLD.replaced_at IS NOT NULL THEN
      RAISE EXCEPTION 'this change of a key is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER key_is_changed BEFORE UPDATE ON user_keys FOR EACH ROW EXECUTE FUNCTION change_key();

  -- The approvers of the policy before a proposal who have approved it, and not rejected it since.
  CREATE FUNCTION approvers_of_proposal(version_asked integer, user_asked text) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT count(DISTINCT a.decided_by)::int FROM approvals a
    JOIN users u ON u.name = a.decided_by AND u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
    JOIN user_keys k ON k.id = a.key_id AND k.user_name = u.name AND k.replaced_at IS NULL
    WHERE a.decision = 'approve' AND a.policy_version = policy_in_force()
      AND (a.proposed_version = version_asked OR a.proposed_user = user_asked)
      AND a.number > (SELECT coalesce(max(number), 0) FROM approvals
        WHERE decision = 'reject' AND (proposed_version = version_asked OR proposed_user = user_asked))
      AND a.decided_by <> coalesce((SELECT proposed_by FROM policies WHERE version = version_asked),
        (SELECT added_by FROM users WHERE name = user_asked))
  $$;
  COMMENT ON FUNCTION approvers_of_proposal(integer, text) IS 'How many approvers have approved a proposed policy or user. Whoever proposed it does not count.';

  CREATE FUNCTION named_in_first_policy(asked text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM policies p, jsonb_array_elements_text(p.content::jsonb->'approvers') AS named
      WHERE p.version = policy_in_force() AND named = asked
        AND (p.is_restored OR NOT EXISTS (SELECT FROM policies e JOIN policy_rules r USING (version)
          WHERE e.version < p.version AND e.in_force_at IS NOT NULL AND r.mode = 'live' AND r.approvers > 0)))
  $$;
  COMMENT ON FUNCTION named_in_first_policy(text) IS 'Whether the policy in force names the user and is the first one that asks for approvals of live batches, or one that the owner of the database restored.';

  CREATE FUNCTION is_approved_user(asked text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT named_in_first_policy(asked)
      OR (policy_in_force() IS NOT NULL AND approvers_of_proposal(NULL, asked) >= approvers_of_controls())
  $$;

  CREATE FUNCTION able_approvers() RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT count(*)::int FROM users u JOIN user_keys k ON k.user_name = u.name AND k.replaced_at IS NULL
    WHERE u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
  $$;

  CREATE FUNCTION propose_policy() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.proposed_at := now();
    NEW.version := (SELECT coalesce(max(version), 0) + 1 FROM policies);
    IF NEW.is_restored AND able_approvers() >= approvers_of_controls() THEN
      RAISE EXCEPTION 'there are approvers who can approve a policy' USING ERRCODE = 'restrict_violation';
    END IF;
    NEW.in_force_at := CASE WHEN NEW.is_restored OR approvers_of_controls() = 0 THEN now() END;
    RETURN NEW;
  END $$;
  COMMENT ON FUNCTION propose_policy() IS 'A policy is in force at once where none asks for approvals, and where its owner restores one because nobody can approve.';
  CREATE TRIGGER policy_is_proposed BEFORE INSERT ON policies FOR EACH ROW EXECUTE FUNCTION propose_policy();

  CREATE FUNCTION change_policy() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.version, NEW.content, NEW.proposed_by, NEW.proposed_at, NEW.is_restored)
        IS DISTINCT FROM (OLD.version, OLD.content, OLD.proposed_by, OLD.proposed_at, OLD.is_restored)
        OR OLD.in_force_at IS NOT NULL OR OLD.version < policy_in_force()
        OR approvers_of_proposal(OLD.version, NULL) < approvers_of_controls() THEN
      RAISE EXCEPTION 'this change of a policy is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER policy_is_changed BEFORE UPDATE ON policies FOR EACH ROW EXECUTE FUNCTION change_policy();

  CREATE FUNCTION appoint_named() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    UPDATE users SET active_at = now() WHERE role = 'approver' AND active_at IS NULL AND named_in_first_policy(name);
    IF able_approvers() < approvers_of_controls() THEN
      RAISE EXCEPTION 'the policy asks for more approvers than can approve' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'enough_approvers';
    END IF;
    RETURN NULL;
  END $$;
  COMMENT ON FUNCTION appoint_named() IS 'Makes the approvers active whom the first policy names. Refuses a policy that nobody could meet.';
  CREATE TRIGGER approvers_are_appointed AFTER INSERT OR UPDATE ON policies FOR EACH ROW
    WHEN (NEW.in_force_at IS NOT NULL) EXECUTE FUNCTION appoint_named();

  CREATE FUNCTION stamp_approval() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.decided_at := now();
    IF abs(extract(epoch FROM now() - (NEW.statement::jsonb->>'at')::timestamptz)) > 3600 THEN
      RAISE EXCEPTION 'the statement was not signed within this hour' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signed_in_time';
    END IF;
    RETURN NEW;
  END $$;
  COMMENT ON FUNCTION stamp_approval() IS 'The database says when an approval was given, so that a statement cannot be used again later.';
  CREATE TRIGGER approval_is_stamped BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION stamp_approval();
  CREATE TRIGGER under_the_lock AFTER INSERT ON approvals FOR EACH ROW
    WHEN (NEW.batch_id IS NOT NULL AND NEW.batch_id::text IS DISTINCT FROM current_setting('paybatch.locked_batch', true))
    EXECUTE FUNCTION refuse_without_lock();

  CREATE FUNCTION act_on_proposal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${lockOfControls});
    UPDATE policies SET in_force_at = now() WHERE version = NEW.proposed_version AND in_force_at IS NULL
      AND version > policy_in_force() AND approvers_of_proposal(version, NULL) >= approvers_of_controls();
    UPDATE users SET active_at = now() WHERE name = NEW.proposed_user AND active_at IS NULL AND locked_at IS NULL
      AND approvers_of_proposal(NULL, name) >= approvers_of_controls();
    RETURN NULL;
  END $$;
  COMMENT ON FUNCTION act_on_proposal() IS 'Puts a policy into force, and makes an approver active, with the last approval that it needs.';
  CREATE TRIGGER proposal_is_approved AFTER INSERT ON approvals FOR EACH ROW
    WHEN (NEW.batch_id IS NULL AND NEW.decision = 'approve') EXECUTE FUNCTION act_on_proposal();

  CREATE FUNCTION require_approval() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE rule policy_rules;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${lockOfControls});
    SELECT * INTO rule FROM approval_rule(NEW.batch_id);
    IF NOT FOUND THEN
      NEW.approval_id := NULL;
    ELSIF NEW.approval_id IS NULL OR NEW.approval_id NOT IN (SELECT approvals_in_force(NEW.batch_id, rule)) THEN
      RAISE EXCEPTION 'the policy asks for an approval of batch %', NEW.batch_id
        USING ERRCODE = 'PB008', HINT = 'An approver approves its plan.';
    END IF;
    RETURN NEW;
  END $$;
  COMMENT ON FUNCTION require_approval() IS 'No row of a batch is claimed whose policy is not met (SQLSTATE PB008).';
  CREATE TRIGGER batch_is_approved BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION require_approval();
  CREATE TRIGGER claims_only_grow BEFORE UPDATE ON claims FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

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
  COMMENT ON FUNCTION require_approved_row() IS 'Rows in doubt may be claimed under every approval in force: their request was sent already, under the same key.';

  -- The functions find the ledger's own tables, whatever temporary tables or search path a session has.
  DO $$
  DECLARE own regprocedure;
  BEGIN
    FOR own IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND p.proname = ANY('{FUNCTIONS}') LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own, current_schema());
    END LOOP;
  END $$;
`;

/** The functions of this migration, in the order in which they can be dropped. */
const functions = [
  'require_approved_row',
  'require_approved_chunk',
  'require_approval',
  'act_on_proposal',
  'stamp_approval',
  'appoint_named',
  'change_policy',
  'propose_policy',
  'change_key',
  'change_user',
  'add_user',
  'able_approvers',
  'is_approved_user',
  'named_in_first_policy',
  'approvers_of_proposal',
  'lock_controls',
  'refuse_another_maker',
  'refuse_deletion',
  'approvals_in_force',
  'counted_approvals',
  'is_maker',
  'approval_rule',
  'measure_batch',
  'content_revision',
  'approvers_of_controls',
  'policy_in_force',
];

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = [people, words, questions, guards.replace('FUNCTIONS', functions.join(','))].join('\n');

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER row_is_approved ON row_states;
    DROP TRIGGER rows_are_approved ON send_chunks;
    DROP TRIGGER batch_is_approved ON claims;
    DROP TRIGGER claims_only_grow ON claims;
    ALTER TABLE claims DROP COLUMN approval_id;
    DROP TRIGGER maker_stays ON batches;
    ALTER TABLE batches DROP COLUMN made_by;
    ALTER TABLE runs DROP COLUMN started_by, DROP COLUMN door;
    DROP INDEX verdicts_that_send;
    DROP TABLE approvals, batch_measures CASCADE;
    DROP TABLE user_keys, users, policies CASCADE;
    DROP FUNCTION IF EXISTS ${functions.join(', ')} CASCADE;
  `);
}
