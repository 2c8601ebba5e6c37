import type { Preparation } from '../../domain/rows/ledger-row.ts';
import { rowStateOf } from '../query/each-row.ts';
import { isAt } from '../query/planner.ts';
import {
  bytesLiteral,
  type Database,
  execute,
  numbersLiteral,
  stateIs,
  textsBindings,
  textsParameter,
} from '../query/sql.ts';
/**
 * SQL that says whether row state `r` is still what decision `p` was made about: another run of the batch may have
 * prepared and sent it meanwhile, and it waits or was let go for its next request.
 */
export const isStillToPrepare = `${stateIs('r', 'staged', 'waiting')} AND r.generation <= p.generation`;

type Ready = Extract<Preparation, { to: 'ready' }>;

/**
 * Writes requests with their keys and exact bytes, and makes their rows ready to be sent, under the batch's
 * lock. Rows that are not staged or waiting any more, or for a later request, are left as they are.
 * @param rowsPerChunk how many rows are claimed together; null for rows that belong to no chunk
 */
export async function writeReady(
  transaction: Database,
  batchId: string,
  runId: string,
  ready: readonly Ready[],
  rowsPerChunk: number | null,
): Promise<void> {
  const rows = numbersLiteral(ready.map((row) => row.row));
  const generations = numbersLiteral(ready.map((row) => row.generation));
  await execute(
    transaction,
    `WITH last AS (SELECT coalesce(max(chunk), 0) AS chunk FROM send_chunks WHERE batch_id = ?),
     moved AS (
       UPDATE row_states r SET state = 'ready', chunk = last.chunk + 1 + (p.position - 1) / ?::int,
         natural_key = p.natural_key, owned_key = p.owned_key, handle = p.handle,
         run_id = NULL, code = NULL, field = NULL, message = NULL, changed_at = now()
       FROM last, unnest(?::int[], ?::int[], ?::bytea[], ?::bytea[], ${textsParameter}) WITH ORDINALITY
         AS p (row_number, generation, natural_key, owned_key, handle, position)
       ${rowStateOf('p')}
       WHERE ${isAt('r', 's')} AND ${isStillToPrepare}
       RETURNING r.row_number, r.chunk),
     cut AS (
       INSERT INTO send_chunks (batch_id, chunk, first_row, last_row, open_rows)
       SELECT ?, chunk, min(row_number), max(row_number), count(*) FROM moved WHERE chunk IS NOT NULL GROUP BY chunk)
     INSERT INTO requests (batch_id, row_number, generation, idempotency_key, path, body, fingerprint, run_id)
     SELECT ?, q.row_number, q.generation, q.key, q.path, convert_to(q.body, 'UTF8'), q.fingerprint, ?
     FROM unnest(?::int[], ?::int[], ?::uuid[], ${textsParameter}, ${textsParameter}, ?::bytea[])
       AS q (row_number, generation, key, path, body, fingerprint)
     JOIN moved USING (row_number)`,
    [
      ...[batchId, rowsPerChunk],
      rows,
      generations,
      bytesLiteral(ready.map((row) => row.naturalKey)),
      bytesLiteral(ready.map((row) => row.ownedKey ?? row.naturalKey)),
      ...textsBindings(ready.map((row) => row.handle)),
      ...[batchId, batchId, batchId, runId],
      rows,
      generations,
      numbersLiteral(ready.map((row) => row.idempotencyKey)),
      ...textsBindings(ready.map((row) => row.path)),
      // Bodies are JSON in UTF-8: these are the very bytes.
      ...textsBindings(ready.map((row) => row.body.toString('utf8'))),
      bytesLiteral(ready.map((row) => row.fingerprint)),
    ],
  );
}
