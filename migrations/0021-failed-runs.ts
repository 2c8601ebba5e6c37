import type { Knex } from 'knex';

/*
 * A call that fails before it has a batch leaves no run: its file is refused, its batch is given up, or its key is refused.
 * Who looks in the morning has to find it all the same. One line stands for one matter, however often a nightly job
 * repeats it.
 */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  CREATE TABLE failed_runs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    target text NOT NULL,
    subject text NOT NULL,
    file text,
    command text NOT NULL,
    outcome text NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    remedies jsonb NOT NULL,
    started_by text NOT NULL,
    door text NOT NULL,
    owner_host text NOT NULL,
    first_at timestamptz NOT NULL DEFAULT now(),
    last_at timestamptz NOT NULL DEFAULT now(),
    times integer NOT NULL DEFAULT 1 CHECK (times > 0),
    UNIQUE (target, subject)
  );
  COMMENT ON TABLE failed_runs IS 'Runs that failed without a batch to tell it, and that no later run has made good. A line is removed once one has.';
  COMMENT ON COLUMN failed_runs.target IS 'Mode and address of the API as the settings named them: what fails there may be that they name none.';
  COMMENT ON COLUMN failed_runs.subject IS 'What failed: a file by its path, or what a run as a whole failed with.';
  COMMENT ON COLUMN failed_runs.file IS 'Path of the file that was refused; null where the run failed as a whole.';
  COMMENT ON COLUMN failed_runs.first_at IS 'Since when it has failed again and again; the other columns tell of the last time.';
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE failed_runs');
}
