/* Preparation: rows get their key and their exact bytes, and become ready to be sent. */

import type { Knex } from 'knex';
import type { Preparation, RowToPrepare } from '../../domain/rows/ledger-row.ts';
import { sqlState } from '../connection/database-failure.ts';
import { changeBatch, isClosed, isRunOpen } from '../protocol/batch-lock.ts';
import { oneOfAFamily } from '../protocol/origins.ts';
import * as arrays from '../query/arrays.ts';
import { inputOf, isAt, isSentRegardless, rowStateOf, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { notePayeeChanges } from './payee-changes.ts';
import { notePayees } from './payees.ts';

/**
 * The next rows whose request has to be written, in row order, after a row number.
 * @param waitingDelayInMs how long a row is not retried after a refusal that may pass, by the ledger's clock
 * @param approvalId only rows in the plan of this approval; all rows if absent
 */
export const listRowsToPrepare = sql.shortVerb(
  (
    database: sql.Database,
    batchId: string,
    afterRow: number,
    limit: number,
    waitingDelayInMs = 0,
    approvalId: string | null = null,
  ): Promise<RowToPrepare[]> =>
    sql.query<RowToPrepare>(
      database,
      {
        row: sql.int4,
        resource: sql.text,
        generation: sql.int4,
        record: sql.json(),
        isSentRegardless: sql.bool,
        hasFamily: sql.bool,
      },
      `SELECT r.row_number AS row, r.resource, r.generation, i.record,
         ${isSentRegardless} AS "isSentRegardless", r.origin_batch IS NOT NULL AS "hasFamily"
       FROM (SELECT * FROM row_states WHERE batch_id = ? AND state IN ('staged', 'waiting') AND row_number > ?
           AND (refused_at IS NULL OR refused_at <= now() - ?::float8 * interval '1 ms')
           AND (?::uuid IS NULL OR (SELECT rows FROM approvals WHERE id = ?::uuid) @> row_number)
         ORDER BY row_number LIMIT ?) r
       ${inputOf('r')} ORDER BY r.row_number`,
      [batchId, afterRow, waitingDelayInMs, approvalId, approvalId, limit],
    ),
);

/** How many rows are claimed together. The number is small enough to divide the last rows among several workers. */
const defaultRowsPerChunk = 64;

/**
 * Writes the preparation's decisions about a group of rows, in one transaction: requests with their keys and exact bytes for
 * the ready rows, and the reason for each other row. A run that was considered lost writes nothing, because other runs may
 * have prepared and sent its rows, and a person may have decided about them. A run of a closed batch writes nothing either.
 * @returns false if a row of another batch has taken one of the natural keys since then or became live in the same family,
 * or if two batches wait for each other's keys; then nothing is changed, and the group has to be decided again
 */
export const writePreparations = sql.shortVerb(
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
      const write = async (transaction: sql.Database): Promise<void> => {
        if (!(await mayPrepare(transaction, batchId, runId))) return;
        if (ready.length > 0) await writeReady(transaction, batchId, runId, ready, rowsPerChunk);
        if (others.length > 0) await writeOthers(transaction, batchId, others);
        await writeChanges(transaction, batchId, preparations);
      };
      await changeBatch(database, batchId, write);
      return true;
    } catch (error) {
      if (isTakenMeanwhile(error)) return false;
      throw error;
    }
  },
);

/** Stores the findings of the preparation before their rows can be claimed. */
async function writeChanges(
  transaction: sql.Database,
  batchId: string,
  preparations: readonly Preparation[],
): Promise<void> {
  const changes = preparations.flatMap((each) => ('changes' in each ? (each.changes ?? []) : []));
  if (changes.length === 0) return;
  const batch = await sql.onlyRow(
    transaction,
    { environmentId: sql.int4 },
    'SELECT environment_id AS "environmentId" FROM batches WHERE id = ?',
    [batchId],
  );
  await notePayeeChanges(transaction, { id: batchId, ...batch }, changes);
}

/**
 * Whether the run may still prepare rows. Called under the batch's lock, so that no other run can take the batch over and no
 * user can close it meanwhile.
 */
