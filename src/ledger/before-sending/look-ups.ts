/*
 * What rows that are being checked or prepared ask the ledger about other rows: objects by handle or id, and who
 * owns a natural key.
 */

import type { Environment, Kind } from '../../domain/batches/batch.ts';
import type { KeyOwner } from '../../domain/rows/ledger-row.ts';
import { bool, bytes, int4, orNull, text, uuid, word } from '../query/columns.ts';
import { inputOf, requestOf, rowOf } from '../query/each-row.ts';
import { asFence } from '../query/planner.ts';
import { bytesLiteral, type Database, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** An object that rows may refer to; `id` is null while it is not created. */
export interface ReferredObject {
  readonly id: string | null;
  readonly country: string | null;
}

/** States in which a row's object exists, or may come to exist by itself. */
const referable = "('created', 'ready', 'sending', 'unknown', 'held')";

/**
 * Objects by the handles under which rows refer to them: created ones, those under way, and any row of
 * the batches of the same import, since what depends on such a row has to wait for it.
 */
export const findByHandles = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    environmentId: number,
    kind: Kind,
    handles: readonly string[],
    importBatches: readonly string[],
  ): Promise<Map<string, ReferredObject>> => {
    const found = await query<ReferredObject & { handle: string }>(
      database,
      { id: orNull(text), country: orNull(text), handle: text },
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

/** The handles of accounts, which hold their labels: as many as tell how accounts are called. */
export const listAccountHandles = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, environmentId: number, limit: number): Promise<string[]> => {
    const found = await query(
      database,
      { handle: text },
      `SELECT handle FROM row_states
       WHERE environment_id = ? AND kind = 'accounts' AND handle IS NOT NULL
       ORDER BY handle LIMIT ?`,
      [environmentId, limit],
    );
    return found.map(({ handle }) => handle);
  },
);

/** Customers that this ledger created, by their id at the API. */
export const findCustomersById = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    environmentId: number,
    ids: readonly string[],
  ): Promise<Map<string, ReferredObject>> => {
    const found = await query<ReferredObject>(
      database,
      { id: orNull(text), country: orNull(text) },
      `SELECT r.object_id AS id, i.record->>'country' AS country
       FROM created_objects r ${inputOf('r')}
       WHERE r.environment_id = ? AND r.kind = 'customers' AND r.object_id = ANY(?::text[])`,
      [environmentId, ids],
    );
    return new Map(found.map((customer) => [customer.id ?? '', customer]));
  },
);

/** The rows that own natural keys, by the key in hex: an object exists for each, or may. */
export const findKeyOwners = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    environmentId: number,
    kind: Kind,
    naturalKeys: readonly Buffer[],
  ): Promise<Map<string, KeyOwner>> => {
    const owners = await query<KeyOwner & { key: string }>(
      database,
      {
        batch: uuid,
        row: int4,
        state: word(),
        objectId: orNull(text),
        fingerprint: bytes,
        body: bytes,
        key: text,
      },
      `SELECT encode(r.owned_key, 'hex') AS key, r.batch_id AS batch, r.row_number AS row, r.state,
         r.object_id AS "objectId", q.fingerprint, q.body
       FROM (SELECT batch_id, row_number FROM row_states
         WHERE environment_id = ? AND kind = ? AND owned_key = ANY(?::bytea[]) ${asFence}) s
       ${rowOf('s')} ${requestOf('r')} WHERE q.batch_id IS NOT NULL`,
      [environmentId, kind, bytesLiteral(naturalKeys)],
    );
    return new Map(owners.map(({ key, ...owner }) => [key, owner]));
  },
);

/** Whether this environment's API has created or refused anything before: its address is then right. */
export const hasAnsweredBefore = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, environment: Environment): Promise<boolean> => {
    const [found] = await query(
      database,
      { hasAnswered: bool },
      `SELECT EXISTS (
         SELECT FROM environments e WHERE e.mode = ? AND e.origin = ?
           AND (EXISTS (SELECT FROM created_objects WHERE environment_id = e.id)
             OR EXISTS (SELECT FROM row_states WHERE environment_id = e.id AND state = 'rejected'))) AS "hasAnswered"`,
      [environment.mode, environment.origin],
    );
    return found?.hasAnswered ?? false;
  },
);
