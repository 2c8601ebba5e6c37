/*
 * What the tables have of rows, requests and answers, to be held against approvals, answers and run logs; and the claims
 * that no approval allows. Nothing here calls a function of the database that could be replaced.
 */

import { hashOfInput } from '../../../migrations/0001-schema/rows.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { asFence, requestOf, rowStateOf } from '../query/planner.ts';
import * as sql from '../query/sql.ts';

/** SQL of the hash of request `q`, as `fingerprintOf` makes it. */
const hashOfRequest = `sha256(convert_to('POST ' || q.path || chr(10), 'UTF8') || q.body)`;

const rowEvidenceColumns = {
  row: sql.int4,
  resource: sql.orNull(sql.text),
  /** Null where it is missing or was not asked for. */
  record: sql.orNull(sql.json<NormalisedRecord>()),
  /** What was noted of cells, record, findings and notes when they were written; null where they are missing. */
  stagedHash: sql.orNull(sql.bytes),
  /** Whether they still have that hash. */
  isAsStaged: sql.bool,
  /** Whether its code is another one than that of the answer that refused it. */
  isOtherCode: sql.bool,
  /** Whether an answer is missing that created nothing. A recovered ledger never had all of them. */
  isAnswerGone: sql.bool,
  /** Of its present request; null for a row without one. */
  path: sql.orNull(sql.text),
  /** Null as well where it was not asked for. */
  body: sql.orNull(sql.bytes),
  /** Whether path and body have the hash that was noted when they were written. */
  isRequestAsNoted: sql.bool,
  /** The object that was created for it; null where there is none. */
  objectId: sql.orNull(sql.text),
  /** What the answer names that created an object, the one for this object where there is one; null where none did. */
  answeredId: sql.orNull(sql.text),
  /** The body of that answer; null where it was not kept. */
  answer: sql.orNull(sql.text),
  /** Whether a person, or the answer to a lost run, named the object. */
  isStated: sql.bool,
};

/** A row of a batch with its request, its object, and the answer that tells of the object. */
export type RowEvidence = sql.RowOf<typeof rowEvidenceColumns>;

/** Rows of a batch: the next ones after a row number, or those with these numbers. */
type RowsToRead =
  | { readonly afterRow: number; readonly limit: number }
  | { readonly rows: readonly number[] };

/** What of a row's state is needed. */
const stateColumns = 'batch_id, row_number, resource, generation, state, code, attempts';

/** SQL of the states of rows, as `s`, and its bindings. */
function statesOf(batchId: string, wanted: RowsToRead): { sql: string; bindings: (string | number)[] } {
  if ('rows' in wanted)
    return {
      sql: `unnest(?::int[]) AS g (row_number) ${rowStateOf('g')}`,
      bindings: [sql.numbersLiteral(wanted.rows), batchId],
    };
  return {
    sql: `(SELECT ${stateColumns} FROM row_states WHERE batch_id = ? AND row_number > ? ORDER BY row_number LIMIT ?) s`,
    bindings: [batchId, wanted.afterRow, wanted.limit],
  };
}

/** SQL: the refusal of row `s` has another code than the answer. */
const isOtherCode = `s.state = 'rejected' AND s.code <> 'superseded' AND EXISTS (SELECT FROM attempts
  WHERE batch_id = s.batch_id AND row_number = s.row_number AND generation = s.generation AND outcome = 'refused'
  HAVING bool_and(reason IS DISTINCT FROM s.code))`;

/** SQL: row `s`, which has the object `f` or none, has fewer answers than requests. */
const isAnswerGone = `s.attempts > 0 AND f.object_id IS NULL
  AND NOT EXISTS (SELECT FROM runs WHERE batch_id = s.batch_id AND command = 'recover')
  AND s.attempts > (SELECT count(*) FROM attempts
    WHERE batch_id = s.batch_id AND row_number = s.row_number AND number <= s.attempts)`;

