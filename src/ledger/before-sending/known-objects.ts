/*
 * Data about the objects of other rows, for checking or preparing rows: objects by handle or id, and the owner of a natural
 * key.
 */

import type { Environment, Kind } from '../../domain/batches/batch.ts';
import type { KeyOwner } from '../../domain/rows/ledger-row.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, inputOf, requestOf, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** An object that rows may refer to; `id` is null until it is created. */
interface ReferredObject {
  readonly id: string | null;
  readonly country: string | null;
}

/** States in which a row's object exists, or may still be created without a person. */
const referable = "('created', 'ready', 'sending', 'unknown', 'held')";

/**
 * Objects by the handles that rows use to refer to them: created objects, objects that are being sent, and any row in the
 * batches of the same import, since a row that depends on such a row has to wait for it.
 */
export const findByHandles = sql.shortVerb(
  async (
    database: sql.Database,
    environmentId: number,
    kind: Kind,
    handles: readonly string[],
    importBatches: readonly string[],
  ): Promise<Map<string, ReferredObject>> => {
    const found = await sql.query<ReferredObject & { handle: string }>(
      database,
      { id: sql.orNull(sql.text), country: sql.orNull(sql.text), handle: sql.text },
      `SELECT DISTINCT ON (r.handle) r.handle, CASE WHEN r.state = 'created' THEN r.object_id END AS id,
         i.record->>'country' AS country
       FROM (SELECT batch_id, row_number FROM row_states
         WHERE environment_id = ? AND kind = ? AND handle = ANY(?::text[]) ${asFence}) s
       ${rowOf('s')} ${inputOf('s')}
       WHERE r.state IN ${referable} OR r.batch_id = ANY(?::uuid[])
       ORDER BY r.handle, (r.state = 'created') DESC, r.changed_at`,
      [environmentId, kind, handles, importBatches],
    );
    return new Map(found.map(({ handle, ...object }) => [handle, object]));
  },
);

/** The handles of accounts, which contain their labels. They show people how accounts are named. */
export const listAccountHandles = sql.longVerb(
  (database: sql.Database, environmentId: number, limit: number): Promise<string[]> =>
    sql.valuesOf(
      database,
      sql.text,
      `SELECT handle FROM row_states
       WHERE environment_id = ? AND kind = 'accounts' AND handle IS NOT NULL
       ORDER BY handle LIMIT ?`,
      [environmentId, limit],
    ),
);

/** Customers that this ledger created, by their id at the API. */
export const findCustomersById = sql.shortVerb(
  async (
    database: sql.Database,
    environmentId: number,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, ReferredObject>> => {
    const found = await sql.query<ReferredObject>(
      database,
      { id: sql.orNull(sql.text), country: sql.orNull(sql.text) },
      `SELECT r.object_id AS id, i.record->>'country' AS country
       FROM created_objects r ${inputOf('r')}
       WHERE r.environment_id = ? AND r.kind = 'customers' AND r.object_id = ANY(?::text[])`,
      [environmentId, ids],
    );
    return new Map(found.map((customer) => [customer.id ?? '', customer]));
  },
);

/** The rows that own natural keys, by the key in hex. Each such row has or may have an object. */
export const findKeyOwners = sql.shortVerb(
  async (
    database: sql.Database,
    environmentId: number,
    kind: Kind,
    naturalKeys: readonly Buffer[],
  ): Promise<ReadonlyMap<string, KeyOwner>> => {
    const owners = await sql.query<KeyOwner & { key: string }>(
      database,
      {
        batch: sql.uuid,
        row: sql.int4,
        state: sql.word(),
        objectId: sql.orNull(sql.text),
        fingerprint: sql.bytes,
        body: sql.bytes,
        key: sql.text,
      },
      `SELECT encode(r.owned_key, 'hex') AS key, r.batch_id AS batch, r.row_number AS row, r.state,
         r.object_id AS "objectId", q.fingerprint, q.body
       FROM (SELECT batch_id, row_number FROM row_states
         WHERE environment_id = ? AND kind = ? AND owned_key = ANY(?::bytea[]) ${asFence}) s
       ${rowOf('s')} ${requestOf('r')} WHERE q.batch_id IS NOT NULL`,
      [environmentId, kind, arrays.bytesLiteral(naturalKeys)],
    );
    return new Map(owners.map(({ key, ...owner }) => [key, owner]));
  },
);

/** Whether the API of this environment has created or refused anything before. This proves that its address is right. */
export const hasAnsweredBefore = sql.shortVerb(
  (database: sql.Database, environment: Environment): Promise<boolean> =>
    sql.onlyValue(
      database,
      sql.bool,
      `SELECT EXISTS (
         SELECT FROM environments e WHERE e.mode = ? AND e.origin = ?
           AND (EXISTS (SELECT FROM created_objects WHERE environment_id = e.id)
             OR EXISTS (SELECT FROM row_states WHERE environment_id = e.id AND state = 'rejected'))) AS "hasAnswered"`,
      [environment.mode, environment.origin],
    ),
);
