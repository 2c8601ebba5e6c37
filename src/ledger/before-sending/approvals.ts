/* Approvals: what the policy requires for batches, the signed decisions of approvers, and the leaves of approved plans. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Kind } from '../../domain/batches/batch.ts';
import type { ApprovalStanding, GivenApproval } from '../../domain/batches/batch-facts.ts';
import type { LeafChunk } from '../../domain/controls/leaves.ts';
import type { StoredDecision } from '../../domain/controls/statement.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import { lockBatch } from '../protocol/batch-lock.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, inputOf, lookUp, requestOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/**
 * What the policy requires for batches, by batch. Batches without requirements are omitted. The first call counts how large
 * a batch is, if the policy has thresholds.
 */
export const readApprovals = sql.longVerb(
  async (
    database: sql.Database,
    batchIds: readonly string[],
  ): Promise<ReadonlyMap<string, ApprovalStanding>> => {
    const standings = await sql.query<ApprovalStanding & { readonly batchId: string }>(
      database,
      {
        batchId: sql.uuid,
        policy: sql.int4,
        needed: sql.int4,
        given: sql.json<GivenApproval[]>(),
        inForce: sql.orNull(sql.uuid),
        until: sql.orNull(sql.text),
        rejected: sql.orNull(sql.json()),
        mayApprove: sql.texts,
        takesConsole: sql.bool,
        planHash: sql.orNull(sql.text),
        contentRevision: sql.int8,
      },
      `SELECT b.id AS "batchId", r.version AS policy, r.approvers AS needed, r.in_force AS "inForce", r.console AS "takesConsole",
         counted.given, CASE WHEN r.in_force IS NOT NULL THEN counted.until END AS until,
         (SELECT CASE WHEN decision = 'reject'
            THEN json_build_object('by', decided_by, 'at', ${sql.isoUtc('decided_at')}, 'note', note) END
          FROM approvals WHERE batch_id = b.id ORDER BY number DESC LIMIT 1) AS rejected,
         ARRAY(SELECT u.name FROM users u JOIN user_keys k ON k.user_name = u.name AND k.replaced_at IS NULL
           WHERE u.role = 'approver' AND u.active_at IS NOT NULL AND u.locked_at IS NULL
             AND (r.maker_may_approve OR NOT is_maker(b.id, u.name)) ORDER BY u.name) AS "mayApprove",
         (SELECT plan_hash FROM plans WHERE batch_id = b.id ORDER BY planned_at DESC LIMIT 1) AS "planHash",
         content_revision(b.id) AS "contentRevision"
       FROM batches b
       CROSS JOIN LATERAL (SELECT rule.*, rule, (SELECT id FROM approvals_in_force(b.id, rule) AS id LIMIT 1) AS in_force
         FROM approval_rule(b.id) AS rule) r
       CROSS JOIN LATERAL (
         SELECT coalesce(json_agg(json_build_object('by', decided_by, 'at', ${sql.isoUtc('decided_at')}, 'planHash', plan_hash)
             ORDER BY number), '[]') AS given,
           ${sql.isoUtc('(min(signed_at(c)) + r.valid_for)')} AS until
         FROM counted_approvals(b.id, r.rule) c) counted
       WHERE policy_in_force() IS NOT NULL AND b.id = ANY(?::uuid[])`,
      [batchIds],
    );
    return new Map(standings.map(({ batchId, ...standing }) => [batchId, standing]));
  },
);

/** An approval of a plan, and its approver. */
export interface ApprovalBehind extends StoredDecision {
  readonly by: string;
  readonly proof: Buffer;
}

/**
 * The approvals by which an approval is in force: this approval, and the other valid ones that cover all of its rows with
 * the same leaves. The caller has to verify their signatures, and the leaves of each row that it sends.
 */
export const readApprovalsBehind = sql.longVerb(
  (database: sql.Database, batchId: string, approvalId: string): Promise<ApprovalBehind[]> =>
    sql.query<ApprovalBehind>(
      database,
      {
        id: sql.uuid,
        by: sql.text,
        statement: sql.text,
        signature: sql.bytes,
        rows: sql.text,
        proof: sql.bytes,
      },
      `SELECT c.id, c.decided_by AS by, c.statement, c.signature, c.rows::text AS rows, c.proof
       FROM approvals a
       CROSS JOIN LATERAL approval_rule(a.batch_id) AS rule
       CROSS JOIN LATERAL counted_approvals(a.batch_id, rule) c
       WHERE a.id = ? AND a.batch_id = ? AND approves_alike(c, a)
       ORDER BY c.number`,
      [approvalId, batchId],
    ),
);

/** How many of these rows are not in the plan of an approval. @param rows see `rowRanges` */
export const countUnapproved = sql.shortVerb(
  (database: sql.Database, approvalId: string, rows: string): Promise<number> =>
    sql.onlyValue(
      database,
      sql.int4,
      `SELECT coalesce(sum(upper(r) - lower(r)), 0)::int AS rows
       FROM unnest(?::int4multirange - (SELECT rows FROM approvals WHERE id = ?)) AS r`,
      [rows, approvalId],
    ),
);

/** A signed decision, in the form to be stored. */
interface DecisionToWrite extends Omit<StoredDecision, 'id'> {
  /** The leaves that are not stored yet. */
  readonly leaves: readonly LeafChunk[];
  readonly by: ActorOfEvent;
}

