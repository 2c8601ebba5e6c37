/*
 * An audit trail that shows tampering: who did what, in chains of events, each of which holds the hash of the one before
 * it. Triggers write it, so that no program can forget to. An event waits in `audit_inbox` until COMMIT, and only then
 * takes the lock of its chain's head: after every other lock of its transaction, so that it can be part of no deadlock.
 */

import { hashOfStaged } from './rows.ts';

/** SQL of the hash of the claims of a run, in hex: of a line of JSON for each, joined by line breaks; null where it made none. */
export const hashOfClaims = (run: string): string =>
  `(SELECT encode(sha256(convert_to(string_agg(json_build_array(l.batch_id, l.lease_token, l.credential, l.approval_id,
    (extract(epoch FROM l.claimed_at) * 1000000)::bigint)::text, chr(10) ORDER BY l.lease_token), 'UTF8')), 'hex')
    FROM claims l WHERE l.batch_id = ${run}.batch_id AND l.run_id = ${run}.id)`;

/** SQL of the hash of how a batch was read. */
export const hashOfReading = `encode(sha256(convert_to(json_build_array(mapping, rules)::text, 'UTF8')), 'hex')`;

const chains = `
  -- Who did what, in the order in which it was committed. Only grows; no foreign key, since events outlive a batch that is given
  -- up.
  CREATE TABLE audit_events (
    -- The id of a batch, or controls: users, keys and policies.
    chain text NOT NULL,
    -- Counts the events of the chain from 1, without a gap.
    number integer NOT NULL CHECK (number >= 1),
    -- By the database's clock, when the transaction was about to commit.
    happened_at timestamptz NOT NULL,
    -- Who was logged in at the database.
    database_user text NOT NULL,
    -- Who did it, as the program said; the database user where none said so.
    actor text NOT NULL,
    -- The way in: command line, library, console; database where no program said so.
    channel text NOT NULL,
    -- What was done; docs/controls.md has the list.
    event text NOT NULL,
    -- JSON as text, since its bytes are hashed. Nothing personal; of notes not even a hash of their own.
    details text NOT NULL CHECK (jsonb_typeof(details::jsonb) = 'object'),
    -- Of the event before it; of the first one 64 zeros.
    previous_hash text NOT NULL,
    -- SHA-256 in hex of what audit_line gives in UTF-8, previous_hash included.
    hash text NOT NULL,
    -- No event is put between two others.
    PRIMARY KEY (chain, number)
  );

  -- Number and hash of the last event of each chain. Its line is the lock of the chain, taken at COMMIT.
  CREATE TABLE audit_heads (
    chain text PRIMARY KEY,
    number integer NOT NULL,
    hash text NOT NULL
  );

  -- Events of the database transactions under way. Each moves to its chain at COMMIT, so no transaction ever sees another's
  -- lines here.
  CREATE TABLE audit_inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chain text NOT NULL,
    actor text NOT NULL,
    channel text NOT NULL,
    event text NOT NULL,
    details text NOT NULL
  );

  -- What is hashed of an event: one line of JSON, as audit export writes it, without its member hash.
  CREATE FUNCTION audit_line(e audit_events) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format('{"chain":%s,"number":%s,"at":"%s","database_user":%s,"actor":%s,"channel":%s,"event":%s,"details":%s,"previous":"%s"}',
      to_json(e.chain), e.number, to_char(e.happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      to_json(e.database_user), to_json(e.actor), to_json(e.channel), to_json(e.event), e.details, e.previous_hash)
  $$;

  -- Gives an event its place behind the last one of its chain, whatever was said of it.
  CREATE FUNCTION audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE head audit_heads;
  BEGIN
    SELECT * INTO head FROM audit_heads WHERE chain = NEW.chain FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO audit_heads (chain, number, hash) VALUES (NEW.chain, 0, repeat('0', 64)) ON CONFLICT (chain) DO NOTHING;
      SELECT * INTO head FROM audit_heads WHERE chain = NEW.chain FOR UPDATE;
    END IF;
    NEW.number := head.number + 1;
    NEW.previous_hash := head.hash;
    NEW.happened_at := clock_timestamp();
    NEW.database_user := session_user;
    NEW.hash := encode(sha256(convert_to(audit_line(NEW), 'UTF8')), 'hex');
    UPDATE audit_heads SET number = NEW.number, hash = NEW.hash WHERE chain = NEW.chain;
    RETURN NEW;
  END $$;
  CREATE TRIGGER event_is_linked BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION audit_link();

  -- Moves an event from the inbox to its chain.
  CREATE FUNCTION audit_take() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO audit_events (chain, actor, channel, event, details) VALUES (NEW.chain, NEW.actor, NEW.channel, NEW.event, NEW.details);
    DELETE FROM audit_inbox WHERE id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER taken_at_commit AFTER INSERT ON audit_inbox DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION audit_take();

  -- Adds an event with this transaction. Without an actor or a channel, those of the settings paybatch.actor and paybatch.channel count.
  CREATE FUNCTION audit_note(chain text, actor text, channel text, event text, details jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO audit_inbox (chain, actor, channel, event, details)
    VALUES (chain, coalesce(actor, nullif(current_setting('paybatch.actor', true), ''), session_user),
      coalesce(channel, nullif(current_setting('paybatch.channel', true), ''), 'database'), event, jsonb_strip_nulls(details)::text)
  $$;

  -- Events are never changed, removed or emptied by a login that may write them.
  CREATE TRIGGER events_only_grow BEFORE UPDATE OR DELETE ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
  CREATE TRIGGER events_are_never_emptied BEFORE TRUNCATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
  -- A chain goes on behind its last event, one by one: no head goes back to hide events, or jumps over some.
  CREATE TRIGGER heads_stay BEFORE DELETE ON audit_heads FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
  CREATE TRIGGER heads_are_never_emptied BEFORE TRUNCATE ON audit_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_deletion();
  CREATE TRIGGER heads_move_on BEFORE UPDATE ON audit_heads FOR EACH ROW
    WHEN (NEW.chain <> OLD.chain OR NEW.number <> OLD.number + 1) EXECUTE FUNCTION refuse_rewriting();
`;

