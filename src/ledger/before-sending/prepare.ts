import type { Knex } from 'knex';
import type { Preparation, RowToPrepare } from '../../domain/rows/ledger-row.ts';
import { sqlState } from '../connection/database-failure.ts';
import { changeBatch } from '../protocol/batch-lock.ts';
import { holdsItsBatch } from '../protocol/hand-over.ts';
import { oneOfAFamily } from '../protocol/origins.ts';
import { bool, int4, json, text } from '../query/columns.ts';
import { inputOf, isSentRegardless, rowStateOf } from '../query/each-row.ts';
import { isAt } from '../query/planner.ts';
import { type Database, execute, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';
import { isStillToPrepare, writeReady } from './write-ready.ts';

/**
 * The next rows whose request has to be written, in row order, after a row number.
 * @param waitingDelayInMs how long a row that was refused for what time mends is left alone, by the ledger's clock
 */
export const listRowsToPrepare = verb(
  { pool: 'short', repeatable: true },
  (
    database: Database,
    batchId: string,
    afterRow: number,
    limit: number,
    waitingDelayInMs = 0,
  ): Promise<RowToPrepare[]> => {
    return query<RowToPrepare>(
      database,
      {
        row: int4,
        resource: text,
        generation: int4,
        record: json(),
        isSentRegardless: bool,
        hasFamily: bool,
      },
      `SELECT r.row_number AS row, r.resource, r.generation, i.record,
         ${isSentRegardless} AS "isSentRegardless", r.origin_batch IS NOT NULL AS "hasFamily"
       FROM (SELECT * FROM row_states WHERE batch_id = ? AND state IN ('staged', 'waiting') AND row_number > ?
           AND (refused_at IS NULL OR refused_at <= now() - ?::float8 * interval '1 ms')
         ORDER BY row_number LIMIT ?) r
       ${inputOf('r')} ORDER BY r.row_number`,
      [batchId, afterRow, waitingDelayInMs, limit],
    );
  },
);

/** Rows that are claimed together: small enough that the last ones are divided among several workers. */
const defaultRowsPerChunk = 64;

/**
 * Writes what the preparation decided for a group of rows, in one transaction: requests with their keys
 * and exact bytes for those that are ready, and the reason for the others. A run that was taken for lost writes
 * nothing: others may have prepared its rows, sent them, and had a person decide about them.
 * @returns false when a row of another batch took one of the natural keys meanwhile, or came to life as one of the same
 *   family, or when two batches wait for each other's keys; nothing is changed then, and the group has to be decided
 *   again
 */
export const writePreparations = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Knex,
    batchId: string,
    runId: string,
    preparations: readonly Preparation[],
    rowsPerChunk = defaultRowsPerChunk,
  ): Promise<boolean> => {
    const ready = preparations.filter((preparation) => preparation.to === 'ready');
    const others = preparations.filter((preparation) => preparation.to !== 'ready');
    try {
      const write = async (transaction: Database): Promise<void> => {
        if (!(await holdsItsBatch(transaction, runId))) return;
        if (ready.length > 0) await writeReady(transaction, batchId, runId, ready, rowsPerChunk);
        if (others.length > 0) await writeOthers(transaction, batchId, others);
      };
      await changeBatch(database, batchId, write);
      return true;
    } catch (error) {
      if (isTakenMeanwhile(error)) return false;
      throw error;
    }
  },
);

function isTakenMeanwhile(error: unknown): boolean {
  const deadlock = '40P01';
  if (sqlState(error) === deadlock) return true;
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : null;
  return constraint === 'rows_own_key_once' || constraint === oneOfAFamily;
}

async function writeOthers(
  transaction: Database,
  batchId: string,
  others: readonly Exclude<Preparation, { to: 'ready' }>[],
): Promise<void> {
  await execute(
    transaction,
    `UPDATE row_states r SET state = p.state, object_id = p.object_id, code = p.code, field = p.field, message = p.message,
       refused_at = NULL,
       changed_at = CASE WHEN r.state = p.state AND r.message IS NOT DISTINCT FROM p.message
                         THEN r.changed_at ELSE now() END
     FROM unnest(?::int[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
       AS p (row_number, generation, state, object_id, code, field, message)
     ${rowStateOf('p')}
     WHERE ${isAt('r', 's')} AND ${isStillToPrepare}`,
    [
      others.map((row) => row.row),
      others.map((row) => row.generation),
      others.map((row) => row.to),
      others.map((row) => (row.to === 'existing' ? row.objectId : null)),
      others.map((row) => row.reason.code),
      others.map((row) => row.reason.field),
      others.map((row) => row.reason.message),
      batchId,
    ],
  );
}
