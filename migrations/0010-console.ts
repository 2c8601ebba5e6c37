import type { Knex } from 'knex';

/*
 * How people sign in at the console: passwords, the one-time links with which their owners set them, sessions, and tries to
 * sign in. Tokens are known to browsers alone; here are their hashes. What is written here says nothing about what a
 * person may do: that is the role of the user, and the policy.
 */

const tables = `
  CREATE TABLE password_links (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
    user_name text NOT NULL REFERENCES users,
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    valid_until timestamptz NOT NULL,
    used_at timestamptz
  );
  CREATE INDEX links_of_user ON password_links (user_name, number);
  COMMENT ON TABLE password_links IS 'One-time links with which people set their password. The newest of a user counts, once.';
  COMMENT ON COLUMN password_links.token_hash IS 'SHA-256 of the token in the link, in hex.';

  CREATE TABLE user_passwords (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_name text NOT NULL REFERENCES users,
    link_id uuid NOT NULL UNIQUE REFERENCES password_links,
    hash bytea NOT NULL CHECK (length(hash) >= 32),
    salt bytea NOT NULL CHECK (length(salt) >= 16),
    cost integer NOT NULL CHECK (cost BETWEEN 2 AND 1048576),
    block_size integer NOT NULL CHECK (block_size BETWEEN 1 AND 32),
    parallelism integer NOT NULL CHECK (parallelism BETWEEN 1 AND 16),
    set_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX passwords_of_user ON user_passwords (user_name, id);
  COMMENT ON TABLE user_passwords IS 'Passwords of users, as scrypt has made them (RFC 7914). The newest of a user counts. Only grows.';

  CREATE TABLE console_sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
    user_name text NOT NULL REFERENCES users,
    password_id bigint NOT NULL REFERENCES user_passwords,
    address text NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
  );
  CREATE INDEX open_sessions ON console_sessions (user_name) WHERE ended_at IS NULL;
  COMMENT ON TABLE console_sessions IS 'Who is signed in at the console. A session ends with the password and the rights of its user.';
  COMMENT ON COLUMN console_sessions.token_hash IS 'SHA-256 of the token in the cookie, in hex.';
  COMMENT ON COLUMN console_sessions.ended_at IS 'Null until somebody ended it. Time ends it as well, and writes nothing here.';

  CREATE TABLE sign_in_tries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name_hash text NOT NULL CHECK (name_hash ~ '^[0-9a-f]{64}$'),
    user_name text REFERENCES users,
    address text NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT now(),
    outcome text CHECK (outcome IN ('succeeded', 'failed'))
  );
  CREATE INDEX tries_by_name ON sign_in_tries (name_hash, tried_at);
  CREATE INDEX tries_by_address ON sign_in_tries (address, tried_at);
  CREATE INDEX tries_by_age ON sign_in_tries (tried_at);
  COMMENT ON TABLE sign_in_tries IS 'Tries to sign in, for the limits by name and by address. Those of more than a day ago are deleted.';
  COMMENT ON COLUMN sign_in_tries.name_hash IS 'SHA-256 of the name that was typed, in hex: it may be a password in the wrong place.';
  COMMENT ON COLUMN sign_in_tries.user_name IS 'Null where there is no user of that name.';
  COMMENT ON COLUMN sign_in_tries.outcome IS 'Null while the password is being checked, which counts as a failure.';
`;

/** Names this program's lock of tries to sign in among the advisory locks of the database. */
export const lockOfSignIn = 7_249_116_231;

