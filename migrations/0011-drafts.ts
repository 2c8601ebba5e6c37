import type { Knex } from 'knex';

/* Corrections that people prepare on pages, cell by cell, before they become a batch of their own. */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  CREATE TABLE draft_edits (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL REFERENCES batches,
    row_number integer NOT NULL,
    place integer NOT NULL CHECK (place >= 0),
    before text NOT NULL,
    after text NOT NULL,
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    ended_as text CHECK (ended_as IN ('replaced', 'discarded', 'planned')),
    ended_by text,
    ended_at timestamptz,
    planned_batch uuid,
    CONSTRAINT end_is_whole CHECK (num_nulls(ended_as, ended_by, ended_at) IN (0, 3)),
    CONSTRAINT planned_names_batch CHECK ((ended_as IS NOT DISTINCT FROM 'planned') = (planned_batch IS NOT NULL))
  );
  CREATE UNIQUE INDEX one_edit_of_a_cell ON draft_edits (batch_id, row_number, place) WHERE ended_at IS NULL;
  CREATE INDEX draft_edits_of_row ON draft_edits (batch_id, row_number, id);
  COMMENT ON TABLE draft_edits IS 'What people have typed in place of a cell. The row and its file stay as they are; a correction batch takes the values over. Without a foreign key to the row.';
  COMMENT ON COLUMN draft_edits.place IS 'Of the column in the header of the batch, from 0.';
  COMMENT ON COLUMN draft_edits.before IS 'What the person saw in the cell. With after JSON as text: cells may hold what PostgreSQL''s texts refuse.';
  COMMENT ON COLUMN draft_edits.ended_as IS 'Null while it counts. Every edit is kept.';
  COMMENT ON COLUMN draft_edits.planned_batch IS 'The correction that has taken it over. Without a foreign key: a plan may be staged anew.';

  CREATE FUNCTION refuse_changed_edit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.ended_at IS NOT NULL OR (NEW.id, NEW.batch_id, NEW.row_number, NEW.place, NEW.before, NEW.after, NEW.made_by, NEW.made_at)
        IS DISTINCT FROM (OLD.id, OLD.batch_id, OLD.row_number, OLD.place, OLD.before, OLD.after, OLD.made_by, OLD.made_at) THEN
      RAISE EXCEPTION 'an edit is ended once, and otherwise never changed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER edits_only_end BEFORE UPDATE ON draft_edits FOR EACH ROW EXECUTE FUNCTION refuse_changed_edit();
  CREATE TRIGGER edits_only_grow BEFORE DELETE ON draft_edits FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE draft_edits;
    DROP FUNCTION refuse_changed_edit;
  `);
}
