/* Approvals, as `--json` tells them: what a batch waits for, and what `approve` and `reject` print. */

import * as z from 'zod';
import { plannedRows } from '../../account/plan-tables.ts';
import type { DecisionResult } from '../../controls/approve.ts';
import type { ApprovalStanding } from '../../domain/batches/approval.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import { documentOf } from './document.ts';
import { auditHead, summaryObject, time } from './shared.ts';

export const approvalObject = z.strictObject({
  policy: z.int().positive().meta({ description: 'Version of the policy in force' }),
  needed: z.int().positive().meta({ description: 'So many approvers have to approve one plan' }),
  given: z.array(z.strictObject({ by: z.string(), at: time, plan_hash: z.string() })),
  in_force: z
    .uuid()
    .nullable()
    .meta({ description: 'The approval under which rows are sent; null while the batch waits' }),
  until: time.nullable(),
  rejected: z.strictObject({ by: z.string(), at: time, note: z.string() }).nullable(),
  may_approve: z.array(z.string()),
  plan_hash: z.string().nullable().meta({ description: 'Of the plan that was shown last' }),
});

export function approvalJson(standing: ApprovalStanding): z.output<typeof approvalObject> {
  const { policy, needed, given, inForce, until, rejected, mayApprove, planHash } = standing;
  return {
    policy,
    needed,
    given: given.map(({ by, at, planHash: hash }) => ({ by, at, plan_hash: hash })),
    in_force: inForce,
    until,
    rejected,
    may_approve: [...mayApprove],
    plan_hash: planHash,
  };
}

/** What `approve` and `reject` print beside their summary. */
export const decisionObject = summaryObject.extend({
  batch: z.uuid(),
  decision: z
    .uuid()
    .nullable()
    .meta({ description: 'Id of the stored decision; null where nothing was signed' }),
  by: z.string().nullable(),
  plan: z
    .strictObject({
      hash: z.string(),
      rows: z.int().nonnegative().meta({ description: 'Rows that would be sent' }),
      sums: z.array(
        z.strictObject({
          resource: z.string(),
          institution: z.string().nullable(),
          currency: z.string().nullable(),
          rows: z.int().positive(),
          amount: z.string().nullable(),
        }),
      ),
      changes: z.record(z.string(), z.int().positive()),
      report: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'The plan that was looked at; null for a rejection' }),
  approval: approvalObject,
  audit_head: auditHead,
});

/** The summary of the call, with the decision; its names are public. */
export function decisionDocument(result: DecisionResult, words: DoorWords): unknown {
  const { outcome, batches, failure, batch, decision, by, plan, standing, auditHead: head } = result;
  const summary = documentOf({ outcome, batches, failure }, words);
  return {
    ...(summary as object),
    batch: batch.id,
    decision,
    by,
    plan:
      plan === null
        ? null
        : {
            hash: plan.account.plan.planHash,
            rows: plannedRows(plan.account.plan.totals),
            sums: plan.account.plan.totals.send.map(({ resource, institution, currency, rows, amount }) => ({
              resource,
              institution,
              currency,
              rows,
              amount,
            })),
            changes: plan.account.changes.counts,
            report: plan.report,
          },
    approval: approvalJson(standing),
    audit_head: head,
  };
}
