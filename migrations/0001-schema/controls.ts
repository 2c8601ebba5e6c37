/*
 * Who may act, and what a batch needs before it is sent: people and their keys, policies, and the signed decisions of
 * approvers. What a claim asks of them is in `approvals.ts`.
 */

const people = `
  -- People with a key of their own. A maker prepares batches, an approver approves plans, an admin adds and locks users.
  CREATE TABLE users (
    name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._@-]{0,62}$'),
    role text NOT NULL CHECK (role IN ('maker', 'approver', 'admin')),
    added_by text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    -- Null for an approver whom neither the first policy names nor the approvers in office have approved.
    active_at timestamptz,
    -- A locked user stays locked. Approvals of locked users do not count.
    locked_at timestamptz,
    locked_by text,
    -- A locked user has the name of the person who locked them.
    CONSTRAINT lock_is_whole CHECK ((locked_at IS NULL) = (locked_by IS NULL))
  );

  -- Public Ed25519 keys (DER, SPKI). A replaced key verifies no approval any more.
  CREATE TABLE user_keys (
    -- SHA-256 of the public key, in hex.
    id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'),
    -- Null for the key of a console.
    user_name text REFERENCES users,
    public_key bytea NOT NULL,
    previous_key text REFERENCES user_keys,
    -- The signature of the previous key over this one, so that no other person can replace a key.
    endorsement bytea,
    since timestamptz NOT NULL DEFAULT now(),
    replaced_at timestamptz,
    -- Of a person, or of a console, which signs for people who have signed in there.
    kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'server')),
    -- A key is replaced only by the person who has it.
    CONSTRAINT endorsed_by_the_previous CHECK ((previous_key IS NULL) = (endorsement IS NULL)),
    -- A signed statement that names a key names these very bytes.
    CONSTRAINT id_is_hash CHECK (id = encode(sha256(public_key), 'hex')),
    -- What a console has signed is never taken for the signature of the person whose key it was.
    CONSTRAINT server_key_is_nobodys CHECK ((kind = 'server') = (user_name IS NULL)),
    CONSTRAINT server_key_replaces_none CHECK (kind = 'person' OR previous_key IS NULL)
  );
  -- A person has one key at a time, and began with one: a second chain of keys would be a second person.
  CREATE UNIQUE INDEX one_present_key ON user_keys (user_name) WHERE replaced_at IS NULL;
  CREATE UNIQUE INDEX one_first_key ON user_keys (user_name) WHERE previous_key IS NULL;
`;

const policies = `
  -- What a batch needs before it is sent. The greatest version that was put into force counts. Only grows.
  CREATE TABLE policies (
    version integer PRIMARY KEY CHECK (version >= 1),
    -- Canonical JSON with all defaults filled in: its bytes are what approvers sign.
    content text NOT NULL,
    proposed_by text NOT NULL,
    proposed_at timestamptz NOT NULL DEFAULT now(),
    -- Null until those have approved it whom the policy before it asks for.
    in_force_at timestamptz,
    -- Put into force by the owner of the database, because no approver was left.
    is_restored boolean NOT NULL DEFAULT false
  );

  -- The rules of each policy, one for a mode and kind.
  CREATE VIEW policy_rules AS
  SELECT p.version, rule->>'mode' AS mode, kind, (rule->>'approvers')::int AS approvers,
    (rule->>'fromRows')::int AS from_rows, rule->'fromSum' AS from_sums,
    coalesce(rule->>'otherSums', 'approve') AS other_sums,
    (rule->'perDay'->>'fromRows')::int AS day_rows, coalesce(rule->'perDay'->'fromSum', '{}') AS day_sums,
    ARRAY(SELECT jsonb_array_elements_text(rule->'findings')) AS findings,
    (rule->>'validForInMs')::bigint * interval '1 millisecond' AS valid_for,
    (rule->>'makerMayApprove')::boolean AS maker_may_approve, (rule->>'console')::boolean AS console
  FROM policies p
  CROSS JOIN LATERAL jsonb_array_elements(p.content::jsonb->'rules') AS rule
  CROSS JOIN LATERAL jsonb_array_elements_text(rule->'kinds') AS kind;
`;

