import type { RowConclusion } from '../domain/ledger-row.ts';
import { type Database, execute, isoUtc, query } from './sql.ts';

/**
 * Keeps answers that created an object for a row that was not this worker's any more: the row may say something
 * else by now, and then nobody would know of the object.
 */
export async function keepUnrecorded(
  transaction: Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
): Promise<void> {
  const kept = conclusions.flatMap(({ row, generation, idempotencyKey, conclusion }) =>
    conclusion.attempts.flatMap((attempt) =>
      attempt.objectId === null ? [] : [{ row, generation, idempotencyKey, ...attempt }],
    ),
  );
  if (kept.length === 0) return;
  await execute(
    transaction,
    `INSERT INTO unrecorded_creations (batch_id, run_id, row_number, generation, number, idempotency_key, object_id,
       http_status, answer)
     SELECT ?, ?, k.* FROM unnest(?::int[], ?::int[], ?::int[], ?::uuid[], ?::text[], ?::int[], ?::text[]) k
     ON CONFLICT DO NOTHING`,
    [
      ...[batchId, runId],
      kept.map(({ row }) => row),
      kept.map(({ generation }) => generation),
      kept.map(({ number }) => number),
      kept.map(({ idempotencyKey }) => idempotencyKey),
      kept.map(({ objectId }) => objectId),
      kept.map(({ httpStatus }) => httpStatus),
      kept.map(({ answer }) => answer?.replaceAll('\0', '\uFFFD') ?? null),
    ],
  );
}

/** An object that the API created for a row that does not have it. */
export interface UnrecordedCreation {
  readonly row: number;
  readonly objectId: string;
  readonly idempotencyKey: string;
  /** ISO 8601, UTC. */
  readonly notedAt: string;
}

/**
 * SQL: kept answers `u` of a batch whose object the row does not have, nor any other row of its environment and
 * kind. Its binding is the batch's id.
 */
export const contradicting = `unrecorded_creations u
  JOIN rows r ON r.batch_id = u.batch_id AND r.row_number = u.row_number
  WHERE u.batch_id = ? AND r.object_id IS DISTINCT FROM u.object_id
    AND NOT EXISTS (SELECT FROM creations c WHERE c.environment_id = r.environment_id AND c.kind = r.kind
      AND c.object_id = u.object_id)`;

/** Created objects of a batch that no row has, in row order, at most `limit`. */
export function listUnrecordedCreations(
  database: Database,
  batchId: string,
  limit: number,
): Promise<UnrecordedCreation[]> {
  return query<UnrecordedCreation>(
    database,
    `SELECT DISTINCT ON (u.row_number, u.object_id) u.row_number AS row, u.object_id AS "objectId",
       u.idempotency_key AS "idempotencyKey", ${isoUtc('u.noted_at')} AS "notedAt"
     FROM ${contradicting} ORDER BY u.row_number, u.object_id, u.noted_at LIMIT ?`,
    [batchId, limit],
  );
}
