import type { Knex } from 'knex';

/**
 * Of one original row, its corrections and its other readings at most one is live: its object exists, or may come to.
 *
 * - `corrected_rows` also has the immediately earlier row, with its generation, and a number that grows: of two
 *   corrections of one row the one with the greater number is the later word.
 * - A row of such a family names its origin, which is the row of the first file: corrections from their staging on, the
 *   origin itself from when the first of them is about to count. A row owns its place while it owns its natural key.
 *   The place is 0, and greater only where a person had a row sent besides one that is created.
 * - Ordinary rows have no origin, and no entry in the index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What the file was called that a batch of corrections was read from; file_name is that of its first file.
    ALTER TABLE batches ADD COLUMN given_name text;
    CREATE INDEX batches_by_content ON batches (content_hash);
    -- Of the file that the mapping was agreed to for: for that one, it counts even where it was read before.
    ALTER TABLE remembered_mappings ADD COLUMN content_hash text;

    ALTER TABLE corrected_rows ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY,
      ADD COLUMN earlier_batch_id uuid, ADD COLUMN earlier_row integer, ADD COLUMN earlier_generation integer,
      -- It is no correction that a person made, but another reading of the same content.
      ADD COLUMN is_reading boolean NOT NULL DEFAULT false;
    CREATE INDEX corrected_rows_of_origin ON corrected_rows (first_batch_id, first_row, number);
    DROP INDEX corrected_rows_of_first;

    ALTER TABLE stored_rows ADD COLUMN origin_batch uuid, ADD COLUMN origin_row integer, ADD COLUMN origin_place integer,
      ADD CONSTRAINT origin_is_whole CHECK (num_nulls(origin_batch, origin_row, origin_place) IN (0, 3));
    SELECT set_config('paybatch.locked_batch', 'migration', true);
    -- What is live twice already keeps its place: each of these has one of its own.
    UPDATE stored_rows s SET origin_batch = m.origin_batch, origin_row = m.origin_row, origin_place = m.place
    FROM (
      SELECT s.batch_id, s.row_number, f.origin_batch, f.origin_row,
        CASE WHEN s.owned_key IS NULL THEN 0 ELSE (count(s.owned_key) OVER (
          PARTITION BY f.origin_batch, f.origin_row ORDER BY f.number ROWS UNBOUNDED PRECEDING))::int - 1 END AS place
      FROM (
        SELECT DISTINCT first_batch_id AS batch_id, first_row AS row_number, first_batch_id AS origin_batch,
          first_row AS origin_row, 0::bigint AS number FROM corrected_rows
        UNION ALL
        SELECT batch_id, row_number, first_batch_id, first_row, number FROM corrected_rows) f
      JOIN stored_rows s USING (batch_id, row_number)) m
    WHERE s.batch_id = m.batch_id AND s.row_number = m.row_number;
    SELECT set_config('paybatch.locked_batch', '', true);
    CREATE UNIQUE INDEX rows_own_origin_once ON stored_rows (origin_batch, origin_row, origin_place)
      WHERE owned_key IS NOT NULL AND origin_batch IS NOT NULL;

    -- The index says nothing of an original that does not take part in it.
    CREATE FUNCTION require_origin() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM stored_rows
          WHERE batch_id = NEW.origin_batch AND row_number = NEW.origin_row AND origin_batch IS NULL) THEN
        RAISE EXCEPTION 'a correction is made ready before the row that it corrects is marked'
          USING ERRCODE = 'restrict_violation';
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER origin_is_marked AFTER UPDATE ON stored_rows FOR EACH ROW
      WHEN (NEW.origin_batch IS NOT NULL AND NEW.owned_key IS NOT NULL AND OLD.owned_key IS NULL)
      EXECUTE FUNCTION require_origin();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER origin_is_marked ON stored_rows;
    DROP FUNCTION require_origin;
    ALTER TABLE stored_rows DROP COLUMN origin_batch, DROP COLUMN origin_row, DROP COLUMN origin_place;
    DROP INDEX corrected_rows_of_origin, batches_by_content;
    ALTER TABLE corrected_rows DROP COLUMN number, DROP COLUMN earlier_batch_id, DROP COLUMN earlier_row,
      DROP COLUMN earlier_generation, DROP COLUMN is_reading;
    CREATE INDEX corrected_rows_of_first ON corrected_rows (first_batch_id, batch_id);
    ALTER TABLE batches DROP COLUMN given_name;
    ALTER TABLE remembered_mappings DROP COLUMN content_hash;
  `);
}
