/* The audit trail as stored in the database: events and heads of its chains, and what is signed. */

import { type AuditHead, controlsChain } from '../../domain/batches/batch-facts.ts';
import type { AuditEvent } from '../../domain/controls/audit.ts';
import {
  bytes,
  type Columns,
  type Database,
  execute,
  int4,
  json,
  longVerb,
  longVerbOnce,
  orNull,
  query,
  shortVerb,
  text,
  valuesOf,
} from '../query/sql.ts';

/* Approvals and keys with their signatures, for verification. */

/** An approval with the key that it names. */
export interface SignedApproval {
  readonly id: string;
  readonly chain: string;
  readonly statement: string;
  readonly signature: Buffer;
  /** As PostgreSQL writes an `int4multirange`; null where the statement is not about rows. */
  readonly rows: string | null;
  /** Of the leaves of these rows. */
  readonly proof: Buffer | null;
  readonly keyId: string;
  /** Null where neither the approver nor a console has such a key. */
  readonly publicKey: Buffer | null;
}

/** The approvals and rejections of these chains, or of all. */
export const readSignedApprovals = longVerb(
  (database: Database, chains: readonly string[] | null): Promise<SignedApproval[]> =>
    query<SignedApproval>(
      database,
      {
        id: text,
        chain: text,
        statement: text,
        signature: bytes,
        rows: orNull(text),
        proof: orNull(bytes),
        keyId: text,
        publicKey: orNull(bytes),
      },
      `SELECT a.id::text AS id, a.chain, a.statement, a.signature, a.rows::text AS rows, a.proof, a.key_id AS "keyId",
         k.public_key AS "publicKey"
       FROM (SELECT *, coalesce(batch_id::text, 'controls') AS chain FROM approvals) a
       LEFT JOIN user_keys k ON k.id = a.key_id AND (k.user_name = a.decided_by OR k.kind = 'server')
       ${chains === null ? '' : 'WHERE a.chain = ANY(?::text[])'} ORDER BY a.number`,
      chains === null ? [] : [chains],
    ),
);

/** A key that replaced another, with the signature of that one. */
export interface EndorsedKey {
  readonly id: string;
  readonly user: string;
  readonly endorsement: Buffer;
  readonly previousKey: Buffer;
}

/** The keys that replaced others. */
export const readEndorsedKeys = longVerb(
  (database: Database): Promise<EndorsedKey[]> =>
    query<EndorsedKey>(
      database,
      { id: text, user: text, endorsement: bytes, previousKey: bytes },
      `SELECT k.id, k.user_name AS user, k.endorsement, p.public_key AS "previousKey"
       FROM user_keys k JOIN user_keys p ON p.id = k.previous_key AND p.user_name = k.user_name ORDER BY k.since, k.id`,
    ),
);

/** The acting user, and the interface used. */
export interface ActorOfEvent {
  readonly name: string;
  readonly door: string;
}

/**
 * Sets the actor of the events that this database transaction adds to the trail, where no line that it writes names one.
 * Without it the actor is the database user, with the door `database`.
 */
export async function nameActor(transaction: Database, { name, door }: ActorOfEvent): Promise<void> {
  await execute(
    transaction,
    `SELECT set_config('paybatch.actor', ?, true), set_config('paybatch.door', ?, true)`,
    [name, door],
  );
}

/** The heads of these chains, or of all, by chain. */
export const readAuditHeads = longVerb(
  (database: Database, chains: readonly string[] | null): Promise<ReadonlyMap<string, AuditHead>> =>
    headsOf(database, chains),
);

/** The same in an open database transaction. */
export async function headsOf(
  database: Database,
  chains: readonly string[] | null,
): Promise<ReadonlyMap<string, AuditHead>> {
  const heads = await query(
    database,
    { chain: text, number: int4, hash: text },
    `SELECT chain, number, hash FROM audit_heads ${chains === null ? '' : 'WHERE chain = ANY(?::text[])'} ORDER BY chain`,
    chains === null ? [] : [chains],
  );
  return new Map(heads.map(({ chain, number, hash }) => [chain, { number, hash }]));
}

