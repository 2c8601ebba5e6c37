import { type ReconciledBatch, writtenFiles } from '../../engine/reconciling/reconciliation.ts';
import type { ComparedFiles } from '../../engine/reconciling/two-files.ts';
import { jsonSummary } from './summary.ts';

/** What `reconcile BATCH --json` prints. */
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

/** What `reconcile --left --right --json` prints. */
export function comparisonDocument({ outcome, batches, compared }: ComparedFiles): object {
  const { figures, files } = compared;
  return {
    ...jsonSummary({ outcome, batches, error: null }),
    reconciliation: { comparison: figures, files },
  };
}
