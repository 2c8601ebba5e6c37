/*
 * What the tables have of rows that were requested, to be held against approvals and run logs; and the claims that no
 * approval allows. Nothing here calls a function of the database that could be replaced.
 */

import { hashOfInput } from '../../../migrations/0001-schema/rows.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { asFence, requestOf } from '../query/planner.ts';
import {
  bool,
  bytes,
  type Database,
  int4,
  json,
  longVerb,
  numbersLiteral,
  orNull,
  query,
  text,
  uuid,
} from '../query/sql.ts';

/** A row of a batch with its request, its object, and the answer that tells of the object. */
export interface RowEvidence {
  readonly row: number;
  readonly resource: string | null;
  /** Null where it is missing or was not asked for. */
  readonly record: NormalisedRecord | null;
  /** What was noted of cells, record, findings and notes when they were written; null where they are missing. */
  readonly stagedHash: Buffer | null;
  /** Whether they still have that hash. */
  readonly isAsStaged: boolean;
  /** Whether its code is another one than that of the answer that refused it. */
  readonly isOtherCode: boolean;
  /** Whether an answer is missing that created nothing. A recovered ledger never had all of them. */
  readonly isAnswerGone: boolean;
  /** Of its present request; null for a row without one. */
  readonly path: string | null;
  /** Null as well where it was not asked for. */
  readonly body: Buffer | null;
  /** Whether path and body have the hash that was noted when they were written. */
  readonly isRequestAsNoted: boolean;
  /** The object that was created for it; null where there is none. */
  readonly objectId: string | null;
  /** What the answer names that created an object, the one for this object where there is one; null where none did. */
  readonly answeredId: string | null;
  /** The body of that answer; null where it was not kept. */
  readonly answer: string | null;
  /** Whether a person, or the answer to a lost run, named the object. */
  readonly isStated: boolean;
}

/** SQL of the hash of request `q`, as `fingerprintOf` makes it. */
const hashOfRequest = `sha256(convert_to('POST ' || q.path || chr(10), 'UTF8') || q.body)`;

/**
 * The next rows of a batch, in row order. Hashes are made here, so that contents that nobody needs are not sent to the program.
 * @param withContent whether records and bodies are needed
 */
export const readRowEvidence = longVerb(
  (
    database: Database,
    batchId: string,
    afterRow: number,
    limit: number,
    withContent: boolean,
  ): Promise<RowEvidence[]> => {
    return query<RowEvidence>(
      database,
      {
        row: int4,
        resource: orNull(text),
        record: orNull(json()),
        stagedHash: orNull(bytes),
        isAsStaged: bool,
        isOtherCode: bool,
        isAnswerGone: bool,
        path: orNull(text),
        body: orNull(bytes),
        isRequestAsNoted: bool,
        objectId: orNull(text),
        answeredId: orNull(text),
        answer: orNull(text),
        isStated: bool,
      },
      `SELECT s.row_number AS row, s.resource, ${withContent ? 'i.record' : 'NULL::jsonb AS record'}, i.hash AS "stagedHash", i.is_as_staged IS TRUE AS "isAsStaged",
         s.state = 'rejected' AND s.code <> '${superseded}' AND EXISTS (SELECT FROM attempts
           WHERE batch_id = s.batch_id AND row_number = s.row_number AND generation = s.generation AND outcome = 'refused'
           HAVING bool_and(reason IS DISTINCT FROM s.code)) AS "isOtherCode",
         s.attempts > 0 AND f.object_id IS NULL AND NOT ${isRecovered} AND s.attempts > (SELECT count(*) FROM attempts
           WHERE batch_id = s.batch_id AND row_number = s.row_number AND number <= s.attempts) AS "isAnswerGone", q.path,
         ${withContent ? 'q.body' : 'NULL::bytea AS body'}, (q.fingerprint = ${hashOfRequest}) IS TRUE AS "isRequestAsNoted", f.object_id AS "objectId",
         a.object_id AS "answeredId", a.answer,
         EXISTS (SELECT FROM verdicts WHERE batch_id = s.batch_id AND row_number = s.row_number
             AND object_id = coalesce(f.object_id, a.object_id))
           OR EXISTS (SELECT FROM late_creations WHERE batch_id = s.batch_id AND row_number = s.row_number
             AND object_id = coalesce(f.object_id, a.object_id)) AS "isStated"
       FROM (SELECT batch_id, row_number, resource, generation, state, code, attempts FROM row_states
         WHERE batch_id = ? AND row_number > ? ORDER BY row_number LIMIT ?) s
       LEFT JOIN LATERAL (SELECT record, hash, hash = ${hashOfInput('(SELECT leaf_salt FROM batches WHERE id = batch_id)')} AS is_as_staged
         FROM row_inputs i WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) i ON true
       ${requestOf('s')}
       LEFT JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) f ON true
       LEFT JOIN LATERAL (SELECT object_id, answer FROM attempts
         WHERE batch_id = s.batch_id AND row_number = s.row_number AND outcome = 'created'
         ORDER BY (object_id = f.object_id) IS TRUE DESC, number DESC LIMIT 1) a ON true
       ORDER BY s.row_number`,
      [batchId, batchId, afterRow, limit],
    );
  },
);