function mayPrepare(transaction: sql.Database, batchId: string, runId: string): Promise<boolean> {
  return sql.onlyValue(transaction, sql.bool, `SELECT ${isRunOpen} AND NOT ${isClosed} AS "isOpen"`, [
    runId,
    batchId,
  ]);
}

function isTakenMeanwhile(error: unknown): boolean {
  const deadlock = '40P01';
  if (sqlState(error) === deadlock) return true;
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : null;
  return constraint === 'rows_own_key_once' || constraint === oneOfAFamily;
}

async function writeOthers(
  transaction: sql.Database,
  batchId: string,
  others: readonly Exclude<Preparation, { to: 'ready' }>[],
): Promise<void> {
  await sql.execute(
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

/**
 * SQL: row state `r` still needs the request that decision `p` is about. Another run of the batch may have prepared and sent
 * the row since then; then the row waits for its next request, or was released for it.
 */
const isStillToPrepare = `${stateIs('r', 'staged', 'waiting')} AND r.generation <= p.generation`;

type Ready = Extract<Preparation, { to: 'ready' }>;

/**
 * Writes requests with their keys and exact bytes, and makes their rows ready to be sent, under the batch's lock. Rows that
 * are no longer staged or waiting, or that wait for a later request, stay unchanged.
 * @param rowsPerChunk how many rows are claimed together; null for rows that belong to no chunk
 */
export async function writeReady(
  transaction: sql.Database,
  batchId: string,
  runId: string,
  ready: readonly Ready[],
  rowsPerChunk: number | null,
): Promise<void> {
  const rows = arrays.numbersLiteral(ready.map((row) => row.row));
  const generations = arrays.numbersLiteral(ready.map((row) => row.generation));
  await sql.execute(
    transaction,
    `WITH last AS (SELECT coalesce(max(chunk), 0) AS chunk FROM send_chunks WHERE batch_id = ?),
     moved AS (
       UPDATE row_states r SET state = 'ready', chunk = last.chunk + 1 + (p.position - 1) / ?::int,
         natural_key = p.natural_key, owned_key = p.owned_key, handle = p.handle,
         run_id = NULL, code = NULL, field = NULL, message = NULL, changed_at = now()
       FROM last, unnest(?::int[], ?::int[], ?::bytea[], ?::bytea[], ${arrays.textsParameter}) WITH ORDINALITY
         AS p (row_number, generation, natural_key, owned_key, handle, position)
       ${rowStateOf('p')}
       WHERE ${isAt('r', 's')} AND ${isStillToPrepare}
       RETURNING r.row_number, r.chunk),
     cut AS (
       INSERT INTO send_chunks (batch_id, chunk, first_row, last_row, open_rows)
       SELECT ?, chunk, min(row_number), max(row_number), count(*) FROM moved WHERE chunk IS NOT NULL GROUP BY chunk)
     INSERT INTO requests (batch_id, row_number, generation, idempotency_key, path, body, fingerprint, run_id)
     SELECT ?, q.row_number, q.generation, q.key, q.path, convert_to(q.body, 'UTF8'), q.fingerprint, ?
     FROM unnest(?::int[], ?::int[], ?::uuid[], ${arrays.textsParameter}, ${arrays.textsParameter}, ?::bytea[])
       AS q (row_number, generation, key, path, body, fingerprint)
     JOIN moved USING (row_number)`,
    [
      ...[batchId, rowsPerChunk],
      rows,
      generations,
      arrays.bytesLiteral(ready.map((row) => row.naturalKey)),
      arrays.bytesLiteral(ready.map((row) => row.ownedKey ?? row.naturalKey)),
      ...arrays.textsBindings(ready.map((row) => row.handle)),
      ...[batchId, batchId, batchId, runId],
      rows,
      generations,
      arrays.numbersLiteral(ready.map((row) => row.idempotencyKey)),
      ...arrays.textsBindings(ready.map((row) => row.path)),
      // Bodies are JSON in UTF-8: these are the exact bytes.
      ...arrays.textsBindings(ready.map((row) => row.body.toString('utf8'))),
      arrays.bytesLiteral(ready.map((row) => row.fingerprint)),
    ],
  );
  await notePayees(
    transaction,
    batchId,
    ready.flatMap(({ row, payee }) => (payee === undefined ? [] : [{ row, keys: payee }])),
  );
}