const guards = `
  CREATE TRIGGER passwords_only_grow BEFORE UPDATE OR DELETE ON user_passwords FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
  CREATE TRIGGER links_stay BEFORE DELETE ON password_links FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
  CREATE TRIGGER sessions_stay BEFORE DELETE ON console_sessions FOR EACH ROW EXECUTE FUNCTION refuse_deletion();

  CREATE FUNCTION change_link() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.token_hash, NEW.user_name, NEW.made_by, NEW.made_at, NEW.valid_until)
        IS DISTINCT FROM (OLD.id, OLD.token_hash, OLD.user_name, OLD.made_by, OLD.made_at, OLD.valid_until)
        OR OLD.used_at IS NOT NULL THEN
      RAISE EXCEPTION 'this change of a link is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER link_is_changed BEFORE UPDATE ON password_links FOR EACH ROW EXECUTE FUNCTION change_link();

  CREATE FUNCTION usable_link(asked text) RETURNS SETOF password_links LANGUAGE sql STABLE AS $$
    SELECT l.* FROM password_links l JOIN users u ON u.name = l.user_name AND u.locked_at IS NULL
    WHERE l.token_hash = asked AND l.used_at IS NULL AND l.valid_until > now()
      AND l.number = (SELECT max(number) FROM password_links WHERE user_name = l.user_name)
  $$;
  COMMENT ON FUNCTION usable_link(text) IS 'The link of a hashed token, if it is the newest of a user who is not locked, in time, and was not used.';

  CREATE FUNCTION use_link() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    NEW.set_at := now();
    UPDATE password_links SET used_at = now()
    WHERE id = NEW.link_id AND user_name = NEW.user_name
      AND id IN (SELECT u.id FROM password_links l CROSS JOIN LATERAL usable_link(l.token_hash) u WHERE l.id = NEW.link_id);
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a password is set with a link that can be used' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'link_can_be_used';
    END IF;
    RETURN NEW;
  END $$;
  COMMENT ON FUNCTION use_link() IS 'A password is set with a link of its owner, which is used up by it.';
  CREATE TRIGGER link_is_used BEFORE INSERT ON user_passwords FOR EACH ROW EXECUTE FUNCTION use_link();

  CREATE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    UPDATE console_sessions SET ended_at = now() WHERE ended_at IS NULL
      AND user_name = CASE TG_TABLE_NAME WHEN 'users' THEN to_jsonb(NEW)->>'name' ELSE to_jsonb(NEW)->>'user_name' END;
    RETURN NULL;
  END $$;
  COMMENT ON FUNCTION end_sessions() IS 'Sessions of a user end at once who is locked, or has a new password.';
  CREATE TRIGGER sessions_end AFTER UPDATE OF locked_at ON users FOR EACH ROW
    WHEN (NEW.locked_at IS NOT NULL AND OLD.locked_at IS NULL) EXECUTE FUNCTION end_sessions();
  CREATE TRIGGER sessions_end AFTER INSERT ON user_passwords FOR EACH ROW EXECUTE FUNCTION end_sessions();

  CREATE FUNCTION change_session() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.token_hash, NEW.user_name, NEW.password_id, NEW.address, NEW.began_at)
        IS DISTINCT FROM (OLD.id, OLD.token_hash, OLD.user_name, OLD.password_id, OLD.address, OLD.began_at)
        OR (OLD.ended_at IS NOT NULL AND NEW.ended_at IS DISTINCT FROM OLD.ended_at) THEN
      RAISE EXCEPTION 'this change of a session is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER session_is_changed BEFORE UPDATE ON console_sessions FOR EACH ROW EXECUTE FUNCTION change_session();

  CREATE FUNCTION begin_session() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.began_at := now();
    NEW.seen_at := now();
    NEW.ended_at := NULL;
    IF NOT EXISTS (SELECT FROM users WHERE name = NEW.user_name AND locked_at IS NULL)
        OR NEW.password_id IS DISTINCT FROM (SELECT max(id) FROM user_passwords WHERE user_name = NEW.user_name) THEN
      RAISE EXCEPTION 'this session cannot begin' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'session_can_begin';
    END IF;
    RETURN NEW;
  END $$;
  COMMENT ON FUNCTION begin_session() IS 'A session begins with the present password of a user who is not locked.';
  CREATE TRIGGER session_begins BEFORE INSERT ON console_sessions FOR EACH ROW EXECUTE FUNCTION begin_session();
`;

const trail = `
  CREATE FUNCTION audit_link_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NEW.made_by, NULL, 'link.made', jsonb_build_object('user', NEW.user_name, 'link', NEW.id));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON password_links FOR EACH ROW EXECUTE FUNCTION audit_link_made();

  CREATE FUNCTION audit_password() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NEW.user_name, NULL, 'password.set', jsonb_build_object('user', NEW.user_name, 'link', NEW.link_id));
    RETURN NULL;
  END $$;
  CREATE TRIGGER added_to_trail AFTER INSERT ON user_passwords FOR EACH ROW EXECUTE FUNCTION audit_password();

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

  CREATE FUNCTION audit_refused_sign_in() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM audit_note('controls', NULL, NULL, 'sign_in.refused', jsonb_build_object('user', NEW.user_name));
    RETURN NULL;
  END $$;
  COMMENT ON FUNCTION audit_refused_sign_in() IS 'Only of users: what else was typed may be a password, and strangers could fill the trail.';
  CREATE TRIGGER added_to_trail AFTER UPDATE OF outcome ON sign_in_tries FOR EACH ROW
    WHEN (NEW.outcome = 'failed' AND NEW.user_name IS NOT NULL) EXECUTE FUNCTION audit_refused_sign_in();
`;

/** The functions of this migration, in the order in which they can be dropped. */
const functions = [
  'audit_refused_sign_in',
  'audit_session',
  'audit_password',
  'audit_link_made',
  'begin_session',
  'change_session',
  'end_sessions',
  'use_link',
  'usable_link',
  'change_link',
];

const pinned = `
  -- The functions find the ledger's own tables, whatever temporary tables or search path a session has.
  DO $$
  DECLARE own regprocedure;
  BEGIN
    FOR own IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND p.proname = ANY('{${functions.join(',')}}') LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own, current_schema());
    END LOOP;
  END $$;
`;

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = [tables, guards, trail, pinned].join('\n');

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER sessions_end ON users;
    DROP TABLE sign_in_tries, console_sessions, user_passwords, password_links CASCADE;
    DROP FUNCTION IF EXISTS ${functions.join(', ')} CASCADE;
  `);
}