/** The head of a batch's chain, and that of users, keys and policies; null for a chain without events. */
export const readHeadsOfBatch = shortVerb(
  async (
    database: Database,
    batchId: string,
  ): Promise<{ readonly own: AuditHead | null; readonly controls: AuditHead | null }> => {
    const heads = await headsOf(database, [batchId, controlsChain]);
    return { own: heads.get(batchId) ?? null, controls: heads.get(controlsChain) ?? null };
  },
);

/** This many events are read at once. */
const eventsPerPage = 1_000;

const eventColumns: Columns<AuditEvent> = {
  chain: text,
  number: int4,
  at: text,
  databaseUser: text,
  actor: text,
  door: text,
  event: text,
  details: text,
  previousHash: text,
  hash: text,
};

const selectedEvent = `chain, number, to_char(happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
  database_user AS "databaseUser", actor, door, event, details, previous_hash AS "previousHash", hash`;

/** The events of a chain, or of all chains one after the other, each in numerical order, in groups. */
export const readAuditEvents = longVerbOnce(async function* (
  database: Database,
  chain: string | null,
): AsyncGenerator<readonly AuditEvent[]> {
  let [ofChain, after] = [chain ?? '', 0];
  for (;;) {
    const page = await query<AuditEvent>(
      database,
      eventColumns,
      `SELECT ${selectedEvent} FROM audit_events WHERE ${chain === null ? '(chain, number) > (?, ?)' : 'chain = ? AND number > ?'}
         ORDER BY chain, number LIMIT ${eventsPerPage}`,
      [ofChain, after],
    );
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < eventsPerPage) return;
    [ofChain, after] = [last.chain, last.number];
  }
});

/** The end of a chain, with the ledger's facts about the whole chain. */
export interface ChainEnd {
  readonly chain: string;
  /** Undefined where the ledger has none. */
  readonly head: AuditHead | undefined;
  /** The number of existing events. */
  readonly events: number;
  /** The last of them, in the order of their numbers. */
  readonly last: readonly AuditEvent[];
}

/**
 * The ends of these chains; chains without any data are left out.
 * @param eventsOfEach at most this many events
 */
export const readChainEnds = shortVerb(
  async (
    database: Database,
    chains: readonly string[],
    eventsOfEach: number,
  ): Promise<readonly ChainEnd[]> => {
    // One statement, so that no event comes between the head and the count.
    const found = await query(
      database,
      {
        chain: text,
        headNumber: orNull(int4),
        headHash: orNull(text),
        events: int4,
        last: json<readonly AuditEvent[]>(),
      },
      `SELECT c.chain, h.number AS "headNumber", h.hash AS "headHash",
         (SELECT count(*)::int FROM audit_events WHERE chain = c.chain) AS events,
         (SELECT coalesce(json_agg(e ORDER BY e.number), '[]') FROM (
           SELECT ${selectedEvent} FROM audit_events WHERE chain = c.chain ORDER BY audit_events.number DESC LIMIT ?) e) AS last
       FROM unnest(?::text[]) AS c (chain) LEFT JOIN audit_heads h ON h.chain = c.chain`,
      [eventsOfEach, chains],
    );
    return found.flatMap(({ headNumber: number, headHash: hash, ...of }) => {
      const head = number === null || hash === null ? undefined : { number, hash };
      return head === undefined && of.events === 0 ? [] : [{ ...of, head }];
    });
  },
);

/** Triggers of the ledger's tables that are switched off, as `table.trigger`. */
export const listTriggersOff = shortVerb(
  (database: Database): Promise<readonly string[]> =>
    valuesOf(
      database,
      text,
      `SELECT c.relname || '.' || t.tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE c.relnamespace = current_schema()::regnamespace AND t.tgenabled IN ('D', 'R') ORDER BY 1`,
      [],
    ),
);