const statements = `
  -- Signed decisions of approvers about a batch's plan, a proposed policy or a proposed user. Only grows.
  CREATE TABLE approvals (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- In which order they were given: a rejection takes away what was approved before it.
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    -- The signed bytes: canonical JSON. The generated columns are parts of it. One statement counts once.
    statement text NOT NULL UNIQUE,
    -- PostgreSQL cannot check it: each run does, before it claims rows.
    signature bytea NOT NULL,
    -- The rows of the approved plan. They may leave it; others never join it.
    rows int4multirange,
    -- Of each chunk of plan_leaves of that plan: its first row, and its hash. A row is sent as it stood when this was signed.
    proof bytea,
    -- Over the proof.
    leaves_root text GENERATED ALWAYS AS ((statement::jsonb)->>'leavesRoot') STORED,
    decided_at timestamptz NOT NULL DEFAULT now(),
    subject text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'subject') STORED CHECK (subject IN ('batch', 'policy', 'user')),
    decision text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'decision') STORED CHECK (decision IN ('approve', 'reject')),
    batch_id uuid GENERATED ALWAYS AS (((statement::jsonb)->>'batch')::uuid) STORED REFERENCES batches,
    plan_hash text GENERATED ALWAYS AS ((statement::jsonb)->>'planHash') STORED,
    -- Of the changed payees that were shown.
    changes_hash text GENERATED ALWAYS AS ((statement::jsonb)->>'changesHash') STORED,
    -- The content_revision of the batch when it was looked at.
    content_revision bigint GENERATED ALWAYS AS (((statement::jsonb)->>'contentRevision')::bigint) STORED,
    proposed_version integer GENERATED ALWAYS AS (((statement::jsonb)->>'proposedVersion')::integer) STORED REFERENCES policies,
    proposed_user text GENERATED ALWAYS AS ((statement::jsonb)->>'proposedUser') STORED REFERENCES users,
    -- Under which it was given; under another one it does not count.
    policy_version integer NOT NULL GENERATED ALWAYS AS (((statement::jsonb)->>'policy')::integer) STORED REFERENCES policies,
    decided_by text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'by') STORED REFERENCES users,
    key_id text NOT NULL GENERATED ALWAYS AS ((statement::jsonb)->>'key') STORED REFERENCES user_keys,
    note text NOT NULL GENERATED ALWAYS AS (coalesce((statement::jsonb)->>'note', '')) STORED,
    -- What was signed about one thing approves nothing else.
    CONSTRAINT names_its_subject CHECK (CASE subject WHEN 'batch' THEN batch_id IS NOT NULL AND proposed_version IS NULL AND proposed_user IS NULL
      WHEN 'policy' THEN proposed_version IS NOT NULL AND batch_id IS NULL AND proposed_user IS NULL
      ELSE proposed_user IS NOT NULL AND batch_id IS NULL AND proposed_version IS NULL END),
    -- An approval names the plan that it is for, and its rows.
    CONSTRAINT approved_plan_is_whole CHECK (subject <> 'batch' OR decision <> 'approve'
      OR num_nulls(plan_hash, changes_hash, content_revision, rows, proof, leaves_root) = 0),
    -- The leaves and the rows are those of the signed statement, which has only their hashes.
    CONSTRAINT leaves_are_signed CHECK (proof IS NULL OR encode(sha256(proof), 'hex') = (statement::jsonb)->>'leavesRoot'),
    CONSTRAINT rows_are_signed CHECK (rows IS NULL
      OR encode(sha256(convert_to(rows::text, 'UTF8')), 'hex') = (statement::jsonb)->>'rowsHash')
  );
  CREATE INDEX approvals_of_batch ON approvals (batch_id, number) WHERE batch_id IS NOT NULL;
  -- Who has approved what stays to be seen; what takes it away is a later decision.
  CREATE TRIGGER approvals_only_grow BEFORE UPDATE OR DELETE ON approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  -- The leaves of plans that approvers have signed: for each row its number and a hash of its content, in chunks of neighbouring
  -- rows. Under the hash of their bytes, so plans that are the same there share a chunk.
  CREATE TABLE plan_leaves (
    hash bytea PRIMARY KEY,
    content bytea NOT NULL CHECK (length(content) % 36 = 0),
    -- No leaf is replaced under a root that was signed.
    CONSTRAINT leaves_have_their_hash CHECK (hash = sha256(content))
  );
  -- Hashes cannot be compressed.
  ALTER TABLE plan_leaves ALTER COLUMN content SET STORAGE EXTERNAL;

  -- How large the groups of rows of a batch were when they were staged, in the transaction that staged each: its rows that were
  -- neither invalid nor repeated, and their sums by currency. What becomes of the rows later makes a batch no smaller.
  CREATE TABLE staged_measures (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    first_row integer NOT NULL,
    rows integer NOT NULL CHECK (rows >= 0),
    -- Decimal strings by currency.
    sums jsonb NOT NULL,
    -- Of the rows, those without an amount or a currency.
    bare integer NOT NULL CHECK (bare >= 0),
    PRIMARY KEY (batch_id, first_row)
  );

  -- How large a batch is for the thresholds of a policy: the most that it was when it was staged, at the first look, and whenever a
  -- run made its first claim.
  CREATE TABLE batch_measures (
    batch_id uuid PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
    rows integer NOT NULL,
    -- Decimal strings by currency.
    sums jsonb NOT NULL,
    bare integer NOT NULL
  );

  -- For the trigger below.
  CREATE FUNCTION refuse_another_maker() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'who had a batch staged is written once' USING ERRCODE = 'restrict_violation';
  END $$;
  -- The maker of a batch cannot approve it by naming another maker.
  CREATE TRIGGER maker_stays BEFORE UPDATE OF made_by ON batches FOR EACH ROW
    WHEN (OLD.made_by IS NOT NULL AND NEW.made_by IS DISTINCT FROM OLD.made_by) EXECUTE FUNCTION refuse_another_maker();
`;

