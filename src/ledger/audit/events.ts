/* The audit trail as stored in the database: events and heads of its chains, and what is signed. */

import type { AuditHead } from '../../domain/batches/batch-facts.ts';
import type { AuditEvent } from '../../domain/controls/audit.ts';
import { controlsChain } from '../../domain/controls/audit.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { asFence, requestOf } from '../query/planner.ts';
import {
  bool,
  bytes,
  type Columns,
  type Database,
  execute,
  int4,
  json,
  longVerb,
  longVerbOnce,
  numbersLiteral,
  orNull,
  query,
  shortVerb,
  text,
  uuid,
} from '../query/sql.ts';

/*
 * What the tables have of rows that were requested, to be held against approvals and run logs; and the claims that no
 * approval allows. Nothing here calls a function of the database that could be replaced.
 */

/** A row of a batch with its request, its object, and the answer that tells of the object. */
export interface RowEvidence {
  readonly row: number;
  readonly resource: string | null;
  /** Null where it is missing. */
  readonly record: NormalisedRecord | null;
  /** Of its present request; null for a row without one. */
  readonly path: string | null;
  readonly body: Buffer | null;
  /** What was noted of path and body when they were written. */
  readonly fingerprint: Buffer | null;
  /** The object that was created for it; null where there is none. */
  readonly objectId: string | null;
  /** What the answer names that created an object, the one for this object where there is one; null where none did. */
  readonly answeredId: string | null;
  /** The body of that answer; null where it was not kept. */
  readonly answer: string | null;
  /** Whether a person, or the answer to a lost run, named the object. */
  readonly isStated: boolean;
}

/** The next rows of a batch, in row order. */
export const readRowEvidence = longVerb(
  (database: Database, batchId: string, afterRow: number, limit: number): Promise<RowEvidence[]> =>
    query<RowEvidence>(
      database,
      {
        row: int4,
        resource: orNull(text),
        record: orNull(json()),
        path: orNull(text),
        body: orNull(bytes),
        fingerprint: orNull(bytes),
        objectId: orNull(text),
        answeredId: orNull(text),
        answer: orNull(text),
        isStated: bool,
      },
      `SELECT s.row_number AS row, s.resource, i.record, q.path, q.body, q.fingerprint, f.object_id AS "objectId",
         a.object_id AS "answeredId", a.answer,
         EXISTS (SELECT FROM verdicts WHERE batch_id = s.batch_id AND row_number = s.row_number
             AND object_id = coalesce(f.object_id, a.object_id))
           OR EXISTS (SELECT FROM late_creations WHERE batch_id = s.batch_id AND row_number = s.row_number
             AND object_id = coalesce(f.object_id, a.object_id)) AS "isStated"
       FROM (SELECT batch_id, row_number, resource, generation FROM row_states
         WHERE batch_id = ? AND row_number > ? ORDER BY row_number LIMIT ?) s
       LEFT JOIN LATERAL (SELECT record FROM row_inputs
         WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) i ON true
       ${requestOf('s')}
       LEFT JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) f ON true
       LEFT JOIN LATERAL (SELECT object_id, answer FROM attempts
         WHERE batch_id = s.batch_id AND row_number = s.row_number AND outcome = 'created'
         ORDER BY (object_id = f.object_id) IS TRUE DESC, number DESC LIMIT 1) a ON true
       ORDER BY s.row_number`,
      [batchId, afterRow, limit],
    ),
);

/** A request as the ledger has it, and the objects that it knows of for the row. */
export interface LoggedEvidence {
  readonly row: number;
  readonly generation: number;
  /** Whether it is the request under the row's present key. */
  readonly isPresent: boolean;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly body: Buffer;
}