const ofBatches = `
  -- Runs: their beginning; their end or loss, with a hash of the claims that they have made.
  CREATE FUNCTION audit_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note(NEW.batch_id::text, NEW.started_by, NEW.channel,
      CASE WHEN NEW.ended_at IS NULL THEN 'run.begun' WHEN NEW.outcome IS NULL THEN 'run.lost' ELSE 'run.ended' END,
      jsonb_build_object('run', NEW.id, 'command', NEW.command, 'outcome', NEW.outcome,
        'claims_hash', CASE WHEN NEW.ended_at IS NOT NULL THEN ${hashOfClaims('NEW')} END));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION audit_run();
  CREATE TRIGGER end_added_to_trail AFTER UPDATE OF ended_at ON runs FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION audit_run();

  -- The run that works on a batch, the newest where several do.
  CREATE FUNCTION audit_acting_run(batch uuid) RETURNS runs LANGUAGE sql STABLE AS $$
    SELECT * FROM runs WHERE batch_id = batch AND ended_at IS NULL ORDER BY number DESC LIMIT 1
  $$;

  -- Batches: staged to their end, given up, deleted. The end is added before it: afterwards the runs are gone.
  CREATE FUNCTION audit_batch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE acting runs;
  BEGIN
    IF TG_OP = 'DELETE' THEN
      acting := audit_acting_run(OLD.id);
      PERFORM audit_note(OLD.id::text, acting.started_by, acting.channel,
        CASE WHEN OLD.staged_at IS NULL THEN 'batch.given_up' ELSE 'batch.deleted' END, '{}');
      RETURN OLD;
    END IF;
    acting := audit_acting_run(NEW.id);
    PERFORM audit_note(NEW.id::text, coalesce(NEW.made_by, acting.started_by), acting.channel, 'batch.staged',
      jsonb_build_object('mode', e.mode, 'origin', e.origin, 'kind', NEW.kind, 'rows', NEW.row_count,
        'content_hash', NEW.content_hash, 'reading_hash', NEW.reading_hash, 'made_by', NEW.made_by,
        'file_hash', encode(sha256(convert_to(NEW.file_name, 'UTF8')), 'hex'), 'staged_hash', ${hashOfStaged('NEW.id')}))
    FROM environments e WHERE e.id = NEW.environment_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER UPDATE OF staged_at ON batches FOR EACH ROW
    WHEN (OLD.staged_at IS NULL AND NEW.staged_at IS NOT NULL) EXECUTE FUNCTION audit_batch();
  CREATE TRIGGER end_added_to_trail BEFORE DELETE ON batches FOR EACH ROW EXECUTE FUNCTION audit_batch();

  -- How the file was read: the mapping and the rules, as a hash.
  CREATE FUNCTION audit_reading() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE acting runs := audit_acting_run(NEW.batch_id);
  BEGIN
    PERFORM audit_note(NEW.batch_id::text, acting.started_by, acting.channel, 'reading.saved',
      jsonb_build_object('hash', ${hashOfReading.replace('mapping, rules', 'NEW.mapping, NEW.rules')}));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON batch_readings FOR EACH ROW EXECUTE FUNCTION audit_reading();
  CREATE TRIGGER change_added_to_trail AFTER UPDATE ON batch_readings FOR EACH ROW
    WHEN ((NEW.mapping, NEW.rules) IS DISTINCT FROM (OLD.mapping, OLD.rules)) EXECUTE FUNCTION audit_reading();

  -- That a batch was closed.
  CREATE FUNCTION audit_closing() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE acting runs := audit_acting_run(NEW.id);
  BEGIN
    PERFORM audit_note(NEW.id::text, coalesce(NEW.closed_by, acting.started_by), acting.channel, 'batch.closed', '{}');
    RETURN NULL;
  END $$;
  CREATE TRIGGER closing_added_to_trail AFTER UPDATE OF closed_at ON batches FOR EACH ROW
    WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL) EXECUTE FUNCTION audit_closing();

  -- Plans that a person was shown, with a hash of their totals.
  CREATE FUNCTION audit_plan() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE acting runs := audit_acting_run(NEW.batch_id);
  BEGIN
    PERFORM audit_note(NEW.batch_id::text, acting.started_by, acting.channel, 'plan.saved',
      jsonb_build_object('plan_hash', NEW.plan_hash, 'totals_hash', encode(sha256(convert_to(NEW.totals::text, 'UTF8')), 'hex')));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON plans FOR EACH ROW EXECUTE FUNCTION audit_plan();
  CREATE TRIGGER change_added_to_trail AFTER UPDATE ON plans FOR EACH ROW
    WHEN (NEW.totals IS DISTINCT FROM OLD.totals) EXECUTE FUNCTION audit_plan();
`;

