/* The audit trail in the database: its events, the heads of its chains, and the signed data. */

import { type AuditHead, controlsChain } from '../../domain/batches/batch-facts.ts';
import type { AuditEvent } from '../../domain/controls/audit.ts';
import * as sql from '../query/sql.ts';

/* Approvals and keys with their signatures, for verification. */

const signedApprovalColumns = {
  id: sql.text,
  chain: sql.text,
  statement: sql.text,
  signature: sql.bytes,
  /** In PostgreSQL's notation of an `int4multirange`; null if the statement is not about rows. */
  rows: sql.orNull(sql.text),
  /** The proof of the leaves of these rows. */
  proof: sql.orNull(sql.bytes),
  keyId: sql.text,
  /** Null if neither the approver nor a console has such a key. */
  publicKey: sql.orNull(sql.bytes),
};

/** An approval with the key that it names. */
export type SignedApproval = sql.RowOf<typeof signedApprovalColumns>;

/** The approvals and rejections in these chains, or in all chains. */
export const readSignedApprovals = sql.longVerb(
  (database: sql.Database, chains: readonly string[] | null): Promise<SignedApproval[]> =>
    sql.query(
      database,
      signedApprovalColumns,
      `SELECT a.id::text AS id, a.chain, a.statement, a.signature, a.rows::text AS rows, a.proof, a.key_id AS "keyId",
         k.public_key AS "publicKey"
       FROM (SELECT *, coalesce(batch_id::text, 'controls') AS chain FROM approvals) a
       LEFT JOIN user_keys k ON k.id = a.key_id AND (k.user_name = a.decided_by OR k.kind = 'server')
       ${chains === null ? '' : 'WHERE a.chain = ANY(?::text[])'} ORDER BY a.number`,
      chains === null ? [] : [chains],
    ),
);

/** The keys that replaced other keys, each with the signature of the replaced key. */
export const readEndorsedKeys = sql.longVerb((database: sql.Database) =>
  sql.query(
    database,
    { id: sql.text, user: sql.text, endorsement: sql.bytes, previousKey: sql.bytes },
    `SELECT k.id, k.user_name AS user, k.endorsement, p.public_key AS "previousKey"
       FROM user_keys k JOIN user_keys p ON p.id = k.previous_key AND p.user_name = k.user_name ORDER BY k.since, k.id`,
  ),
);

/** The acting user, and the interface used. */
export interface ActorOfEvent {
  readonly name: string;
  readonly channel: string;
}

/**
 * Sets the actor for the events of this database transaction, for written lines that name no actor. Without it the actor is
 * the database user, with the channel `database`.
 */
export async function nameActor(transaction: sql.Database, { name, channel }: ActorOfEvent): Promise<void> {
  await sql.execute(
    transaction,
    `SELECT set_config('paybatch.actor', ?, true), set_config('paybatch.channel', ?, true)`,
    [name, channel],
  );
}

/** Does work in one database transaction. This actor is recorded in its events. */
export function asActor<Result>(
  database: sql.Database,
  actor: ActorOfEvent,
  work: (transaction: sql.Database) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    await nameActor(transaction, actor);
    return work(transaction);
  });
}

/** The heads of these chains, or of all chains, by chain. */
export const readAuditHeads = sql.longVerb(
  async (
    database: sql.Database,
    chains: readonly string[] | null,
  ): Promise<ReadonlyMap<string, AuditHead>> => {
    const heads = await sql.query(
      database,
      { chain: sql.text, number: sql.int4, hash: sql.text },
      `SELECT chain, number, hash FROM audit_heads ${chains === null ? '' : 'WHERE chain = ANY(?::text[])'} ORDER BY chain`,
      chains === null ? [] : [chains],
    );
    return new Map(heads.map(({ chain, ...head }) => [chain, head]));
  },
);

/** The head of a batch's chain, and that of users, keys and policies; null for a chain without events. */
export const readHeadsOfBatch = sql.shortVerb(
  async (
    database: sql.Database,
    batchId: string,
  ): Promise<{ readonly own: AuditHead | null; readonly controls: AuditHead | null }> => {
    const heads = await readAuditHeads(database, [batchId, controlsChain]);
    return { own: heads.get(batchId) ?? null, controls: heads.get(controlsChain) ?? null };
  },
);

/** How many events one statement reads. */
const eventsPerPage = 1_000;

const eventColumns: sql.Columns<AuditEvent> = {
  chain: sql.text,
  number: sql.int4,
  at: sql.text,
  databaseUser: sql.text,
  actor: sql.text,
  channel: sql.text,
  event: sql.text,
  details: sql.text,
  previousHash: sql.text,
  hash: sql.text,
};

const selectedEvent = `chain, number, to_char(happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
  database_user AS "databaseUser", actor, channel, event, details, previous_hash AS "previousHash", hash`;

/**
 * The events of one chain, or of all chains one after the other, in groups. The events of each chain are in numerical order.
 */
export const readAuditEvents = sql.longVerbOnce(async function* (
  database: sql.Database,
  chain: string | null,
): AsyncGenerator<readonly AuditEvent[]> {
  let [ofChain, after] = [chain ?? '', 0];
  for (;;) {
    const page = await sql.query<AuditEvent>(
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

/** The end of a chain, with its head and the number of its events. */
interface ChainEnd {
  readonly chain: string;
  /** Undefined if the ledger has no head of it. */
  readonly head: AuditHead | undefined;
  /** The number of events in the chain. */
  readonly events: number;
  /** The last events, in the order of their numbers. */
  readonly last: readonly AuditEvent[];
}

/**
 * The ends of these chains; chains without any data are omitted.
 * @param eventsOfEach the maximum number of events for each chain
 */
export const readChainEnds = sql.shortVerb(
  async (
    database: sql.Database,
    chains: readonly string[],
    eventsOfEach: number,
  ): Promise<readonly ChainEnd[]> => {
    // One statement, so that no event comes between the head and the count.
    const found = await sql.query(
      database,
      {
        chain: sql.text,
        headNumber: sql.orNull(sql.int4),
        headHash: sql.orNull(sql.text),
        events: sql.int4,
        last: sql.json<readonly AuditEvent[]>(),
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

/** Disabled triggers of the ledger's tables, as `table.trigger`. */
export const listTriggersOff = sql.shortVerb(
  (database: sql.Database): Promise<readonly string[]> =>
    sql.valuesOf(
      database,
      sql.text,
      `SELECT c.relname || '.' || t.tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE c.relnamespace = current_schema()::regnamespace AND t.tgenabled IN ('D', 'R') ORDER BY 1`,
      [],
    ),
);