/** SQL that joins the input of row `s` as `i`, with whether it is what was staged. */
const stagedInput = `LEFT JOIN LATERAL (SELECT record, hash,
    hash = ${hashOfInput('(SELECT leaf_salt FROM batches WHERE id = batch_id)')} AS is_as_staged
  FROM row_inputs i WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) i ON true`;

/** SQL that joins the object of row `s` as `f`. */
const itsObject = `LEFT JOIN LATERAL (SELECT object_id FROM created_objects
  WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) f ON true`;

const isRequestAsNoted = `(q.fingerprint = ${hashOfRequest}) IS TRUE`;

const lookAtRowsColumns = {
  firstRow: sql.int4,
  lastRow: sql.int4,
  count: sql.int4,
  /** Whether all of them have the content that was staged. */
  areAsStaged: sql.bool,
  /** What was noted of their content, one after the other, in row order. */
  stagedHashes: sql.bytes,
  /** The numbers of those that have no request, or of which a request, a code or an answer needs a closer look. */
  others: sql.json<readonly number[]>(),
};

/** What a look at many rows at once has found. */
type LookAtRows = sql.RowOf<typeof lookAtRowsColumns>;

/** Looks at the next rows of a batch, without sending anything that is as it was noted. Undefined after the last one. */
export const lookAtRows = sql.longVerb(
  (
    database: sql.Database,
    batchId: string,
    afterRow: number,
    limit: number,
  ): Promise<LookAtRows | undefined> => {
    const states = statesOf(batchId, { afterRow, limit });
    return sql.findRow(
      database,
      lookAtRowsColumns,
      `SELECT min(row) AS "firstRow", max(row) AS "lastRow", count(*)::int AS count, bool_and(is_as_staged) AS "areAsStaged",
         coalesce(string_agg(hash, ''::bytea ORDER BY row), '') AS "stagedHashes",
         coalesce(json_agg(row) FILTER (WHERE is_other), '[]') AS others
       FROM (SELECT s.row_number AS row, i.hash, i.is_as_staged IS TRUE AS is_as_staged,
           q.path IS NULL OR NOT ${isRequestAsNoted} OR (${isOtherCode}) OR (${isAnswerGone}) AS is_other
         FROM ${states.sql} ${stagedInput} ${requestOf('s')} ${itsObject}) looked
       HAVING count(*) > 0`,
      states.bindings,
    );
  },
);

/**
 * What the tables have of rows, in row order. Hashes are made here, so that contents that are not needed are not sent to the
 * program.
 * @param withContent whether records and bodies are needed
 */
export const readRowEvidence = sql.longVerb(
  (
    database: sql.Database,
    batchId: string,
    wanted: RowsToRead,
    withContent: boolean,
  ): Promise<RowEvidence[]> => {
    const states = statesOf(batchId, wanted);
    return sql.query(
      database,
      rowEvidenceColumns,
      `SELECT s.row_number AS row, s.resource, ${withContent ? 'i.record' : 'NULL::jsonb AS record'}, i.hash AS "stagedHash", i.is_as_staged IS TRUE AS "isAsStaged",
         ${isOtherCode} AS "isOtherCode", ${isAnswerGone} AS "isAnswerGone", q.path,
         ${withContent ? 'q.body' : 'NULL::bytea AS body'}, ${isRequestAsNoted} AS "isRequestAsNoted", f.object_id AS "objectId",
         a.object_id AS "answeredId", a.answer,
         EXISTS (SELECT FROM verdicts WHERE batch_id = s.batch_id AND row_number = s.row_number
             AND object_id = coalesce(f.object_id, a.object_id))
           OR EXISTS (SELECT FROM late_creations WHERE batch_id = s.batch_id AND row_number = s.row_number
             AND object_id = coalesce(f.object_id, a.object_id)) AS "isStated"
       FROM ${states.sql} ${stagedInput} ${requestOf('s')} ${itsObject}
       LEFT JOIN LATERAL (SELECT object_id, answer FROM attempts
         WHERE batch_id = s.batch_id AND row_number = s.row_number AND outcome = 'created'
         ORDER BY (object_id = f.object_id) IS TRUE DESC, number DESC LIMIT 1) a ON true
       ORDER BY s.row_number`,
      states.bindings,
    );
  },
);

