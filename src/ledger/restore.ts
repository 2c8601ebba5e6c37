import type { Knex } from 'knex';
import type { Restoration } from '../domain/ledger-row.ts';
import { type Database, execute, stateIs } from './sql.ts';
import { writeReady } from './write-ready.ts';

/**
 * Gives staged rows of a rebuilt batch the requests and ends that its run log tells of: a row that may
 * have been sent is `unknown` under its very key, so that nothing is created twice.
 */
export async function restoreRows(
  database: Knex,
  batchId: string,
  runId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    await writeReady(
      transaction,
      batchId,
      runId,
      restorations.map(({ ready }) => ready),
    );
    await writeEnds(transaction, batchId, restorations);
  });
}

async function writeEnds(
  transaction: Database,
  batchId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  await execute(
    transaction,
    `UPDATE stored_rows r SET portion = NULL, state = e.state, generation = e.generation, object_id = e.object_id, code = e.code,
       message = e.message, field = e.field, first_sent_at = e.first_sent_at, credential = e.credential,
       may_exist = e.state = 'unknown', attempts = e.attempts, http_status = e.http_status,
       owned_key = CASE WHEN e.state = 'rejected' THEN NULL ELSE r.owned_key END, changed_at = now()
     FROM unnest(?::int[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[],
                 ?::text[], ?::int[], ?::int[])
       AS e (row_number, state, generation, object_id, code, message, field, first_sent_at, credential, attempts,
             http_status)
     WHERE r.batch_id = ? AND r.row_number = e.row_number AND ${stateIs('r', 'ready')}`,
    [
      restorations.map(({ ready }) => ready.row),
      restorations.map(({ state }) => state),
      restorations.map(({ ready }) => ready.generation),
      restorations.map(({ objectId }) => objectId),
      restorations.map(({ reason }) => reason?.code ?? null),
      restorations.map(({ reason }) => reason?.message ?? null),
      restorations.map(({ reason }) => reason?.field ?? null),
      restorations.map(({ firstSentAt }) => firstSentAt),
      restorations.map(({ credential }) => credential),
      restorations.map(({ attempts }) => attempts),
      restorations.map(({ httpStatus }) => httpStatus),
      batchId,
    ],
  );
}