/** Names this program's lock of users and policies among the advisory locks of the database. */
export const lockOfControls = 7_249_116_230;

const questions = `
  -- The version of the policy that counts; null where there is none.
  CREATE FUNCTION policy_in_force() RETURNS integer LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN max(version) FROM policies WHERE in_force_at IS NOT NULL;
  END $$;

  -- How many approvers a change of the policy or of the approvers needs: as many as the strictest rule for live batches.
  CREATE FUNCTION approvers_of_controls() RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(approvers), 0) FROM policy_rules WHERE version = policy_in_force() AND mode = 'live'
  $$;

  -- How many approvers have approved a proposed policy or user, and not rejected it since: those of the policy in force, with the
  -- key that they have now. The person who proposed it does not count.
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

  -- Whether the policy in force names the user and is the first one that asks for approvals of live batches, or one that the owner
  -- of the database restored.
  CREATE FUNCTION named_in_first_policy(asked text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM policies p, jsonb_array_elements_text(p.content::jsonb->'approvers') AS named
      WHERE p.version = policy_in_force() AND named = asked
        AND (p.is_restored OR NOT EXISTS (SELECT FROM policies e JOIN policy_rules r USING (version)
          WHERE e.version < p.version AND e.in_force_at IS NOT NULL AND r.mode = 'live' AND r.approvers > 0)))
  $$;

  -- Whether a proposed user may become active.
  CREATE FUNCTION is_approved_user(asked text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT named_in_first_policy(asked)
      OR (policy_in_force() IS NOT NULL AND approvers_of_proposal(NULL, asked) >= approvers_of_controls())
  $$;

  -- How many people can approve anything now.
  CREATE FUNCTION able_approvers() RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT count(*)::int FROM users u JOIN user_keys k ON k.user_name = u.name AND k.replaced_at IS NULL
    WHERE u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
  $$;
`;

