import type { Knex } from 'knex';
import { shortBatchId } from '../../domain/batch.ts';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import type { BatchRecord, StagedRow } from '../../domain/ledger-row.ts';
import type { NormalisedRecord } from '../../domain/record.ts';
import { changeBatch } from '../protocol/batch-lock.ts';
import { holdsItsBatch } from '../protocol/hand-over.ts';
import { type Database, execute, query } from '../query/sql.ts';

/*
 * A batch is staged by the run that holds it, and by no other: what comes late from a run that was taken for lost
 * must neither mix its rows with another's, nor finish or give up what another is staging.
 */

/**
 * Does a step of staging under the batch's lock.
 * @throws Failure (exit 4) when the run was taken for lost, or the batch was staged to its end meanwhile
 */
function whileStaging<Result>(
  database: Knex,
  batchId: string,
  runId: string,
  step: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  const guarded = async (transaction: Database): Promise<Result> => {
    const [found] = await query<{ isUnstaged: boolean }>(
      transaction,
      'SELECT EXISTS (SELECT FROM batches WHERE id = ? AND staged_at IS NULL) AS "isUnstaged"',
      [batchId],
    );
    if (found?.isUnstaged !== true || !(await holdsItsBatch(transaction, runId)))
      throw noLongerStaging(batchId);
    return step(transaction);
  };
  return changeBatch(database, batchId, guarded, () => true);
}

function noLongerStaging(batchId: string): Failure {
  return new Failure(
    exitCodes.stopped,
    'lease_lost',
    `Another run took batch ${shortBatchId(batchId)} over while its file was being read.`,
    'import the file again',
  );
}

/** Empties a batch that was never staged to its end: nothing of it can have been sent. */
export async function emptyUnstaged(database: Knex, id: string, runId: string): Promise<void> {
  await whileStaging(database, id, runId, async (transaction) => {
    await execute(transaction, 'DELETE FROM row_inputs WHERE batch_id = ?', [id]);
    await execute(transaction, 'DELETE FROM stored_rows WHERE batch_id = ?', [id]);
  });
}

/** Writes a group of validated rows under a batch that is being staged, in one transaction. */
export async function stageRows(
  database: Knex,
  batch: BatchRecord,
  runId: string,
  rows: readonly StagedRow[],
): Promise<void> {
  await whileStaging(database, batch.id, runId, async (transaction) => {
    await execute(
      transaction,
      `INSERT INTO row_inputs (batch_id, row_number, cells, record, findings, notes)
       SELECT ?, * FROM unnest(?::int[], ?::text[], ?::jsonb[], ?::text[], ?::text[])`,
      [
        batch.id,
        rows.map((row) => row.row),
        rows.map((row) => JSON.stringify(row.cells)),
        rows.map((row) => JSON.stringify(row.state === 'invalid' ? amountOf(row) : row.record)),
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

/**
 * What is kept of an invalid row's record: only what totals are made of. Without a definition nobody knows how its
 * amount is to be read.
 */
function amountOf({ resource, record }: StagedRow): NormalisedRecord {
  const { amount, currency } = record;
  return resource === null || amount === undefined || currency === undefined ? {} : { amount, currency };
}

/** From so many rows on, the planner has to be told about them: nobody else does on the embedded ledger. */
const rowsWorthAnalysing = 1_000;

/**
 * Marks the batch as staged to its end: from here on it stands, and its rows may be prepared and sent.
 * @param notes what is worth knowing about the file; some of it is known only when its end was read
 * @returns how many rows it has
 */
export async function finishStaging(
  database: Knex,
  id: string,
  runId: string,
  notes: readonly string[],
): Promise<number> {
  const rowCount = await whileStaging(database, id, runId, async (transaction) => {
    const [batch] = await query<{ rowCount: number }>(
      transaction,
      `UPDATE batches SET staged_at = now(), notes = ?,
         row_count = (SELECT count(*)::int FROM stored_rows WHERE batch_id = batches.id)
       WHERE id = ? RETURNING row_count AS "rowCount"`,
      [notes, id],
    );
    return batch?.rowCount ?? 0;
  });
  if (rowCount >= rowsWorthAnalysing) await query(database, 'ANALYZE stored_rows, row_inputs');
  return rowCount;
}

/** Gives up a batch that the run is staging: its file was refused as a whole. One that is another run's stays. */
export async function giveUpBatch(database: Knex, id: string, runId: string): Promise<void> {
  try {
    await whileStaging(database, id, runId, (transaction) =>
      execute(transaction, 'DELETE FROM batches WHERE id = ?', [id]),
    );
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'lease_lost')) throw error;
  }
}
