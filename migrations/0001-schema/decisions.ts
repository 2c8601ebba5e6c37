/*
 * What people were shown and have decided: plans, verdicts about rows, comparisons with the other side, and corrections that
 * they prepare cell by cell.
 */

const decided = `
  -- For each hash that a person was shown, the totals beside it, so that it can be said what has changed in a later plan.
  CREATE TABLE plans (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    -- Of what would be sent for the batch, row by row.
    plan_hash text NOT NULL,
    totals jsonb NOT NULL,
    planned_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, plan_hash)
  );

  -- What people decided about rows. Only grows: a verdict is overruled by a later one.
  CREATE TABLE verdicts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    -- With from_state and from_code: the row when the person decided.
    generation integer NOT NULL,
    -- Created and existing are taken back only where the API key was one of another mode, see disowned_keys.
    from_state text NOT NULL CHECK (from_state IN ('held', 'unknown', 'created', 'existing')),
    from_code text,
    -- How many requests of the row it was given about.
    attempts integer NOT NULL CHECK (attempts >= 0),
    -- Which object there is, made for this row or before it; or that the row is to be sent, under a new key.
    verdict text NOT NULL CHECK (verdict IN ('created', 'not-created', 'existing', 'send')),
    -- The object that the person names, or takes back.
    object_id text,
    note text NOT NULL DEFAULT '',
    decided_by text NOT NULL,
    run_id uuid NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    -- A row about which a person has decided is never deleted.
    FOREIGN KEY (batch_id, row_number) REFERENCES row_states,
    -- A person's word that an object is there, without saying which, is no evidence.
    CONSTRAINT names_an_object CHECK ((verdict IN ('created', 'existing') OR from_state IN ('created', 'existing')) = (object_id IS NOT NULL)),
    -- What was created is only taken back, never decided otherwise.
    CONSTRAINT created_is_taken_back CHECK (from_state NOT IN ('created', 'existing') OR verdict = 'not-created')
  );
  CREATE INDEX verdicts_of_row ON verdicts (batch_id, row_number);
  -- Those after which a row is sent, and approvals that were given before do not count.
  CREATE INDEX verdicts_that_send ON verdicts (batch_id, id) WHERE verdict IN ('send', 'not-created');
  -- A decision is never changed later; a new one may overrule it.
  CREATE TRIGGER verdicts_only_grow BEFORE UPDATE OR DELETE ON verdicts
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  -- Comparisons with the other side, as they were made. Only grows.
  CREATE TABLE reconciliations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL REFERENCES batches,
    -- Files by name and SHA-256, coverage, tolerances.
    compared jsonb NOT NULL,
    -- What was found, and how many rows of each finding.
    result jsonb NOT NULL,
    made_by text NOT NULL,
    outcome text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX reconciliations_of_batch ON reconciliations (batch_id, made_at);
  -- What was compared, and what came of it, stays as it was signed off.
  CREATE TRIGGER reconciliations_only_grow BEFORE UPDATE OR DELETE ON reconciliations
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  -- What the newest reconciliation of each batch found, to tell which differences are open. Replaced by the next one, and counted
  -- anew after each decision.
  CREATE TABLE found_differences (
    batch_id uuid NOT NULL REFERENCES batches,
    -- In the ledger and the uploaded file, which each reconciliation reads; or beside an export, which only some have.
    part text NOT NULL CHECK (part IN ('own', 'compared')),
    reconciliation_id bigint NOT NULL REFERENCES reconciliations,
    -- Pairs of a fingerprint and how many differences have it. Rows in doubt are left out: they are found by their states.
    found jsonb NOT NULL CHECK (jsonb_typeof(found) = 'array'),
    -- How many more there are, of which only the number is kept.
    beyond integer NOT NULL CHECK (beyond >= 0),
    -- How many are not accepted, by the person who looks into them.
    open jsonb NOT NULL,
    open_count integer NOT NULL CHECK (open_count >= 0),
    PRIMARY KEY (batch_id, part)
  );
  -- The list of what is to be done reads those that have some, the last ones found first.
  CREATE INDEX found_differences_open ON found_differences (reconciliation_id) WHERE open_count > 0;

  -- What people decided about differences that a comparison found. Only grows: a decision is overruled by a later one.
  CREATE TABLE difference_decisions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL REFERENCES batches,
    decision text NOT NULL CHECK (decision IN ('accepted', 'assigned', 'reopened')),
    -- Who looks into it.
    assigned_to text,
    note text NOT NULL DEFAULT '',
    -- Fingerprint, kind, row and number of each. A fingerprint is a hash of what was seen: with another value on either side it
    -- is another difference, about which nothing is decided.
    differences jsonb NOT NULL CHECK (jsonb_typeof(differences) = 'array' AND jsonb_array_length(differences) > 0),
    -- What was seen of them, for people. JSON as text: cells may hold what PostgreSQL's texts refuse.
    shown text NOT NULL,
    decided_by text NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    -- What is not looked into any more has a reason.
    CONSTRAINT accepted_with_a_note CHECK (decision <> 'accepted' OR btrim(note) <> ''),
    -- It is known who looks into what was given to somebody.
    CONSTRAINT assigned_to_somebody CHECK ((decision = 'assigned') = (btrim(coalesce(assigned_to, '')) <> ''))
  );
  CREATE INDEX difference_decisions_of_batch ON difference_decisions (batch_id, id);
  -- A decision is never changed later; a new one may overrule it.
  CREATE TRIGGER difference_decisions_only_grow BEFORE UPDATE OR DELETE ON difference_decisions
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

  -- For the trigger below.
  CREATE FUNCTION refuse_accepting_doubt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF EXISTS (SELECT FROM jsonb_array_elements(NEW.differences) d JOIN row_states s
        ON s.batch_id = NEW.batch_id AND s.row_number = (d->>'row')::integer WHERE s.state IN ('held', 'unknown')) THEN
      RAISE EXCEPTION 'a row in doubt is decided by a verdict' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  -- Whether the object of a row in doubt exists is never left open by accepting a difference.
  CREATE TRIGGER doubt_is_not_accepted BEFORE INSERT ON difference_decisions FOR EACH ROW
    WHEN (NEW.decision = 'accepted') EXECUTE FUNCTION refuse_accepting_doubt();
`;

