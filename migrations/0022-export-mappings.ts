import type { Knex } from 'knex';

/* How exports of the other side are read is remembered by their header, like the mappings of files to import. */

/** All that this migration does; a change of it makes it another migration, see `index.ts`. */
export const sql = `
  ALTER TABLE remembered_mappings
    ADD COLUMN purpose text NOT NULL DEFAULT 'import' CHECK (purpose IN ('import', 'export')),
    ALTER COLUMN kind DROP NOT NULL,
    ADD CONSTRAINT import_has_its_kind CHECK (purpose = 'export' OR kind IS NOT NULL);
  COMMENT ON COLUMN remembered_mappings.purpose IS 'import: how a file becomes rows. export: how a reconciliation reads a file of the other side, whatever the kind of the batch.';
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM remembered_mappings WHERE purpose = 'export';
    ALTER TABLE remembered_mappings
      DROP CONSTRAINT import_has_its_kind,
      DROP COLUMN purpose,
      ALTER COLUMN kind SET NOT NULL;
  `);
}
