import { type ReconciledBatch, writtenFiles } from '../../engine/reconciling/ending.ts';
import type { ComparedFiles } from '../../engine/reconciling/two-files.ts';
import { jsonSummary } from './summary.ts';

/** What `reconcile BATCH --json` prints. */
export function reconciliationDocument({
  exitCode,
  batches,
  figures,
  reconciliation,
  verdicts,
}: ReconciledBatch): object {
  return {
    ...jsonSummary({ exitCode, batches, error: null }),
    reconciliation: { ...figures, files: writtenFiles(reconciliation), verdicts },
  };
}

/** What `reconcile --left --right --json` prints. */
export function comparisonDocument({ exitCode, batches, compared }: ComparedFiles): object {
  const { figures, files } = compared;
  return {
    ...jsonSummary({ exitCode, batches, error: null }),
    reconciliation: { comparison: figures, files },
  };
}