/** SQL of the hash of verdicts `v` that were written by one statement: of a line of JSON for each, joined by line breaks. */
export const hashOfVerdicts = `encode(sha256(convert_to(string_agg(json_build_array(v.id, v.row_number, v.generation,
  v.from_state, v.from_code, v.attempts, v.verdict, v.object_id, v.note, v.decided_by, v.run_id,
  (extract(epoch FROM v.decided_at) * 1000000)::bigint)::text, chr(10) ORDER BY v.id), 'UTF8')), 'hex')`;

/** SQL of the hash of reconciliation `r`. */
export const hashOfReconciliation = `encode(sha256(convert_to(r.compared::text || chr(10) || r.result::text, 'UTF8')), 'hex')`;

/** SQL of the hash of decision `d` about differences. */
export const hashOfDifferenceDecision = `encode(sha256(convert_to(json_build_array(d.assigned_to, d.note, d.differences, d.shown,
  (extract(epoch FROM d.decided_at) * 1000000)::bigint)::text, 'UTF8')), 'hex')`;

const ofDecisions = `
  -- One event for all verdicts of a statement.
  CREATE FUNCTION audit_verdicts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note(v.batch_id::text, v.decided_by, (SELECT channel FROM runs WHERE id = v.run_id), 'verdicts.given',
      jsonb_build_object('run', v.run_id, 'first', min(v.id), 'last', max(v.id), 'rows', count(*), 'verdicts',
        jsonb_build_object('created', nullif(count(*) FILTER (WHERE v.verdict = 'created'), 0),
          'not-created', nullif(count(*) FILTER (WHERE v.verdict = 'not-created'), 0),
          'existing', nullif(count(*) FILTER (WHERE v.verdict = 'existing'), 0),
          'send', nullif(count(*) FILTER (WHERE v.verdict = 'send'), 0)),
        'hash', ${hashOfVerdicts}))
    FROM added v GROUP BY v.batch_id, v.decided_by, v.run_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON verdicts REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION audit_verdicts();

  -- Reconciliations, with a hash of what was compared and found.
  CREATE FUNCTION audit_reconciliation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note(r.batch_id::text, r.made_by, NULL, 'reconciliation.made',
      jsonb_build_object('reconciliation', r.id, 'outcome', r.outcome, 'hash', ${hashOfReconciliation}))
    FROM (SELECT NEW.*) r;
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON reconciliations FOR EACH ROW EXECUTE FUNCTION audit_reconciliation();

  -- Decisions about differences, with a hash of what was decided.
  CREATE FUNCTION audit_difference_decision() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note(d.batch_id::text, d.decided_by, NULL, 'differences.decided',
      jsonb_build_object('id', d.id, 'decision', d.decision, 'differences', jsonb_array_length(d.differences),
        'hash', ${hashOfDifferenceDecision}))
    FROM (SELECT NEW.*) d;
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON difference_decisions FOR EACH ROW
    EXECUTE FUNCTION audit_difference_decision();

  -- Approvals and rejections. The trigger's name comes before that of proposal_is_approved, which acts on it.
  CREATE FUNCTION audit_approval() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    -- What follows from it in this transaction is the approver's doing as well.
    PERFORM set_config('paybatch.actor', NEW.decided_by, true);
    PERFORM audit_note(coalesce(NEW.batch_id::text, 'controls'), NEW.decided_by, NULL,
      NEW.subject || CASE NEW.decision WHEN 'approve' THEN '.approved' ELSE '.rejected' END,
      jsonb_build_object('approval', NEW.id, 'plan_hash', NEW.plan_hash, 'changes_hash', NEW.changes_hash,
        'content_revision', NEW.content_revision, 'proposed_version', NEW.proposed_version, 'proposed_user', NEW.proposed_user,
        'policy', NEW.policy_version, 'key', NEW.key_id, 'signature', encode(NEW.signature, 'hex'),
        'decided_at', (extract(epoch FROM NEW.decided_at) * 1000000)::bigint::text,
        'statement_hash', encode(sha256(convert_to(NEW.statement, 'UTF8')), 'hex')));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION audit_approval();
`;

