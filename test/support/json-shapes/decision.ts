/* The shapes of the decisions of people in `--json`, and of what a reconciliation has found. */

import * as z from 'zod';
import { publicApproval, publicClosing } from '../../../src/cli/json/public-facts.ts';
import { comparisonSchema, reconciliationSchema } from '../../../src/domain/batches/reconciliation.ts';
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

/* The closing of a batch in `--json`. */

/** The additional output of `close`. */
export const closeObject = summaryObject.extend({
  closed: z.strictObject({
    ...publicClosing.shape,
    is_new: z.boolean().meta({ description: 'False where the batch was closed before' }),
    rows: z.int().nonnegative().meta({ description: 'Rows that this call has made invalid' }),
  }),
});

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
