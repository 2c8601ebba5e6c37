/* Objects that rows have created; no two rows of an environment have one. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import { int4, text, uuid } from '../query/columns.ts';
import { rowStateOf } from '../query/each-row.ts';
import { type Database, numbersLiteral, query, textsBindings, textsParameter } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** A row whose object is said to be created. */
interface NamedObject {
  readonly row: number;
  readonly objectId: string;
}

/**
 * Notes the objects of rows of a batch that is locked, unless another row of the environment has the object.
 * @returns the rows whose object was noted
 */
export async function noteObjects(
  transaction: Database,
  batchId: string,
  named: readonly NamedObject[],
): Promise<Set<number>> {
  if (named.length === 0) return new Set();
  const noted = await query(
    transaction,
    { row: int4 },
    `INSERT INTO created_objects (batch_id, row_number, environment_id, kind, object_id)
     SELECT s.batch_id, s.row_number, s.environment_id, s.kind, n.object_id
     FROM unnest(?::int[], ${textsParameter}) AS n (row_number, object_id)
     ${rowStateOf('n')}
     ON CONFLICT DO NOTHING RETURNING row_number AS row`,
    [
      numbersLiteral(named.map(({ row }) => row)),
      ...textsBindings(named.map(({ objectId }) => objectId)),
      batchId,
    ],
  );
  return new Set(noted.map(({ row }) => row));
}

/**
 * Notes the objects of those conclusions that say `created` and whose lease stands. Where another row of the
 * environment has the object, one of the two answers is wrong and nobody can tell which: the row is held.
 * @returns the conclusions as they are to be recorded
 */
export async function holdSeenIds(
  transaction: Database,
  batchId: string,
  conclusions: readonly RowConclusion[],
): Promise<readonly RowConclusion[]> {
  const named = conclusions.flatMap(({ row, leaseToken, conclusion: { state, objectId } }) =>
    state === 'created' && objectId !== null ? [{ row, leaseToken, objectId }] : [],
  );
  if (named.length === 0) return conclusions;
  const standing = await query(
    transaction,
    { row: int4 },
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

function heldAsSeen(each: RowConclusion, places: ReadonlyMap<string, Creator>): RowConclusion {
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

/** The row that has created an object. */
export interface Creator {
  readonly batch: string;
  readonly row: number;
}

/** The rows that have created objects with these ids, in the environment and kind of a batch, by id. */
export const findCreators = verb(
  { pool: 'long', repeatable: false },
  async (
    database: Database,
    batchId: string,
    objectIds: readonly string[],
  ): Promise<Map<string, Creator>> => {
    const found = await query<Creator & { id: string }>(
      database,
      { batch: uuid, row: int4, id: text },
      `SELECT c.object_id AS id, c.batch_id AS batch, c.row_number AS row
       FROM batches b JOIN created_objects c ON c.environment_id = b.environment_id AND c.kind = b.kind
         AND c.object_id = ANY(?::text[])
       WHERE b.id = ?`,
      [objectIds, batchId],
    );
    return new Map(found.map(({ id, ...creator }) => [id, creator]));
  },
);
