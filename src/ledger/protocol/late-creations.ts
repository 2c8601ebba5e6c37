/* Answers that created an object for a row that the sender had lost. They are kept as evidence. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { RowConclusion, RowOfBatch } from '../../domain/rows/ledger-row.ts';
import type { RepeatedAnswer } from '../../domain/rows/result-row.ts';
import * as arrays from '../query/arrays.ts';
import { rowOf, rowStateOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/* Objects that rows have created. No two rows of an environment have the same object. */

/** A row with the object that an answer names. */
interface NamedObject {
  readonly row: number;
  readonly objectId: string;
}

/**
 * Records the objects of rows of a locked batch. It omits a row if another row of the environment has its object.
 * @returns the rows whose object was recorded
 */
export async function noteObjects(
  transaction: sql.Database,
  batchId: string,
  named: readonly NamedObject[],
): Promise<Set<number>> {
  if (named.length === 0) return new Set();
  return new Set(
    await sql.valuesOf(
      transaction,
      sql.int4,
      `INSERT INTO created_objects (batch_id, row_number, environment_id, kind, object_id)
     SELECT s.batch_id, s.row_number, s.environment_id, s.kind, n.object_id
     FROM unnest(?::int[], ${arrays.textsParameter}) AS n (row_number, object_id)
     ${rowStateOf('n')}
     ON CONFLICT DO NOTHING RETURNING row_number AS row`,
      [
        arrays.numbersLiteral(named.map(({ row }) => row)),
        ...arrays.textsBindings(named.map(({ objectId }) => objectId)),
        batchId,
      ],
    ),
  );
}

/**
 * Records the objects of the conclusions that say `created` and whose lease is valid. If another row of the environment has
 * the object, one of the two answers is wrong, and it is unknown which one. Then the row is held.
 * @returns the conclusions in the form to be recorded
 */
export async function holdSeenIds(
  transaction: sql.Database,
  batchId: string,
  conclusions: readonly RowConclusion[],
): Promise<readonly RowConclusion[]> {
  const named = conclusions.flatMap(({ row, leaseToken, conclusion: { state, objectId } }) =>
    state === 'created' && objectId !== null ? [{ row, leaseToken, objectId }] : [],
  );
  if (named.length === 0) return conclusions;
  const standing = await sql.query(
    transaction,
    { row: sql.int4 },
    `SELECT s.row_number AS row FROM unnest(?::int[], ?::bigint[]) AS n (row_number, token)
     ${rowStateOf('n')} WHERE s.lease_token = n.token`,
    [named.map(({ row }) => row), named.map(({ leaseToken }) => leaseToken), batchId],
  );
  const isStanding = new Set(standing.map(({ row }) => row));
  const claimed = named.filter(({ row }) => isStanding.has(row));
  const noted = await noteObjects(transaction, batchId, claimed);
  const seen = claimed.filter(({ row }) => !noted.has(row));
  if (seen.length === 0) return conclusions;
  const places = await findCreators(
    transaction,
    batchId,
    seen.map(({ objectId }) => objectId),
  );
  const isSeen = new Set(seen.map(({ row }) => row));
  return conclusions.map((each) => (isSeen.has(each.row) ? heldAsSeen(each, places) : each));
}

function heldAsSeen(each: RowConclusion, places: ReadonlyMap<string, RowOfBatch>): RowConclusion {
  const { objectId } = each.conclusion;
  const creator = places.get(objectId ?? '');
  const where =
    creator === undefined ? 'another row' : `row ${creator.row} of batch ${shortBatchId(creator.batch)}`;
  const message = `the API named the object ${objectId}, which ${where} has: one of the two answers is wrong`;
  return {
    ...each,
    conclusion: { ...each.conclusion, state: 'held', objectId: null, code: 'id_seen_before', message },
  };
}

/** The rows that have created objects with these ids, in the environment and kind of a batch, by id. */
export const findCreators = sql.longVerbOnce(
  async (
    database: sql.Database,
    batchId: string,
    objectIds: readonly string[],
  ): Promise<Map<string, RowOfBatch>> => {
    const found = await sql.query<RowOfBatch & { id: string }>(
      database,
      { batch: sql.uuid, row: sql.int4, id: sql.text },
      `SELECT c.object_id AS id, c.batch_id AS batch, c.row_number AS row
       FROM batches b JOIN created_objects c ON c.environment_id = b.environment_id AND c.kind = b.kind
         AND c.object_id = ANY(?::text[])
       WHERE b.id = ?`,
      [objectIds, batchId],
    );
    return new Map(found.map(({ id, ...creator }) => [id, creator]));
  },
);

