import type { Preparation } from '../domain/ledger-row.ts';
import { type Database, execute, stateIs } from './sql.ts';

/** Writes requests with their keys and exact bytes, and makes their rows ready to be sent, as one portion. */
export async function writeReady(
  transaction: Database,
  batchId: string,
  runId: string,
  ready: readonly Extract<Preparation, { to: 'ready' }>[],
): Promise<void> {
  const rows = ready.map((row) => row.row);
  await execute(
    transaction,
    `WITH made AS (INSERT INTO portions (batch_id, first_row, last_row) VALUES (?, ?, ?) RETURNING portion),
     moved AS (
       UPDATE stored_rows r SET state = 'ready', portion = (SELECT portion FROM made), natural_key = p.natural_key, owned_key = p.owned_key, handle = p.handle,
         run_id = NULL, code = NULL, field = NULL, message = NULL, changed_at = now()
       FROM unnest(?::int[], ?::bytea[], ?::bytea[], ?::text[]) AS p (row_number, natural_key, owned_key, handle)
       WHERE r.batch_id = ? AND r.row_number = p.row_number AND ${stateIs('r', 'staged', 'waiting')}
       RETURNING r.row_number)
     INSERT INTO requests (batch_id, row_number, generation, idempotency_key, path, body, fingerprint, run_id)
     SELECT ?, q.row_number, q.generation, q.key, q.path, q.body, q.fingerprint, ?
     FROM unnest(?::int[], ?::int[], ?::uuid[], ?::text[], ?::bytea[], ?::bytea[])
       AS q (row_number, generation, key, path, body, fingerprint)
     JOIN moved USING (row_number)`,
    [
      ...[batchId, Math.min(...rows), Math.max(...rows)],
      rows,
      ready.map((row) => row.naturalKey),
      ready.map((row) => row.ownedKey ?? row.naturalKey),
      ready.map((row) => row.handle),
      batchId,
      batchId,
      runId,
      rows,
      ready.map((row) => row.generation),
      ready.map((row) => row.idempotencyKey),
      ready.map((row) => row.path),
      ready.map((row) => row.body),
      ready.map((row) => row.fingerprint),
    ],
  );
}
