/*
 * Stops of everything, by a person: while one is in force no row is claimed, whichever program asks, and runs end by
 * themselves.
 */

import { lockOfControls } from './controls.ts';

const stops = `
  -- Who stopped everything, why, and who lifted that.
  CREATE TABLE halts (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    note text NOT NULL CHECK (btrim(note) <> ''),
    halted_by text NOT NULL,
    halted_at timestamptz NOT NULL DEFAULT now(),
    -- Null while it is in force.
    lifted_at timestamptz,
    -- Who lifted it, or who proposed the policy that did.
    lifted_by text,
    -- A stop that is not lifted names no person who lifted it.
    CONSTRAINT lifting_is_whole CHECK ((lifted_at IS NULL) = (lifted_by IS NULL))
  );
  -- A second stop would have to be lifted too, which a person would not expect.
  CREATE UNIQUE INDEX one_halt_in_force ON halts ((true)) WHERE lifted_at IS NULL;

  -- A claim comes before a stop, or sees it.
  CREATE TRIGGER one_after_the_other BEFORE INSERT OR UPDATE OR DELETE ON halts FOR EACH STATEMENT EXECUTE FUNCTION lock_controls();
  -- That everything was stopped stays to be seen.
  CREATE TRIGGER halts_stay BEFORE DELETE ON halts FOR EACH ROW EXECUTE FUNCTION refuse_deletion();

  -- A stop is lifted once, by a person who may change the policy: where that needs approvals, by a policy that names the stop and is in
  -- force.
  CREATE FUNCTION lift_halt() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.note, NEW.halted_by, NEW.halted_at) IS DISTINCT FROM (OLD.id, OLD.note, OLD.halted_by, OLD.halted_at)
        OR OLD.lifted_at IS NOT NULL OR NEW.lifted_at IS NULL
        OR (approvers_of_controls() > 0 AND NOT EXISTS (SELECT FROM policies
          WHERE in_force_at IS NOT NULL AND (content::jsonb->>'liftsHalt')::int = OLD.id)) THEN
      RAISE EXCEPTION 'this change of a halt is not allowed' USING ERRCODE = 'restrict_violation';
    END IF;
    NEW.lifted_at := now();
    RETURN NEW;
  END $$;
  CREATE TRIGGER halt_is_lifted BEFORE UPDATE ON halts FOR EACH ROW EXECUTE FUNCTION lift_halt();

  -- Lifts the stop that a policy names which comes into force.
  CREATE FUNCTION lift_named_halt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    UPDATE halts SET lifted_at = now(), lifted_by = NEW.proposed_by
    WHERE id = (NEW.content::jsonb->>'liftsHalt')::int AND lifted_at IS NULL;
    RETURN NULL;
  END $$;
  CREATE TRIGGER named_halt_is_lifted AFTER INSERT OR UPDATE ON policies FOR EACH ROW
    WHEN (NEW.in_force_at IS NOT NULL) EXECUTE FUNCTION lift_named_halt();

  -- No row is claimed while everything is stopped (SQLSTATE PB009).
  CREATE FUNCTION refuse_while_halted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${lockOfControls});
    IF EXISTS (SELECT FROM halts WHERE lifted_at IS NULL) THEN
      RAISE EXCEPTION 'everything is halted' USING ERRCODE = 'PB009', HINT = 'A person who may change the policy lifts it.';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER nothing_is_halted BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION refuse_while_halted();
`;

export const halts = stops;
