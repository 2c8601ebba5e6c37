import type { Knex } from 'knex';

/**
 * What people decided, and what was compared. Both tables only grow: a verdict is never taken back but by a
 * later one, and what a comparison said on its day stays as it was said.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE verdicts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      batch_id uuid NOT NULL,
      row_number integer NOT NULL,
      -- The row as it was when the person decided.
      generation integer NOT NULL,
      from_state text NOT NULL CHECK (from_state IN ('held', 'unknown')),
      from_code text,
      verdict text NOT NULL CHECK (verdict IN ('created', 'not-created', 'existing', 'send')),
      object_id text,
      note text NOT NULL DEFAULT '',
      -- The operating system's user, as far as it tells.
      decided_by text NOT NULL,
      run_id uuid NOT NULL,
      decided_at timestamptz NOT NULL DEFAULT now(),
      FOREIGN KEY (batch_id, row_number) REFERENCES rows,
      CONSTRAINT names_an_object CHECK ((verdict IN ('created', 'existing')) = (object_id IS NOT NULL))
    );
    CREATE INDEX verdicts_of_row ON verdicts (batch_id, row_number);

    CREATE TABLE reconciliations (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      batch_id uuid NOT NULL REFERENCES batches,
      -- What was compared with what: files by name and SHA-256, coverage, tolerances.
      compared jsonb NOT NULL,
      result jsonb NOT NULL,
      made_by text NOT NULL,
      exit_code integer NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX reconciliations_of_batch ON reconciliations (batch_id, made_at);

    CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END $$;
    CREATE TRIGGER verdicts_only_grow BEFORE UPDATE OR DELETE ON verdicts
      FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
    CREATE TRIGGER reconciliations_only_grow BEFORE UPDATE OR DELETE ON reconciliations
      FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE verdicts, reconciliations;
    DROP FUNCTION refuse_rewriting;
  `);
}
