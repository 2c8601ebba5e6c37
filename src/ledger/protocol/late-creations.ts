/* Answers that created an object for a row that the sender had lost, kept as evidence. */

import type { RepeatedAnswer } from '../../domain/rows/result-row.ts';
import { int4, text, uuid } from '../query/columns.ts';
import { rowOf } from '../query/each-row.ts';
import { type Database, execute, isoUtc, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** Stands for the run of what only a run log tells of, whose ledger was lost. */
export const runOfALog = '00000000-0000-0000-0000-000000000000';

/**
 * Keeps answers that created an object for a row that was not this worker's any more: the row may say something
 * else by now, and then nobody would know of the object.
 */
export async function keepLateCreations(
  transaction: Database,
  batchId: string,
  runId: string,
  conclusions: readonly Omit<RepeatedAnswer, 'objectId'>[],
): Promise<void> {
  const kept = conclusions.flatMap(({ row, generation, idempotencyKey, conclusion }) =>
    conclusion.attempts.flatMap((attempt) =>
      attempt.objectId === null ? [] : [{ row, generation, idempotencyKey, ...attempt }],
    ),
  );
  if (kept.length === 0) return;
  await execute(
    transaction,
    `INSERT INTO late_creations (batch_id, run_id, row_number, generation, number, idempotency_key, object_id,
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

/** What a run log says of an answer that created an object. */
export interface LoggedCreation {
  readonly row: number;
  readonly idempotencyKey: string;
  /** Of the attempt. */
  readonly number: number;
  readonly httpStatus: number | null;
  readonly objectId: string;
}

/** Stands for the generation of what only a log tells of. */
const generationOfALog = 0;

/**
 * Keeps objects that a run log tells of and that no row of the batch's environment and kind has.
 * @returns how many there are, those that were kept before included
 */
export const keepLoggedCreations = verb(
  { pool: 'long', repeatable: false },
  async (database: Database, batchId: string, creations: readonly LoggedCreation[]): Promise<number> => {
    if (creations.length === 0) return 0;
    const [kept] = await query(
      database,
      { count: int4 },
      `WITH lost AS (
         SELECT DISTINCT ON (k.row_number, k.number) k.* FROM unnest(?::int[], ?::int[], ?::uuid[], ?::text[], ?::int[])
           AS k (row_number, number, idempotency_key, object_id, http_status)
         JOIN batches b ON b.id = ?
         WHERE NOT EXISTS (SELECT FROM created_objects c WHERE c.environment_id = b.environment_id AND c.kind = b.kind
             AND c.object_id = k.object_id)
           AND NOT EXISTS (SELECT FROM row_states s WHERE s.batch_id = b.id AND s.row_number = k.row_number
             AND s.object_id = k.object_id)),
       noted AS (
         INSERT INTO late_creations (batch_id, run_id, generation, row_number, number, idempotency_key, object_id,
           http_status)
         SELECT ?, ?, ?, * FROM lost ON CONFLICT DO NOTHING)
       SELECT count(*)::int AS count FROM lost`,
      [
        creations.map(({ row }) => row),
        creations.map(({ number }) => number),
        creations.map(({ idempotencyKey }) => idempotencyKey),
        creations.map(({ objectId }) => objectId),
        creations.map(({ httpStatus }) => httpStatus),
        ...[batchId, batchId, runOfALog, generationOfALog],
      ],
    );
    return kept?.count ?? 0;
  },
);

/** An object that the API created for a row that does not have it. */
export interface LateCreation {
  readonly row: number;
  readonly objectId: string;
  readonly idempotencyKey: string;
  /** ISO 8601, UTC. */
  readonly notedAt: string;
}

/** SQL: kept answers `u` whose object the row does not have, nor any other row of its environment and kind. */
const contradictingIn = (batches: string): string => `late_creations u ${rowOf('u')}
  WHERE u.batch_id ${batches} AND r.object_id IS DISTINCT FROM u.object_id
    AND NOT EXISTS (SELECT FROM created_objects c WHERE c.environment_id = r.environment_id AND c.kind = r.kind
      AND c.object_id = u.object_id)`;

/** SQL: such answers of one batch. Its binding is the batch's id. */
export const contradicting = contradictingIn('= ?');

/** How many created objects of batches no row has, by batch; those without such objects are left out. */
export async function countUnrecordedOf(
  database: Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await query(
    database,
    { id: uuid, objects: int4 },
    `SELECT u.batch_id AS id, count(DISTINCT (u.row_number, u.object_id))::int AS objects
     FROM ${contradictingIn('= ANY(?::uuid[])')} GROUP BY u.batch_id`,
    [batchIds],
  );
  return new Map(found.map(({ id, objects }) => [id, objects]));
}

/** Created objects of a batch that no row has, in row order, at most `limit`. */
export const listLateCreations = verb(
  { pool: 'long', repeatable: true },
  (database: Database, batchId: string, limit: number): Promise<LateCreation[]> => {
    return query<LateCreation>(
      database,
      { row: int4, objectId: text, idempotencyKey: uuid, notedAt: text },
      `SELECT DISTINCT ON (u.row_number, u.object_id) u.row_number AS row, u.object_id AS "objectId",
         u.idempotency_key AS "idempotencyKey", ${isoUtc('u.noted_at')} AS "notedAt"
       FROM ${contradicting} ORDER BY u.row_number, u.object_id, u.noted_at LIMIT ?`,
      [batchId, limit],
    );
  },
);