/** The run id for facts that are known only from a run log, because their ledger was lost. */
export const runOfALog = '00000000-0000-0000-0000-000000000000';

/**
 * Stores answers that created an object for a row whose lease this worker had lost. The row may have another result by now,
 * and without this record the object would be unknown.
 */
export async function keepLateCreations(
  transaction: sql.Database,
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
  await sql.execute(
    transaction,
    `INSERT INTO late_creations (batch_id, run_id, row_number, generation, number, idempotency_key, object_id,
       http_status, answer)
     SELECT ?, ?, k.* FROM unnest(?::int[], ?::int[], ?::int[], ?::uuid[], ?::text[], ?::int[], ?::text[]) k
     ON CONFLICT DO NOTHING`,
    [
      ...[batchId, runId],
      ...arrays.arraysOf(kept, 'row', 'generation', 'number', 'idempotencyKey', 'objectId', 'httpStatus'),
      kept.map(({ answer }) => answer?.replaceAll('\0', '\uFFFD') ?? null),
    ],
  );
}

/** The data in a run log about an answer that created an object. */
export interface LoggedCreation {
  readonly row: number;
  readonly idempotencyKey: string;
  /** The number of the attempt. */
  readonly number: number;
  readonly httpStatus: number | null;
  readonly objectId: string;
}

/** The generation that is stored for facts that are known only from a run log. */
const generationOfALog = 0;

/**
 * Stores objects that a run log names and that no row in the batch's environment and kind has.
 * @returns how many such objects there are, including objects that were stored before
 */
export const keepLoggedCreations = sql.longVerbOnce(
  async (database: sql.Database, batchId: string, creations: readonly LoggedCreation[]): Promise<number> => {
    if (creations.length === 0) return 0;
    return sql.onlyValue(
      database,
      sql.int4,
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
        ...arrays.arraysOf(creations, 'row', 'number', 'idempotencyKey', 'objectId', 'httpStatus'),
        ...[batchId, batchId, runOfALog, generationOfALog],
      ],
    );
  },
);

/** SQL: stored answers `u` with an object that neither their row nor any other row of the same environment and kind has. */
const contradictingIn = (batches: string): string => `late_creations u ${rowOf('u')}
  WHERE u.batch_id ${batches} AND r.object_id IS DISTINCT FROM u.object_id
    AND NOT EXISTS (SELECT FROM created_objects c WHERE c.environment_id = r.environment_id AND c.kind = r.kind
      AND c.object_id = u.object_id)`;

/** SQL: the answers of this kind in one batch. Its binding is the batch's id. */
export const contradicting = contradictingIn('= ?');

/** How many created objects of batches no row records, by batch; batches without such objects are omitted. */
export async function countUnrecordedOf(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await sql.query(
    database,
    { id: sql.uuid, objects: sql.int4 },
    `SELECT u.batch_id AS id, count(DISTINCT (u.row_number, u.object_id))::int AS objects
     FROM ${contradictingIn('= ANY(?::uuid[])')} GROUP BY u.batch_id`,
    [batchIds],
  );
  return new Map(found.map(({ id, objects }) => [id, objects]));
}

/** Created objects of a batch that no row records, in row order, at most `limit`. */
export const listLateCreations = sql.longVerb((database: sql.Database, batchId: string, limit: number) =>
  sql.query(
    database,
    {
      row: sql.int4,
      objectId: sql.text,
      idempotencyKey: sql.uuid,
      /** ISO 8601, UTC. */
      notedAt: sql.text,
    },
    `SELECT DISTINCT ON (u.row_number, u.object_id) u.row_number AS row, u.object_id AS "objectId",
         u.idempotency_key AS "idempotencyKey", ${sql.isoUtc('u.noted_at')} AS "notedAt"
       FROM ${contradicting} ORDER BY u.row_number, u.object_id, u.noted_at LIMIT ?`,
    [batchId, limit],
  ),
);