/** Stores a signed decision about a batch. @returns its id */
export const writeDecision = sql.longVerbOnce(
  async (
    database: Knex,
    batchId: string,
    { statement, signature, rows, proof, leaves, by }: DecisionToWrite,
  ): Promise<string> => {
    const id = randomUUID();
    await database.transaction(async (transaction) => {
      await lockBatch(transaction, batchId);
      await nameActor(transaction, by);
      await sql.execute(
        transaction,
        'INSERT INTO approvals (id, statement, signature, rows, proof) VALUES (?, ?, ?, ?::int4multirange, ?)',
        [id, statement, signature, rows, proof],
      );
      await writeLeaves(transaction, leaves);
    });
    return id;
  },
);

/* The leaves of approved plans, and the data with which the rows of a claim are compared to them. */

/** The salt of the leaves of a batch. */
export const readLeafSalt = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<string> =>
    sql.onlyValue(database, sql.uuid, 'SELECT leaf_salt AS salt FROM batches WHERE id = ?', [batchId]),
);

/**
 * Stores chunks of leaves; chunks that exist already stay unchanged. The leaves of a plan are stored while the plan is made,
 * so that they need not stay in memory.
 */
export const writeLeaves = sql.longVerb(
  async (database: sql.Database, chunks: readonly LeafChunk[]): Promise<void> => {
    if (chunks.length === 0) return;
    await sql.run(
      database,
      `INSERT INTO plan_leaves (hash, content) SELECT * FROM unnest(?::bytea[], ?::bytea[])
       ON CONFLICT DO NOTHING`,
      [
        arrays.bytesLiteral(chunks.map(({ hash }) => hash)),
        arrays.bytesLiteral(chunks.map(({ content }) => content)),
      ],
    );
  },
);

/** The stored chunks of leaves with these hashes (in hex). */
export const readLeaves = sql.shortVerb(
  (database: sql.Database, hashes: readonly string[]): Promise<LeafChunk[]> =>
    sql.query<LeafChunk>(
      database,
      { hash: sql.bytes, content: sql.bytes },
      'SELECT hash, content FROM plan_leaves WHERE hash = ANY(?::bytea[])',
      [arrays.bytesLiteral(hashes.map((hash) => Buffer.from(hash, 'hex')))],
    ),
);

/**
 * Some fields of the records of rows, by row. Each field is sent as one list for all rows. Sending a whole record for each
 * row costs both sides three times as much.
 */
export const readRecords = sql.shortVerb(
  async (
    database: sql.Database,
    batchId: string,
    rows: readonly number[],
    fields: readonly string[],
  ): Promise<ReadonlyMap<number, NormalisedRecord>> => {
    const [found] = await sql.query(
      database,
      { lists: sql.text },
      `SELECT json_build_array(json_agg(g.row_number)${', json_agg(i.record->>?)'.repeat(fields.length)})::text AS lists
       FROM unnest(?::int[]) AS g (row_number)
       ${lookUp('record FROM row_inputs', 'i', 'g', { batch: '?' })}`,
      [...fields, arrays.numbersLiteral(rows), batchId],
    );
    // If no row was found, each list is null.
    const [numbers, ...lists]: [number[] | null, ...((string | null)[] | null)[]] = JSON.parse(
      found?.lists ?? '[null]',
    );
    const records = new Map<number, NormalisedRecord>();
    for (const [at, row] of (numbers ?? []).entries()) {
      const record: Record<string, string> = {};
      for (const [place, field] of fields.entries()) {
        const value = lists[place]?.[at] ?? null;
        if (value !== null) record[field] = value;
      }
      records.set(row, record);
    }
    return records;
  },
);

const creationEvidenceColumns = {
  objectId: sql.text,
  /** Null if the payee type of its row is not known. */
  resource: sql.orNull(sql.text),
  record: sql.json<NormalisedRecord>(),
  /** The request of its row; null if the row has none. */
  body: sql.orNull(sql.bytes),
  /** The answer of the API that names the object; null if it was not stored. */
  answer: sql.orNull(sql.text),
  /** Whether an answer, a person or a run log names this object as the row's object. */
  isRecorded: sql.bool,
};

/** The ledger's data about an object that a row created. */
export type CreationEvidence = sql.RowOf<typeof creationEvidenceColumns>;

/** Evidence that rows in a batch's environment created the objects with these ids. */
export const readCreationEvidence = sql.shortVerb(
  (
    database: sql.Database,
    batchId: string,
    kind: Kind,
    objectIds: readonly string[],
  ): Promise<CreationEvidence[]> =>
    sql.query(
      database,
      creationEvidenceColumns,
      `SELECT r.object_id AS "objectId", r.resource, i.record, q.body, a.answer,
         a.is_there IS TRUE
           OR EXISTS (SELECT FROM verdicts WHERE batch_id = r.batch_id AND row_number = r.row_number
             AND object_id = r.object_id)
           OR EXISTS (SELECT FROM late_creations WHERE batch_id = r.batch_id AND row_number = r.row_number
             AND object_id = r.object_id) AS "isRecorded"
       FROM (SELECT environment_id FROM batches WHERE id = ?) b
       CROSS JOIN LATERAL (SELECT f.batch_id, f.row_number, f.object_id, s.resource, s.generation
         FROM created_objects f JOIN row_states s USING (batch_id, row_number)
         WHERE f.environment_id = b.environment_id AND f.kind = ? AND f.object_id = ANY(?::text[]) ${asFence}) r
       ${inputOf('r')} ${requestOf('r')}
       LEFT JOIN LATERAL (SELECT true AS is_there, answer FROM attempts
         WHERE batch_id = r.batch_id AND row_number = r.row_number AND outcome = 'created' AND object_id = r.object_id
         ORDER BY answer IS NULL, number DESC LIMIT 1) a ON true`,
      [batchId, kind, objectIds],
    ),
);