/** SQL: the batch whose id is bound here was rebuilt from its run log, which lacks answers. */
const isRecovered = `EXISTS (SELECT FROM runs WHERE batch_id = ? AND command = 'recover')`;

/** The code of a refused row that another row replaces. */
const superseded = 'superseded';

/** A group of rows that was staged together. */
export interface StagedGroup {
  readonly firstRow: number;
  readonly lastRow: number;
  /** Over the hashes of its rows. */
  readonly hash: Buffer;
}

/** The groups in which the rows of a batch were staged, in row order. */
export const readStagedGroups = longVerb((database: Database, batchId: string): Promise<StagedGroup[]> => {
  return query<StagedGroup>(
    database,
    { firstRow: int4, lastRow: int4, hash: bytes },
    `SELECT first_row AS "firstRow", last_row AS "lastRow", hash FROM staged_hashes WHERE batch_id = ? ORDER BY first_row`,
    [batchId],
  );
});

/** An answer as the ledger has it. */
export interface KnownAnswer {
  readonly row: number;
  /** Counts the requests of the row. */
  readonly number: number;
  readonly idempotencyKey: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly httpStatus: number | null;
  /** The object that its row has now; null where it has none. */
  readonly rowsObject: string | null;
}

/** The answers of rows whose request is there. */
export const readKnownAnswers = longVerb(
  (database: Database, batchId: string, rows: readonly number[]): Promise<KnownAnswer[]> => {
    return query<KnownAnswer>(
      database,
      {
        row: int4,
        number: int4,
        idempotencyKey: uuid,
        outcome: text,
        reason: orNull(text),
        httpStatus: orNull(int4),
        rowsObject: orNull(text),
      },
      `SELECT a.row_number AS row, a.number, q.idempotency_key AS "idempotencyKey", a.outcome, a.reason,
         a.http_status AS "httpStatus", f.object_id AS "rowsObject"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT * FROM attempts WHERE batch_id = ? AND row_number = g.row_number ${asFence}) a
       CROSS JOIN LATERAL (SELECT idempotency_key FROM requests WHERE batch_id = ? AND row_number = g.row_number
         AND generation = a.generation ${asFence}) q
       LEFT JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) f ON true`,
      [numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
);

/** A request as the ledger has it, and the objects that it knows of for the row. */
export interface LoggedEvidence {
  readonly row: number;
  readonly generation: number;
  /** Whether it is the request under the row's present key. */
  readonly isPresent: boolean;
  readonly idempotencyKey: string;
  /** SHA-256 of its path and body, in hex. */
  readonly requestHash: string;
}

/** All requests of rows, of every generation. */
export const readLoggedEvidence = longVerb(
  (database: Database, batchId: string, rows: readonly number[]): Promise<LoggedEvidence[]> => {
    return query<LoggedEvidence>(
      database,
      { row: int4, generation: int4, isPresent: bool, idempotencyKey: uuid, requestHash: text },
      `SELECT q.row_number AS row, q.generation, q.generation = s.generation AS "isPresent",
         q.idempotency_key AS "idempotencyKey", encode(${hashOfRequest}, 'hex') AS "requestHash"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT generation FROM row_states
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) s
       CROSS JOIN LATERAL (SELECT * FROM requests WHERE batch_id = ? AND row_number = g.row_number ${asFence}) q`,
      [numbersLiteral(rows), batchId, batchId],
    );
  },
);

/** The objects that the ledger knows of for rows, also those that a lost run created, and those that a person took back. */
export const readKnownObjects = longVerb(
  (
    database: Database,
    batchId: string,
    rows: readonly number[],
  ): Promise<{ readonly row: number; readonly objectId: string }[]> => {
    return query(
      database,
      { row: int4, objectId: text },
      `SELECT g.row_number AS row, o.object_id AS "objectId" FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (
         SELECT object_id FROM created_objects WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM late_creations WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM verdicts
         WHERE batch_id = ? AND row_number = g.row_number AND from_state = 'created') o`,
      [numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
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
