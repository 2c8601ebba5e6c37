/*
 * How people sign in at the console: passwords, the one-time links with which their owners set them, sessions, and tries to
 * sign in. Tokens are known to browsers alone; here are their hashes. What is written here says nothing about what a
 * person may do: that is the role of the user, and the policy.
 */

const passwords = `
  -- One-time links with which people set their password. The newest of a user counts, once.
  CREATE TABLE password_links (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- Which one is the newest.
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    -- SHA-256 of the token in the link, in hex.
    token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
    user_name text NOT NULL REFERENCES users,
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    valid_until timestamptz NOT NULL,
    used_at timestamptz
  );
  CREATE INDEX links_of_user ON password_links (user_name, number);

  -- Passwords of users, as scrypt has made them (RFC 7914). The newest of a user counts. Only grows.
  CREATE TABLE user_passwords (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_name text NOT NULL REFERENCES users,
    -- A link sets one password.
    link_id uuid NOT NULL UNIQUE REFERENCES password_links,
    hash bytea NOT NULL CHECK (length(hash) >= 32),
    salt bytea NOT NULL CHECK (length(salt) >= 16),
    -- What scrypt was asked for. Limited: who signs in has the server compute with it.
    cost integer NOT NULL CHECK (cost BETWEEN 2 AND 1048576),
    block_size integer NOT NULL CHECK (block_size BETWEEN 1 AND 32),
    parallelism integer NOT NULL CHECK (parallelism BETWEEN 1 AND 16),
    set_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX passwords_of_user ON user_passwords (user_name, id);

  -- No earlier password is valid again, and the trace of a link is never removed.
  CREATE TRIGGER passwords_only_grow BEFORE UPDATE OR DELETE ON user_passwords FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
  CREATE TRIGGER links_stay BEFORE DELETE ON password_links FOR EACH ROW EXECUTE FUNCTION refuse_deletion();

  -- A link is used up once, and otherwise never changed: it is not made another person's, or valid for longer.
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

  -- The link of a hashed token, if it is the newest of a user who is not locked, in time, and was not used.
  CREATE FUNCTION usable_link(asked text) RETURNS SETOF password_links LANGUAGE sql STABLE AS $$
    SELECT l.* FROM password_links l JOIN users u ON u.name = l.user_name AND u.locked_at IS NULL
    WHERE l.token_hash = asked AND l.used_at IS NULL AND l.valid_until > now()
      AND l.number = (SELECT max(number) FROM password_links WHERE user_name = l.user_name)
  $$;

  -- A password is set with a link of its owner, which is used up by it.
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
  CREATE TRIGGER link_is_used BEFORE INSERT ON user_passwords FOR EACH ROW EXECUTE FUNCTION use_link();
`;

const sessions = `
  -- Who is signed in at the console. A session ends with the password and the rights of its user.
  CREATE TABLE console_sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- SHA-256 of the token in the cookie, in hex.
    token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
    user_name text NOT NULL REFERENCES users,
    -- With which it began.
    password_id bigint NOT NULL REFERENCES user_passwords,
    -- Whence it was opened.
    address text NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    -- Null until somebody ended it. Time ends it as well, and writes nothing here.
    ended_at timestamptz
  );
  CREATE INDEX open_sessions ON console_sessions (user_name) WHERE ended_at IS NULL;
  -- Where a person has signed in before: wrong passwords from elsewhere do not count there.
  CREATE INDEX sessions_by_address ON console_sessions (user_name, address);

  -- What was signed on a page names its session for good.
  CREATE TRIGGER sessions_stay BEFORE DELETE ON console_sessions FOR EACH ROW EXECUTE FUNCTION refuse_deletion();

  -- A session begins with the present password of a user who is not locked.
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
  CREATE TRIGGER session_begins BEFORE INSERT ON console_sessions FOR EACH ROW EXECUTE FUNCTION begin_session();

  -- A session is not made another person's, or a younger one, and one that was ended does not go on.
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

  -- Sessions of a user end at once who is locked, or has a new password.
  CREATE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    UPDATE console_sessions SET ended_at = now() WHERE ended_at IS NULL
      AND user_name = CASE TG_TABLE_NAME WHEN 'users' THEN to_jsonb(NEW)->>'name' ELSE to_jsonb(NEW)->>'user_name' END;
    RETURN NULL;
  END $$;
  CREATE TRIGGER sessions_end AFTER UPDATE OF locked_at ON users FOR EACH ROW
    WHEN (NEW.locked_at IS NOT NULL AND OLD.locked_at IS NULL) EXECUTE FUNCTION end_sessions();
  CREATE TRIGGER sessions_end AFTER INSERT ON user_passwords FOR EACH ROW EXECUTE FUNCTION end_sessions();
`;

/** Names this program's lock of tries to sign in among the advisory locks of the database. */
export const lockOfSignIn = 7_249_116_231;

const tries = `
  -- Tries to sign in, for the limits by name and by address. Those of more than a day ago are deleted.
  CREATE TABLE sign_in_tries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- SHA-256 of the name that was typed, in hex: it may be a password in the wrong place.
    name_hash text NOT NULL CHECK (name_hash ~ '^[0-9a-f]{64}$'),
    -- Null where there is no user of that name.
    user_name text REFERENCES users,
    address text NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT now(),
    -- Null while the password is being checked, which counts as a failure.
    outcome text CHECK (outcome IN ('succeeded', 'failed'))
  );
  CREATE INDEX tries_by_name ON sign_in_tries (name_hash, tried_at);
  CREATE INDEX tries_by_address ON sign_in_tries (address, tried_at);
  CREATE INDEX tries_by_age ON sign_in_tries (tried_at);
`;

export const consoleAccess = [passwords, sessions, tries].join('\n');
