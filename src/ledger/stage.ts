import type { Knex } from 'knex';
import type { BatchRecord, StagedRow } from '../domain/ledger-row.ts';
import { execute } from './sql.ts';

/** Writes a group of validated rows under a batch that is being staged, in one transaction. */
export async function stageRows(
  database: Knex,
  batch: BatchRecord,
  rows: readonly StagedRow[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    await execute(
      transaction,
      `INSERT INTO row_inputs (batch_id, row_number, cells, record, findings, notes)
       SELECT ?, * FROM unnest(?::int[], ?::text[], ?::jsonb[], ?::text[], ?::text[])`,
      [
        batch.id,
        rows.map((row) => row.row),
        rows.map((row) => JSON.stringify(row.cells)),
        rows.map((row) => JSON.stringify(row.state === 'invalid' ? {} : row.record)),
        rows.map((row) => JSON.stringify(row.findings)),
        rows.map((row) => JSON.stringify(row.notes)),
      ],
    );
    await execute(
      transaction,
      `INSERT INTO stored_rows (batch_id, environment_id, kind, row_number, resource, state, handle, same_as,
                                object_id, code, field, message)
       SELECT ?, ?, ?, * FROM unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::int[], ?::text[], ?::text[],
                                     ?::text[], ?::text[])`,
      [
        batch.id,
        batch.environmentId,
        batch.kind,
        rows.map((row) => row.row),
        rows.map((row) => row.resource),
        rows.map((row) => row.state),
        rows.map((row) => row.handle),
        rows.map((row) => row.sameAs),
        rows.map((row) => row.objectId),
        rows.map((row) => row.reason?.code ?? null),
        rows.map((row) => row.reason?.field ?? null),
        rows.map((row) => row.reason?.message ?? null),
      ],
    );
  });
}
