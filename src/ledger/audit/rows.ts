/*
 * Reads rows for the comparison with approvals and answers, and lists the claims that no approval allows. No statement here
 * calls a function of the database that could be replaced.
 */

import { hashOfInput } from '../../../migrations/0001-schema/rows.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, lookUpIfAny, requestOf, rowStateOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** SQL of the hash of request `q`, computed as `fingerprintOf` does. */
export const hashOfRequest = `sha256(convert_to('POST ' || q.path || chr(10), 'UTF8') || q.body)`;

const rowEvidenceColumns = {
  row: sql.int4,
  resource: sql.orNull(sql.text),
  /** Null if it is missing or was not requested. */
  record: sql.orNull(sql.json<NormalisedRecord>()),
  /** The hash of cells, record, findings and notes from the time of staging; null if these are missing. */
  stagedHash: sql.orNull(sql.bytes),
  /** Whether the content still has that hash. */
  isAsStaged: sql.bool,
  /** Whether the code of the refused row differs from the code in the answer that refused it. */
  isOtherCode: sql.bool,
  /** Whether an answer that created nothing is missing. False in recovered batches, which never had all of these answers. */
  isAnswerGone: sql.bool,
  /** The path of its present request; null for a row without a request. */
  path: sql.orNull(sql.text),
  /** The body of that request; also null if it was not requested. */
  body: sql.orNull(sql.bytes),
  /** Whether path and body still have the hash that was stored when they were written. */
  isRequestAsNoted: sql.bool,
  /** The object that was created for it; null if there is none. */
  objectId: sql.orNull(sql.text),
  /**
   * The object id in the answer that created an object; null if no answer did. If several did, the answer with this object
   * is used.
   */
  answeredId: sql.orNull(sql.text),
  /** The body of that answer; null if it was not stored. */
  answer: sql.orNull(sql.text),
  /** Whether a person, or the answer to a lost run, named the object. */
  isStated: sql.bool,
};

/** A row of a batch with its request, its object, and the answer about the object. */
export type RowEvidence = sql.RowOf<typeof rowEvidenceColumns>;

/** Rows of a batch: the next ones after a row number, or those with these numbers. */
type RowsToRead =
  | { readonly afterRow: number; readonly limit: number }
  | { readonly rows: readonly number[] };

/** The columns of a row's state that are needed here. */
const stateColumns = 'batch_id, row_number, resource, generation, state, code, attempts';

/** SQL of the states of rows, as `s`, and its bindings. */
function statesOf(batchId: string, wanted: RowsToRead): { sql: string; bindings: (string | number)[] } {
  if ('rows' in wanted)
    return {
      sql: `unnest(?::int[]) AS g (row_number) ${rowStateOf('g')}`,
      bindings: [arrays.numbersLiteral(wanted.rows), batchId],
    };
  return {
    sql: `(SELECT ${stateColumns} FROM row_states WHERE batch_id = ? AND row_number > ? ORDER BY row_number LIMIT ?) s`,
    bindings: [batchId, wanted.afterRow, wanted.limit],
  };
}

/** SQL: row `s` was refused, and its code differs from the code in the answer. */
const isOtherCode = `s.state = 'rejected' AND s.code <> 'superseded' AND EXISTS (SELECT FROM attempts
  WHERE batch_id = s.batch_id AND row_number = s.row_number AND generation = s.generation AND outcome = 'refused'
  HAVING bool_and(reason IS DISTINCT FROM s.code))`;

/** SQL: row `s` has no object (joined as `f`) and fewer answers than requests, in a batch that was not recovered. */
const isAnswerGone = `s.attempts > 0 AND f.object_id IS NULL
  AND NOT EXISTS (SELECT FROM runs WHERE batch_id = s.batch_id AND command = 'recover')
  AND s.attempts > (SELECT count(*) FROM attempts
    WHERE batch_id = s.batch_id AND row_number = s.row_number AND number <= s.attempts)`;

/** SQL that joins the input of row `s` as `i`, with its hash and whether its content is unchanged since staging. */
const stagedInput = `LEFT JOIN LATERAL (SELECT record, hash,
    hash = ${hashOfInput('(SELECT leaf_salt FROM batches WHERE id = batch_id)')} AS is_as_staged
  FROM row_inputs i WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) i ON true`;

/** SQL that joins the object of row `s` as `f`. */
const itsObject = lookUpIfAny('object_id FROM created_objects', 'f', 's');

const isRequestAsNoted = `(q.fingerprint = ${hashOfRequest}) IS TRUE`;

const lookAtRowsColumns = {
  firstRow: sql.int4,
  lastRow: sql.int4,
  count: sql.int4,
  /** Whether all of these rows have the content that was staged. */
  areAsStaged: sql.bool,
  /** The stored hashes of their content, concatenated in row order. */
  stagedHashes: sql.bytes,
  /** The numbers of the rows without a request, and of the rows whose request, code or answer has to be examined. */
  others: sql.json<readonly number[]>(),
};

/** The result of a check of many rows at once. */
type LookAtRows = sql.RowOf<typeof lookAtRowsColumns>;

/**
 * Checks the next rows of a batch, and returns only hashes and the numbers of rows to examine. Undefined after the last row.
 */
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
 * The evidence about rows, in row order. The database computes the hashes, so that it need not send contents to the program.
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

/** A group of rows that were staged together. */
export interface StagedGroup {
  readonly firstRow: number;
  readonly lastRow: number;
  /** The hash over the hashes of its rows. */
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

/** A claim that its approval does not allow, or that needed an approval and names none. */
export interface ClaimProblem {
  readonly code: 'claim_not_approved';
  readonly chain: string;
  /** Its lease token. */
  readonly id: string;
}

/** The maximum number of reported claims. */
const mostNamed = 20;

/**
 * Claims that name the approval of another batch, a rejection, or a decision of a later time. Also claims without an
 * approval, if the policy in force at that time required approvals for every batch.
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