/** All requests of rows, of every generation. */
export const readLoggedEvidence = longVerb(
  (database: Database, batchId: string, rows: readonly number[]): Promise<LoggedEvidence[]> =>
    query<LoggedEvidence>(
      database,
      { row: int4, generation: int4, isPresent: bool, idempotencyKey: uuid, path: text, body: bytes },
      `SELECT q.row_number AS row, q.generation, q.generation = s.generation AS "isPresent",
         q.idempotency_key AS "idempotencyKey", q.path, q.body
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT generation FROM row_states
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) s
       CROSS JOIN LATERAL (SELECT * FROM requests WHERE batch_id = ? AND row_number = g.row_number ${asFence}) q`,
      [numbersLiteral(rows), batchId, batchId],
    ),
);

/** The objects that the ledger knows of for rows, also those that a lost run created, and those that a person took back. */
export const readKnownObjects = longVerb(
  (
    database: Database,
    batchId: string,
    rows: readonly number[],
  ): Promise<{ readonly row: number; readonly objectId: string }[]> =>
    query(
      database,
      { row: int4, objectId: text },
      `SELECT g.row_number AS row, o.object_id AS "objectId" FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (
         SELECT object_id FROM created_objects WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM late_creations WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM verdicts
         WHERE batch_id = ? AND row_number = g.row_number AND from_state = 'created') o`,
      [numbersLiteral(rows), batchId, batchId, batchId],
    ),
);

/** A claim that was not made under the approval that it names, or needed one and names none. */
export interface ClaimProblem {
  readonly code: 'claim_not_approved';
  readonly chain: string;
  /** Its lease token. */
  readonly id: string;
}

/** At most this many claims are named. */
const mostNamed = 20;

/**
 * Claims that name the approval of another batch, a rejection, or what was decided later; and those without one although
 * the policy of that moment asked for approvals of every batch.
 * @param chains ids of the batches; null for all
 */
export const listUnapprovedClaims = longVerb(
  async (database: Database, chains: readonly string[] | null): Promise<ClaimProblem[]> => {
    const rows = await query(
      database,
      { chain: text, id: text },
      `SELECT c.batch_id::text AS chain, c.lease_token::text AS id
       FROM claims c JOIN batches b ON b.id = c.batch_id JOIN environments e ON e.id = b.environment_id
       LEFT JOIN approvals a ON a.id = c.approval_id
       LEFT JOIN LATERAL (SELECT content::jsonb AS content FROM policies
         WHERE in_force_at <= c.claimed_at ORDER BY version DESC LIMIT 1) p ON c.approval_id IS NULL
       WHERE ${chains === null ? 'true' : 'c.batch_id::text = ANY(?::text[])'} AND (
         (c.approval_id IS NOT NULL AND (a.batch_id IS DISTINCT FROM c.batch_id OR a.decision IS DISTINCT FROM 'approve'
           OR (a.statement::jsonb->>'at')::timestamptz > c.claimed_at + interval '5 minutes'))
         OR EXISTS (SELECT FROM jsonb_array_elements(p.content->'rules') AS rule
           WHERE rule->>'mode' = e.mode AND jsonb_exists(rule->'kinds', b.kind) AND (rule->>'approvers')::int > 0
             AND rule->>'fromRows' IS NULL AND coalesce(rule->'fromSum', '{}') = '{}'
             AND coalesce(rule->'findings', '[]') = '[]' AND coalesce(rule->'perDay', 'null') = 'null'))
       ORDER BY c.claimed_at, c.lease_token LIMIT ${mostNamed}`,
      chains === null ? [] : [chains],
    );
    return rows.map((row) => ({ ...row, code: 'claim_not_approved' }));
  },
);

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
export const listTriggersOff = shortVerb(async (database: Database): Promise<readonly string[]> => {
  const found = await query(
    database,
    { name: text },
    `SELECT c.relname || '.' || t.tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE c.relnamespace = current_schema()::regnamespace AND t.tgenabled IN ('D', 'R') ORDER BY 1`,
    [],
  );
  return found.map(({ name }) => name);
});
