/* Reconciliations as JSON: the document of `reconcile`, and the shapes in it. */

import * as z from 'zod';
import { comparisonSchema, reconciliationSchema } from '../../domain/batches/reconciliation.ts';
import type { ComparedFiles } from '../../reconcile/batches/batch.ts';
import { type ReconciledBatch, writtenFiles } from '../../reconcile/batches/reconciliation.ts';
import { jsonSummary } from './document.ts';
import { batchJson, error, exitCode, notes, time } from './shared.ts';

const count = z.int().nonnegative();
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
export function reconciliationDocument({
  outcome,
  batches,
  figures,
  reconciliation,
  verdicts,
}: ReconciledBatch): object {
  return {
    ...jsonSummary({ outcome, batches, error: null }),
    reconciliation: { ...figures, files: writtenFiles(reconciliation), verdicts },
  };
}

/** The output of `reconcile --left --right --json`. */
export function comparisonDocument({ outcome, batches, compared }: ComparedFiles): object {
  const { figures, files } = compared;
  return {
    ...jsonSummary({ outcome, batches, error: null }),
    reconciliation: { comparison: figures, files },
  };
}