/** A group of rows that was staged together. */
export interface StagedGroup {
  readonly firstRow: number;
  readonly lastRow: number;
  /** Over the hashes of its rows. */
  readonly hash: Buffer;
}

/** The groups in which the rows of a batch were staged, in row order. */
export const readStagedGroups = sql.longVerb(
  (database: sql.Database, batchId: string): Promise<StagedGroup[]> => {
    return sql.query<StagedGroup>(
      database,
      { firstRow: sql.int4, lastRow: sql.int4, hash: sql.bytes },
      `SELECT first_row AS "firstRow", last_row AS "lastRow", hash FROM staged_hashes WHERE batch_id = ? ORDER BY first_row`,
      [batchId],
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
export const listUnapprovedClaims = sql.longVerb(
  async (database: sql.Database, chains: readonly string[] | null): Promise<ClaimProblem[]> => {
    const rows = await sql.query(
      database,
      { chain: sql.text, id: sql.text },
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

/* Requests and answers that run logs tell of. */

/** A request as a run log has it. */
interface LoggedRequest {
  readonly row: number;
  readonly generation: number;
  readonly key: string;
  /** SHA-256 of its path and body, in hex. */
  readonly request_hash: string;
}

/** Of these requests, the places of those that the ledger does not have in the same way, or not as the present ones of their rows. */
export const findOtherRequests = sql.longVerb(
  (database: sql.Database, batchId: string, logged: readonly LoggedRequest[]): Promise<number[]> =>
    sql.valuesOf(
      database,
      sql.int4,
      `SELECT g.n::int - 1 AS n
       FROM unnest(?::int[], ?::bigint[], ?::uuid[], ?::text[]) WITH ORDINALITY AS g (row_number, generation, key, hash, n)
       LEFT JOIN LATERAL (SELECT generation FROM row_states
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) s ON true
       LEFT JOIN LATERAL (SELECT idempotency_key, path, body FROM requests
         WHERE batch_id = ? AND row_number = g.row_number AND generation = s.generation ${asFence}) q ON true
       WHERE (s.generation = g.generation AND q.idempotency_key = g.key AND encode(${hashOfRequest}, 'hex') = g.hash) IS NOT TRUE`,
      [
        ...sql.arraysOf(logged, 'row', 'generation', 'key').map(sql.numbersLiteral),
        sql.numbersLiteral(logged.map(({ request_hash: hash }) => hash)),
        batchId,
        batchId,
      ],
    ),
);

/** An answer as a run log has it. */
export interface LoggedAnswer {
  readonly row: number;
  readonly attempt: number;
  readonly key: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly status: number | null;
  readonly id: string | null;
}

/** Of these answers, the places of those that the ledger does not have in the same way, with their object as that of the row. */
export const findOtherAnswers = sql.longVerb(
  (database: sql.Database, batchId: string, logged: readonly LoggedAnswer[]): Promise<number[]> =>
    sql.valuesOf(
      database,
      sql.int4,
      `SELECT g.n::int - 1 AS n
       FROM unnest(?::int[], ?::bigint[], ?::uuid[], ?::bigint[], ${sql.textsParameter}, ${sql.textsParameter}, ${sql.textsParameter})
         WITH ORDINALITY AS g (row_number, number, key, status, outcome, reason, id, n)
       LEFT JOIN LATERAL (SELECT generation, outcome, reason, http_status FROM attempts
         WHERE batch_id = ? AND row_number = g.row_number AND number = g.number ${asFence}) a ON true
       LEFT JOIN LATERAL (SELECT idempotency_key FROM requests WHERE batch_id = ? AND row_number = g.row_number
         AND generation = a.generation ${asFence}) q ON true
       LEFT JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) f ON true
       WHERE g.row_number IS NOT NULL AND (q.idempotency_key = g.key AND a.outcome = g.outcome
         AND a.reason IS NOT DISTINCT FROM g.reason AND a.http_status IS NOT DISTINCT FROM g.status
         AND (g.outcome <> 'created' OR f.object_id = g.id)) IS NOT TRUE`,
      [
        ...sql.arraysOf(logged, 'row', 'attempt', 'key', 'status').map(sql.numbersLiteral),
        ...sql.textsBindings(logged.map(({ outcome }) => outcome)),
        ...sql.textsBindings(logged.map(({ reason }) => reason)),
        ...sql.textsBindings(logged.map(({ id }) => id)),
        batchId,
        batchId,
        batchId,
      ],
    ),
);

const knownAnswerColumns = {
  row: sql.int4,
  /** Counts the requests of the row. */
  number: sql.int4,
  idempotencyKey: sql.uuid,
  outcome: sql.text,
  reason: sql.orNull(sql.text),
  httpStatus: sql.orNull(sql.int4),
  /** The object that its row has now; null where it has none. */
  rowsObject: sql.orNull(sql.text),
};

/** An answer as the ledger has it. */
export type KnownAnswer = sql.RowOf<typeof knownAnswerColumns>;

/** The answers of rows whose request is there. */
export const readKnownAnswers = sql.longVerb(
  (database: sql.Database, batchId: string, rows: readonly number[]): Promise<KnownAnswer[]> => {
    return sql.query(
      database,
      knownAnswerColumns,
      `SELECT a.row_number AS row, a.number, q.idempotency_key AS "idempotencyKey", a.outcome, a.reason,
         a.http_status AS "httpStatus", f.object_id AS "rowsObject"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT * FROM attempts WHERE batch_id = ? AND row_number = g.row_number ${asFence}) a
       CROSS JOIN LATERAL (SELECT idempotency_key FROM requests WHERE batch_id = ? AND row_number = g.row_number
         AND generation = a.generation ${asFence}) q
       LEFT JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) f ON true`,
      [sql.numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
);

const knownRequestColumns = {
  row: sql.int4,
  generation: sql.int4,
  /** Whether it is the request under the row's present key. */
  isPresent: sql.bool,
  idempotencyKey: sql.uuid,
  /** SHA-256 of its path and body, in hex. */
  requestHash: sql.text,
};

/** A request as the ledger has it. */
export type KnownRequest = sql.RowOf<typeof knownRequestColumns>;

/** All requests of rows, of every generation. */
export const readKnownRequests = sql.longVerb(
  (database: sql.Database, batchId: string, rows: readonly number[]): Promise<KnownRequest[]> => {
    return sql.query(
      database,
      knownRequestColumns,
      `SELECT q.row_number AS row, q.generation, q.generation = s.generation AS "isPresent",
         q.idempotency_key AS "idempotencyKey", encode(${hashOfRequest}, 'hex') AS "requestHash"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT generation FROM row_states
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) s
       CROSS JOIN LATERAL (SELECT * FROM requests WHERE batch_id = ? AND row_number = g.row_number ${asFence}) q`,
      [sql.numbersLiteral(rows), batchId, batchId],
    );
  },
);

/** The objects that the ledger knows of for rows, also those that a lost run created, and those that a person took back. */
export const readKnownObjects = sql.longVerb(
  (
    database: sql.Database,
    batchId: string,
    rows: readonly number[],
  ): Promise<{ readonly row: number; readonly objectId: string }[]> => {
    return sql.query(
      database,
      { row: sql.int4, objectId: sql.text },
      `SELECT g.row_number AS row, o.object_id AS "objectId" FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (
         SELECT object_id FROM created_objects WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM late_creations WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM verdicts
         WHERE batch_id = ? AND row_number = g.row_number AND from_state = 'created') o`,
      [sql.numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
);