/** SQL of the hash that names what failed, of failed run `f`: its subject may be the path of a file. */
export const hashOfFailure = (f: string): string =>
  `encode(sha256(convert_to(json_build_array(${f}.target, ${f}.subject)::text, 'UTF8')), 'hex')`;

const ofControls = `
  -- Users: added, active, locked.
  CREATE FUNCTION audit_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      PERFORM audit_note('controls', NEW.added_by, NULL, 'user.added', jsonb_build_object('user', NEW.name, 'role', NEW.role));
    END IF;
    IF NEW.active_at IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.active_at IS NULL) THEN
      PERFORM audit_note('controls', CASE TG_OP WHEN 'INSERT' THEN NEW.added_by END, NULL, 'user.activated',
        jsonb_build_object('user', NEW.name));
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.locked_at IS NOT NULL AND OLD.locked_at IS NULL THEN
      PERFORM audit_note('controls', NEW.locked_by, NULL, 'user.locked', jsonb_build_object('user', NEW.name));
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION audit_user();

  -- Stops of everything: begun, lifted.
  CREATE FUNCTION audit_halt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', coalesce(NEW.lifted_by, NEW.halted_by), NULL,
      CASE WHEN NEW.lifted_at IS NULL THEN 'halt.begun' ELSE 'halt.lifted' END, jsonb_build_object('halt', NEW.id,
        'note_hash', encode(sha256(convert_to(NEW.note, 'UTF8')), 'hex'),
        'at', (extract(epoch FROM coalesce(NEW.lifted_at, NEW.halted_at)) * 1000000)::bigint::text));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT OR UPDATE ON halts FOR EACH ROW EXECUTE FUNCTION audit_halt();

  -- Failed runs that a person has put away. A line is removed once the run was made good, and the event stays.
  CREATE FUNCTION audit_put_away() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NEW.put_away_by, NULL, 'failed_run.put_away', jsonb_build_object('failed_run', NEW.id,
      'code', NEW.code, 'times', NEW.times, 'subject_hash', ${hashOfFailure('NEW')},
      'at', (extract(epoch FROM NEW.put_away_at) * 1000000)::bigint::text));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER UPDATE OF put_away_at ON failed_runs FOR EACH ROW
    WHEN (OLD.put_away_at IS NULL AND NEW.put_away_at IS NOT NULL) EXECUTE FUNCTION audit_put_away();

  -- API keys: the mode in which each was accepted.
  CREATE FUNCTION audit_api_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NULL, NULL, 'api_key.accepted', jsonb_build_object('fingerprint', NEW.fingerprint, 'mode', NEW.mode));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT OR UPDATE OF mode ON credentials FOR EACH ROW EXECUTE FUNCTION audit_api_key();

  -- Where each API key was used, and in which mode.
  CREATE FUNCTION audit_api_key_use() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NULL, NULL, 'api_key.used',
      jsonb_build_object('fingerprint', NEW.fingerprint, 'mode', e.mode, 'origin', e.origin))
    FROM environments e WHERE e.id = NEW.environment_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON credential_uses FOR EACH ROW EXECUTE FUNCTION audit_api_key_use();

  -- Live keys that were sandbox keys in truth.
  CREATE FUNCTION audit_disowned_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NEW.disowned_by, NULL, 'api_key.disowned', jsonb_build_object('fingerprint', NEW.fingerprint,
      'note_hash', encode(sha256(convert_to(NEW.note, 'UTF8')), 'hex')));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON disowned_keys FOR EACH ROW EXECUTE FUNCTION audit_disowned_key();

  -- That live rows may leave without the policy that may have been lost, with the note: it takes the place of approvals.
  CREATE FUNCTION audit_waiver() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NEW.waived_by, NULL, 'policy.waived', jsonb_build_object('waiver', NEW.id, 'note', NEW.note));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON policy_waivers FOR EACH ROW EXECUTE FUNCTION audit_waiver();

  -- Keys: added, replaced.
  CREATE FUNCTION audit_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NULL, NULL, CASE TG_OP WHEN 'INSERT' THEN 'key.added' ELSE 'key.replaced' END,
      jsonb_build_object('user', NEW.user_name, 'key', NEW.id, 'previous', CASE TG_OP WHEN 'INSERT' THEN NEW.previous_key END,
        'kind', CASE NEW.kind WHEN 'server' THEN NEW.kind END));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON user_keys FOR EACH ROW EXECUTE FUNCTION audit_key();
  CREATE TRIGGER change_added_to_trail AFTER UPDATE ON user_keys FOR EACH ROW
    WHEN (OLD.replaced_at IS NULL AND NEW.replaced_at IS NOT NULL) EXECUTE FUNCTION audit_key();

  -- Policies: proposed, in force, restored. The trigger's name comes before that of approvers_are_appointed, which acts on it.
  CREATE FUNCTION audit_policy() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      -- The approvers whom it appoints are the proposer's doing as well.
      PERFORM set_config('paybatch.actor', NEW.proposed_by, true);
      PERFORM audit_note('controls', NEW.proposed_by, NULL, 'policy.proposed', jsonb_build_object('version', NEW.version,
        'content_hash', encode(sha256(convert_to(NEW.content, 'UTF8')), 'hex')));
    END IF;
    IF NEW.in_force_at IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.in_force_at IS NULL) THEN
      PERFORM audit_note('controls', NULL, NULL,
        CASE WHEN NEW.is_restored THEN 'policy.restored' ELSE 'policy.in_force' END, jsonb_build_object('version', NEW.version));
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT OR UPDATE ON policies FOR EACH ROW EXECUTE FUNCTION audit_policy();
`;

