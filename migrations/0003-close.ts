import type { Knex } from 'knex';

/* An end for a batch that is not to be sent: what was never sent of it stays unsent. */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  ALTER TABLE batches
    ADD COLUMN closed_at timestamptz,
    ADD COLUMN closed_by text,
    ADD COLUMN closed_note text,
    ADD CONSTRAINT closing_is_whole CHECK (num_nulls(closed_by, closed_note) IN (0, 2)
      AND (closed_at IS NOT NULL OR closed_by IS NULL));
  COMMENT ON COLUMN batches.closed_at IS 'Since when no run takes the batch up any more; null while runs may.';
  COMMENT ON COLUMN batches.closed_by IS 'Who closed it; null where only a run log told of it.';
  COMMENT ON COLUMN batches.closed_note IS 'Why, in that person''s words.';

  CREATE FUNCTION refuse_claim_of_closed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT closed_at FROM batches WHERE id = NEW.batch_id) IS NOT NULL THEN
      RAISE EXCEPTION 'rows of a closed batch are not claimed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  COMMENT ON FUNCTION refuse_claim_of_closed() IS 'A row is sent under a claim only, so that nothing of a closed batch leaves, whoever asks for it.';
  CREATE TRIGGER batch_is_open BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION refuse_claim_of_closed();

  CREATE FUNCTION refuse_reopening() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'a closed batch stays closed' USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER closed_stays_closed BEFORE UPDATE OF closed_at ON batches FOR EACH ROW
    WHEN (OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at)
    EXECUTE FUNCTION refuse_reopening();
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER batch_is_open ON claims;
    DROP TRIGGER closed_stays_closed ON batches;
    DROP FUNCTION refuse_claim_of_closed, refuse_reopening;
    ALTER TABLE batches DROP COLUMN closed_at, DROP COLUMN closed_by, DROP COLUMN closed_note;
  `);
}