const drafts = `
  -- What people have typed in place of a cell. The row and its file stay as they are; a correction batch takes the values over.
  -- Without a foreign key to the row.
  CREATE TABLE draft_edits (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL REFERENCES batches,
    row_number integer NOT NULL,
    -- Of the column in the header of the batch, from 0.
    place integer NOT NULL CHECK (place >= 0),
    -- What the person saw in the cell. With after JSON as text: cells may hold what PostgreSQL's texts refuse.
    before text NOT NULL,
    after text NOT NULL,
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    -- Null while it counts. Every edit is kept.
    ended_as text CHECK (ended_as IN ('replaced', 'discarded', 'planned')),
    ended_by text,
    ended_at timestamptz,
    -- The correction that has taken it over. Without a foreign key: a plan may be staged anew.
    planned_batch uuid,
    -- An edit that does not count any more has the person who ended it, how, and when.
    CONSTRAINT end_is_whole CHECK (num_nulls(ended_as, ended_by, ended_at) IN (0, 3)),
    -- A value is in the correction that it is said to be in.
    CONSTRAINT planned_names_batch CHECK ((ended_as IS NOT DISTINCT FROM 'planned') = (planned_batch IS NOT NULL))
  );
  -- A cell has one edit that counts, even if two people type at the same moment.
  CREATE UNIQUE INDEX one_edit_of_a_cell ON draft_edits (batch_id, row_number, place) WHERE ended_at IS NULL;
  CREATE INDEX draft_edits_of_row ON draft_edits (batch_id, row_number, id);
  -- The edits of one step are shown and undone, however many a draft had before.
  -- The moment is the first column: a server without statistics would look up rows by an index that begins with the batch.
  CREATE INDEX draft_edits_of_step ON draft_edits (made_at, batch_id);
  CREATE INDEX draft_edits_replaced_by_step ON draft_edits (ended_at, batch_id) WHERE ended_as = 'replaced';

  -- For the trigger below.
  CREATE FUNCTION refuse_changed_edit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.ended_at IS NOT NULL OR (NEW.id, NEW.batch_id, NEW.row_number, NEW.place, NEW.before, NEW.after, NEW.made_by, NEW.made_at)
        IS DISTINCT FROM (OLD.id, OLD.batch_id, OLD.row_number, OLD.place, OLD.before, OLD.after, OLD.made_by, OLD.made_at) THEN
      RAISE EXCEPTION 'an edit is ended once, and otherwise never changed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  -- Who has typed what is known for good, of what was given up as well.
  CREATE TRIGGER edits_only_end BEFORE UPDATE ON draft_edits FOR EACH ROW EXECUTE FUNCTION refuse_changed_edit();
  CREATE TRIGGER edits_only_grow BEFORE DELETE ON draft_edits FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
`;

export const decisions = [decided, drafts].join('\n');