const ofConsole = `
  -- Links to set a password with.
  CREATE FUNCTION audit_link_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NEW.made_by, NULL, 'link.made', jsonb_build_object('user', NEW.user_name, 'link', NEW.id));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON password_links FOR EACH ROW EXECUTE FUNCTION audit_link_made();

  -- That a password was set.
  CREATE FUNCTION audit_password() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NEW.user_name, NULL, 'password.set', jsonb_build_object('user', NEW.user_name, 'link', NEW.link_id));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON user_passwords FOR EACH ROW EXECUTE FUNCTION audit_password();

  -- Sessions: begun, ended by somebody.
  CREATE FUNCTION audit_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', CASE TG_OP WHEN 'INSERT' THEN NEW.user_name END, NULL,
      CASE TG_OP WHEN 'INSERT' THEN 'session.begun' ELSE 'session.ended' END,
      jsonb_build_object('user', NEW.user_name, 'session', NEW.id));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON console_sessions FOR EACH ROW EXECUTE FUNCTION audit_session();
  CREATE TRIGGER end_added_to_trail AFTER UPDATE OF ended_at ON console_sessions FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION audit_session();

  -- Wrong passwords, only of users: what else was typed may be a password, and strangers could fill the trail.
  CREATE FUNCTION audit_refused_sign_in() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NULL, NULL, 'sign_in.refused', jsonb_build_object('user', NEW.user_name));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER UPDATE OF outcome ON sign_in_tries FOR EACH ROW
    WHEN (NEW.outcome = 'failed' AND NEW.user_name IS NOT NULL) EXECUTE FUNCTION audit_refused_sign_in();
`;

const beginning = `
  -- The first event: how far the tables went when the trail began. They begin together, so no line is without an event.
  SELECT audit_note('controls', NULL, NULL, 'trail.begun',
    jsonb_build_object('runs', 0, 'verdicts', 0, 'reconciliations', 0, 'approvals', 0));
`;

export const audit = [chains, ofBatches, ofDecisions, ofControls, ofConsole, beginning].join('\n');