const changes = `
  -- Changes of users, keys and policies come one after the other, and never while a claim is being made. Claims share this lock,
  -- and take it after their batch's.
  CREATE FUNCTION lock_controls() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${lockOfControls});
    RETURN NULL;
  END $$;
  CREATE TRIGGER one_after_the_other BEFORE INSERT OR UPDATE OR DELETE ON users FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();
  CREATE TRIGGER one_after_the_other BEFORE INSERT OR UPDATE OR DELETE ON user_keys FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();
  CREATE TRIGGER one_after_the_other BEFORE INSERT OR UPDATE OR DELETE ON policies FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();

  -- For triggers of tables whose lines may change, and are never removed.
  CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'rows of % are never deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
  -- A name, a key or a version that was given once is never given again to somebody or something else.
  CREATE TRIGGER users_stay BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
  CREATE TRIGGER keys_stay BEFORE DELETE ON user_keys FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
  CREATE TRIGGER policies_stay BEFORE DELETE ON policies FOR EACH ROW EXECUTE FUNCTION refuse_deletion();

  -- A new approver is inactive until the first policy names them, or the approvers in office approve them.
  CREATE FUNCTION add_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.added_at := now();
    NEW.locked_at := NULL;
    NEW.locked_by := NULL;
    NEW.active_at := CASE WHEN NEW.role <> 'approver' OR (policy_in_force() IS NOT NULL AND approvers_of_controls() = 0) THEN now() END;
    RETURN NEW;
  END $$;
  CREATE TRIGGER user_is_added BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add_user();

  -- No user gets another role, is unlocked, or is made active without the approvals for it.
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

  -- A key is replaced once, and otherwise never changed: a signature can be verified for good.
  CREATE FUNCTION change_key() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.user_name, NEW.public_key, NEW.previous_key, NEW.endorsement, NEW.since, NEW.kind)
        IS DISTINCT FROM (OLD.id, OLD.user_name, OLD.public_key, OLD.previous_key, OLD.endorsement, OLD.since, OLD.kind)
        OR OLD.replaced_at IS NOT NULL THEN
      RAISE EXCEPTION 'this change of a key is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER key_is_changed BEFORE UPDATE ON user_keys FOR EACH ROW EXECUTE FUNCTION change_key();

  -- A policy is in force at once where none asks for approvals, and where its owner restores one because no approver is left.
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
  CREATE TRIGGER policy_is_proposed BEFORE INSERT ON policies FOR EACH ROW EXECUTE FUNCTION propose_policy();

  -- A proposed policy is put into force with the approvals for it, while it is newer than the one in force; nothing else of it
  -- ever changes.
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

  -- Makes the approvers active whom the first policy names. Refuses a policy that has too few approvers.
  CREATE FUNCTION appoint_named() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    UPDATE users SET active_at = now() WHERE role = 'approver' AND active_at IS NULL AND named_in_first_policy(name);
    IF able_approvers() < approvers_of_controls() THEN
      RAISE EXCEPTION 'the policy asks for more approvers than can approve' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'enough_approvers';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER approvers_are_appointed AFTER INSERT OR UPDATE ON policies FOR EACH ROW
    WHEN (NEW.in_force_at IS NOT NULL) EXECUTE FUNCTION appoint_named();

  -- The database says when an approval was given, so that a statement cannot be used again later.
  CREATE FUNCTION stamp_approval() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.decided_at := now();
    IF abs(extract(epoch FROM now() - (NEW.statement::jsonb->>'at')::timestamptz)) > 3600 THEN
      RAISE EXCEPTION 'the statement was not signed within this hour' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signed_in_time';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER approval_is_stamped BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION stamp_approval();
  -- A rejection comes before a claim, which sees it, or after it.
  CREATE TRIGGER under_the_lock AFTER INSERT ON approvals FOR EACH ROW
    WHEN (NEW.batch_id IS NOT NULL AND NEW.batch_id::text IS DISTINCT FROM current_setting('paybatch.locked_batch', true))
    EXECUTE FUNCTION refuse_without_lock();

  -- Puts a policy into force, and makes an approver active, with the last approval that it needs.
  CREATE FUNCTION act_on_proposal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${lockOfControls});
    UPDATE policies SET in_force_at = now() WHERE version = NEW.proposed_version AND in_force_at IS NULL
      AND version > policy_in_force() AND approvers_of_proposal(version, NULL) >= approvers_of_controls();
    UPDATE users SET active_at = now() WHERE name = NEW.proposed_user AND active_at IS NULL AND locked_at IS NULL
      AND approvers_of_proposal(NULL, name) >= approvers_of_controls();
    RETURN NULL;
  END $$;
  CREATE TRIGGER proposal_is_approved AFTER INSERT ON approvals FOR EACH ROW
    WHEN (NEW.batch_id IS NULL AND NEW.decision = 'approve') EXECUTE FUNCTION act_on_proposal();
`;

export const controls = [people, policies, statements, questions, changes].join('\n');
