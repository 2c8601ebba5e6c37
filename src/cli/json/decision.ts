/*
 * The decisions of people in `--json`, each with its shape: `approve`, `reject`, `disown`, `resolve`, `close`, and what a
 * reconciliation has found.
 */

/* Approvals: what a batch waits for, and the output of `approve` and `reject`. */

import * as z from 'zod';
import { plannedRows } from '../../account/batch-tables.ts';
import { approvalOf, closingOf, publicApproval, publicClosing } from '../../account/facts.ts';
import type { CallResult } from '../../account/result.ts';
import type { DecisionResult, PlanForApproval } from '../../controls/approve.ts';
import type { Selection } from '../../domain/batches/open-rows.ts';
import { comparisonSchema, reconciliationSchema } from '../../domain/batches/reconciliation.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { DisownResult } from '../../engine/disown.ts';
import type { CloseResult } from '../../engine/resolve.ts';
import type { ComparedFiles } from '../../reconcile/batches/batch.ts';
import { type ReconciledBatch, writtenFiles } from '../../reconcile/batches/reconciliation.ts';
import { documentOf, jsonSummary } from './document.ts';
import { auditHead, batchJson, error, exitCode, notes, summaryObject, time } from './shared.ts';

/* The output of `disown --json`, and its shape. */

const count = z.int().nonnegative();

/** The additional output of `disown`. */
export const disownObject = summaryObject.extend({
  disowned: z.strictObject({
    fingerprint: z.string().meta({ description: 'Of the API key that was no live key' }),
    batches: z.array(
      z.strictObject({
        batch: z.uuid(),
        created: count.meta({ description: 'Rows that were created with it, and are sent again' }),
        sums: z.array(z.strictObject({ currency: z.string(), rows: count, amount: z.string() })),
        existing: count.meta({
          description: 'Rows for which such an object stood, and which are sent as well',
        }),
        prepared_anew: count.meta({
          description: 'Rows that were never sent, and whose requests are written anew',
        }),
      }),
    ),
    decided: count.meta({ description: 'Rows that a person has named as created: these stay' }),
  }),
});

/** The summary of the call, with what was taken back; its names are public. */
export function disownDocument(result: DisownResult, words: Phrasebook): object {
  const { key, taken } = result;
  const disowned = {
    fingerprint: key,
    batches: taken.batches.map(({ id, created, sums, existing, ready }) => ({
      ...{ batch: id, created, sums, existing },
      prepared_anew: ready,
    })),
    decided: taken.decided,
  };
  return { ...documentOf(result, words), disowned };
}

/* The output of `resolve --where --json`, and its shape. */

/** The additional output of `resolve` when rows were selected by conditions. */
export const selectionObject = summaryObject.extend({
  recorded: z.int().nonnegative().meta({ description: 'Verdicts; 0 where nobody has agreed' }),
  selection: z.strictObject({
    hash: z.string().meta({ description: 'What `--selection` takes' }),
    verdict: z.enum(['created', 'not-created', 'existing', 'send']),
    rows: z.int().positive(),
    sent_repeatedly: z.int().nonnegative().meta({ description: 'Rows with more than one request' }),
    sums: z.array(z.strictObject({ currency: z.string(), rows: z.int(), amount: z.string() })),
    samples: z.array(
      z.strictObject({
        row: z.int(),
        status: z.enum(['held', 'unknown']),
        code: z.string().nullable(),
        name: z.string(),
        amount: z.string(),
        reference: z.string(),
        attempts: z.int(),
      }),
    ),
  }),
});

/** The summary of the call, with the rows that were selected; its names are public. */
export function selectionDocument(
  result: CallResult & { readonly recorded: number },
  selection: Selection,
  words: Phrasebook,
): object {
  const { hash, verdict, rows, sentRepeatedly, sums, samples } = selection;
  return {
    ...documentOf(result, words),
    recorded: result.recorded,
    selection: { hash, verdict, rows, sent_repeatedly: sentRepeatedly, sums, samples },
  };
}

/* The closing of a batch in `--json`. */

/** The additional output of `close`. */
export const closeObject = summaryObject.extend({
  closed: z.strictObject({
    ...publicClosing.shape,
    is_new: z.boolean().meta({ description: 'False where the batch was closed before' }),
    rows: z.int().nonnegative().meta({ description: 'Rows that this call has made invalid' }),
  }),
});

/** The summary of the call, with the closing; its names are public. */
export function closeDocument(result: CloseResult, words: Phrasebook): object {
  const { closing, isNew, closedRows } = result;
  const closed = { ...closingOf(closing), is_new: isNew, rows: closedRows };
  return { ...documentOf(result, words), closed };
}

/** The additional output of `approve` and `reject`. */
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
  approval: publicApproval,
  audit_head: auditHead,
});

/** The summary of the call, with the decision; its names are public. */
export function decisionDocument(result: DecisionResult, words: Phrasebook): object {
  const { batch, decision, by, plan, standing, auditHead: head } = result;
  return {
    ...documentOf(result, words),
    batch: batch.id,
    decision,
    by,
    plan: plan === null ? null : planOf(plan),
    approval: approvalOf(standing),
    audit_head: head,
  };
}

function planOf({ account, report }: PlanForApproval): object {
  const { planHash, totals } = account.plan;
  return {
    hash: planHash,
    rows: plannedRows(totals),
    sums: totals.send.map(({ resource, institution, currency, rows, amount }) => ({
      ...{ resource, institution, currency, rows, amount },
    })),
    changes: account.changes.counts,
    report,
  };
}

/* Reconciliations as JSON: the document of `reconcile`, and the shapes in it. */

const path = z.string().nullable();

const verdict = z.strictObject({
  row: count,
  verdict: z.enum(['created', 'not-created', 'existing', 'send']),
  fromState: z.enum(['held', 'unknown']),
  fromCode: z.string().nullable(),
  objectId: z.string().nullable(),
  note: z.string(),
  decidedBy: z.string(),
  decidedAt: time,
});

/** `reconcile BATCH`. */
export const reconcileObject = z.strictObject({
  exit_code: exitCode,
  batches: z.array(batchJson),
  error,
  notes,
  reconciliation: z.strictObject({
    ...reconciliationSchema.shape,
    files: z.strictObject({ verdicts: path, breaks: path, pairs: path }),
    verdicts: z.array(verdict).meta({ description: 'That were given so far, oldest first' }),
  }),
});

/** `reconcile --left --right`. */
export const compareObject = z.strictObject({
  exit_code: exitCode,
  batches: z.array(batchJson),
  error,
  notes,
  reconciliation: z.strictObject({
    comparison: comparisonSchema,
    files: z.looseObject({ breaks: path, pairs: path }),
  }),
});

/** The output of `reconcile BATCH --json`. */
export function reconciliationDocument(result: ReconciledBatch): object {
  const { figures, reconciliation, verdicts } = result;
  return {
    ...jsonSummary(result),
    reconciliation: { ...figures, files: writtenFiles(reconciliation), verdicts },
  };
}

/** The output of `reconcile --left --right --json`. */
export function comparisonDocument(result: ComparedFiles): object {
  const { figures, files } = result.compared;
  return { ...jsonSummary(result), reconciliation: { comparison: figures, files } };
}
