/* Approvals and keys with their signatures, for whoever verifies them. */

import { bytes, orNull, text } from '../query/columns.ts';
import { type Database, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** An approval with the key that it names. */
export interface SignedApproval {
  readonly id: string;
  readonly chain: string;
  readonly statement: string;
  readonly signature: Buffer;
  /** As PostgreSQL writes an `int4multirange`; null where the statement is not about rows. */
  readonly rows: string | null;
  readonly keyId: string;
  /** Null where neither the approver nor a console has such a key. */
  readonly publicKey: Buffer | null;
}

/** The approvals and rejections of these chains, or of all. */
export const readSignedApprovals = verb(
  { pool: 'long', repeatable: true },
  (database: Database, chains: readonly string[] | null): Promise<SignedApproval[]> => {
    return query<SignedApproval>(
      database,
      {
        id: text,
        chain: text,
        statement: text,
        signature: bytes,
        rows: orNull(text),
        keyId: text,
        publicKey: orNull(bytes),
      },
      `SELECT a.id::text AS id, a.chain, a.statement, a.signature, a.rows::text AS rows, a.key_id AS "keyId",
         k.public_key AS "publicKey"
       FROM (SELECT *, coalesce(batch_id::text, 'controls') AS chain FROM approvals) a
       LEFT JOIN user_keys k ON k.id = a.key_id AND (k.user_name = a.decided_by OR k.kind = 'server')
       ${chains === null ? '' : 'WHERE a.chain = ANY(?::text[])'} ORDER BY a.number`,
      chains === null ? [] : [chains],
    );
  },
);

/** A key that replaced another, with the signature of that one. */
export interface EndorsedKey {
  readonly id: string;
  readonly user: string;
  readonly endorsement: Buffer;
  readonly previousKey: Buffer;
}

/** The keys that replaced others. */
export const readEndorsedKeys = verb(
  { pool: 'long', repeatable: true },
  (database: Database): Promise<EndorsedKey[]> => {
    return query<EndorsedKey>(
      database,
      { id: text, user: text, endorsement: bytes, previousKey: bytes },
      `SELECT k.id, k.user_name AS user, k.endorsement, p.public_key AS "previousKey"
       FROM user_keys k JOIN user_keys p ON p.id = k.previous_key AND p.user_name = k.user_name ORDER BY k.since, k.id`,
    );
  },
);
