/* Approvals: what the policy asks of batches, and the signed decisions of approvers. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { ApprovalStanding, GivenApproval } from '../../domain/batches/batch-facts.ts';
import type { LeafChunk, StoredDecision } from '../../domain/controls/statement.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import { lockBatch } from '../protocol/batch-lock.ts';
import {
  bool,
  bytes,
  type Database,
  execute,
  int4,
  int8,
  isoUtc,
  json,
  orNull,
  query,
  text,
  texts,
  uuid,
  verb,
} from '../query/sql.ts';
import { storeLeaves } from './leaves.ts';

/**
 * The policy's requirements for batches, by batch. Batches without requirements are left out.
 * How large a batch is for a policy with thresholds is counted at the first call.
 */
export const readApprovals = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, batchIds: readonly string[]): Promise<ReadonlyMap<string, ApprovalStanding>> => {
    const standings = await query<ApprovalStanding & { readonly batchId: string }>(
      database,
      {
        batchId: uuid,
        policy: int4,
        needed: int4,
        given: json<GivenApproval[]>(),
        inForce: orNull(uuid),
        until: orNull(text),
        rejected: orNull(json()),
        mayApprove: texts,
        takesConsole: bool,
        planHash: orNull(text),
        contentRevision: int8,
      },
      `SELECT b.id AS "batchId", r.version AS policy, r.approvers AS needed, r.in_force AS "inForce", r.console AS "takesConsole",
         counted.given, CASE WHEN r.in_force IS NOT NULL THEN counted.until END AS until,
         (SELECT CASE WHEN decision = 'reject'
            THEN json_build_object('by', decided_by, 'at', ${isoUtc('decided_at')}, 'note', note) END
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
         SELECT coalesce(json_agg(json_build_object('by', decided_by, 'at', ${isoUtc('decided_at')}, 'planHash', plan_hash)
             ORDER BY number), '[]') AS given,
           ${isoUtc('(min(signed_at(c)) + r.valid_for)')} AS until
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
 * The approvals that put one into force: that approval, and the other valid ones that cover all of its rows with
 * the same leaves. The caller has to verify their signatures, and the leaves of each row that it sends.
 */
export const readApprovalsBehind = verb(
  { pool: 'long', repeatable: true },
  (database: Database, batchId: string, approvalId: string): Promise<ApprovalBehind[]> => {
    return query<ApprovalBehind>(
      database,
      { id: uuid, by: text, statement: text, signature: bytes, rows: text, proof: bytes },
      `SELECT c.id, c.decided_by AS by, c.statement, c.signature, c.rows::text AS rows, c.proof
       FROM approvals a
       CROSS JOIN LATERAL approval_rule(a.batch_id) AS rule
       CROSS JOIN LATERAL counted_approvals(a.batch_id, rule) c
       WHERE a.id = ? AND a.batch_id = ? AND approves_alike(c, a)
       ORDER BY c.number`,
      [approvalId, batchId],
    );
  },
);

/** How many of these rows are not in the plan that an approval is about. @param rows see `rowRanges` */
export const countUnapproved = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, approvalId: string, rows: string): Promise<number> => {
    const [found] = await query(
      database,
      { rows: int4 },
      `SELECT coalesce(sum(upper(r) - lower(r)), 0)::int AS rows
       FROM unnest(?::int4multirange - (SELECT rows FROM approvals WHERE id = ?)) AS r`,
      [rows, approvalId],
    );
    return found?.rows ?? 0;
  },
);

/** A signed decision, in the form to be stored. */
export interface DecisionToWrite {
  readonly statement: string;
  readonly signature: Buffer;
  /** The rows of the approved plan, as text; null for a rejection. */
  readonly rows: string | null;
  /** The proof of its leaves; null for a rejection. */
  readonly proof: Buffer | null;
  /** Those of its leaves that are not stored yet. */
  readonly leaves: readonly LeafChunk[];
  readonly by: ActorOfEvent;
}

/** Stores a signed decision about a batch. @returns its id */
export const writeDecision = verb(
  { pool: 'long', repeatable: false },
  async (
    database: Knex,
    batchId: string,
    { statement, signature, rows, proof, leaves, by }: DecisionToWrite,
  ): Promise<string> => {
    const id = randomUUID();
    await database.transaction(async (transaction) => {
      await lockBatch(transaction, batchId);
      await nameActor(transaction, by);
      await execute(
        transaction,
        'INSERT INTO approvals (id, statement, signature, rows, proof) VALUES (?, ?, ?, ?::int4multirange, ?)',
        [id, statement, signature, rows, proof],
      );
      await storeLeaves(transaction, leaves);
    });
    return id;
  },
);
