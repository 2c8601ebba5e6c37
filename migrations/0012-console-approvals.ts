import type { Knex } from 'knex';
import { sql as approvals } from './0004-approvals.ts';
import { sql as audit } from './0005-audit.ts';

/*
 * Approvals that are given on a page of the console: the server signs them with a key of its own, and names the session of
 * the approver. They count where the policy allows it, and nowhere else; all that approvals have to be else, they have to be as well.
 */

const keys = `
  ALTER TABLE user_keys
    ALTER COLUMN user_name DROP NOT NULL,
    ADD COLUMN kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'server')),
    ADD CONSTRAINT server_key_is_nobodys CHECK ((kind = 'server') = (user_name IS NULL)),
    ADD CONSTRAINT server_key_replaces_none CHECK (kind = 'person' OR previous_key IS NULL);
  COMMENT ON COLUMN user_keys.kind IS 'Of a person, or of a console, which signs for people who have signed in there.';
  COMMENT ON COLUMN user_keys.user_name IS 'Null for the key of a console.';

  CREATE OR REPLACE FUNCTION change_key() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.user_name, NEW.public_key, NEW.previous_key, NEW.endorsement, NEW.since, NEW.kind)
        IS DISTINCT FROM (OLD.id, OLD.user_name, OLD.public_key, OLD.previous_key, OLD.endorsement, OLD.since, OLD.kind)
        OR OLD.replaced_at IS NOT NULL THEN
      RAISE EXCEPTION 'this change of a key is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;

  CREATE OR REPLACE FUNCTION audit_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NULL, NULL, CASE TG_OP WHEN 'INSERT' THEN 'key.added' ELSE 'key.replaced' END,
      jsonb_build_object('user', NEW.user_name, 'key', NEW.id, 'previous', CASE TG_OP WHEN 'INSERT' THEN NEW.previous_key END,
        'kind', CASE NEW.kind WHEN 'server' THEN NEW.kind END));
    RETURN NULL;
  END $$;
`;

const counting = `
  CREATE FUNCTION session_of_statement(statement text, person text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT EXISTS (SELECT FROM console_sessions s WHERE s.id::text = statement::jsonb->>'session' AND s.user_name = person)
  $$;
  COMMENT ON FUNCTION session_of_statement(text, text) IS 'Whether a statement names a session at the console of this person.';

  CREATE OR REPLACE FUNCTION counted_approvals(batch uuid, rule policy_rules) RETURNS SETOF approvals LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT a.* FROM approvals a
    JOIN users u ON u.name = a.decided_by AND u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
    JOIN user_keys k ON k.id = a.key_id AND k.replaced_at IS NULL
      AND CASE k.kind WHEN 'person' THEN k.user_name = u.name ELSE rule.console AND session_of_statement(a.statement, u.name) END
    WHERE a.batch_id = batch AND a.decision = 'approve' AND a.policy_version = rule.version
      AND a.content_revision = content_revision(batch) AND a.decided_at > now() - rule.valid_for
      AND a.number > (SELECT coalesce(max(number), 0) FROM approvals WHERE batch_id = batch AND decision = 'reject')
      AND (rule.maker_may_approve OR NOT is_maker(batch, u.name))
  $$;

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
  COMMENT ON FUNCTION require_console_approval() IS 'The server signs for people with an open session, about batches alone, and where the policy in force allows it.';
  CREATE TRIGGER console_may_decide AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION require_console_approval();
`;

const replaced = ['change_key', 'audit_key', 'counted_approvals'];
const functions = ['require_console_approval', 'session_of_statement'];

function pinned(names: readonly string[]): string {
  return `
  -- The functions find the ledger's own tables, whatever temporary tables or search path a session has.
  DO $$
  DECLARE own regprocedure;
  BEGIN
    FOR own IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND p.proname = ANY('{${names.join(',')}}') LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own, current_schema());
    END LOOP;
  END $$;
`;
}

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = [keys, counting, pinned([...replaced, ...functions])].join('\n');

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

/** It fails where a console has signed: what it signed would not be understood. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER console_may_decide ON approvals;
    ${replaced.map((name) => earlier(name)).join('\n')}
    ${pinned(replaced)}
    DROP FUNCTION ${functions.join(', ')};
    ALTER TABLE user_keys DROP COLUMN kind, ALTER COLUMN user_name SET NOT NULL;
  `);
}

/** A function as the migration before made it. */
function earlier(name: string): string {
  for (const text of [approvals, audit]) {
    const begin = text.indexOf(`CREATE FUNCTION ${name}(`);
    if (begin === -1) continue;
    const definition = text.slice(begin, text.indexOf('$$;', begin) + 3);
    return definition.replace('CREATE', 'CREATE OR REPLACE');
  }
  throw new Error(`no migration has made ${name}`);
}
