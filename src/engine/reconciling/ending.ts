import type { BatchRecord } from '../../domain/batches/batch.ts';
import { type ExitCode, exitCodes } from '../../domain/failures/exit-code.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { type BatchSummary, jsonSummary } from '../../output/words/json-summary.ts';
import { hasDifferences } from '../../reconcile/accounting/account.ts';
import { userName } from '../access/user-name.ts';
import type { CallResult } from '../running/result.ts';
import type { Reconciliation } from './reconciliation.ts';

/** What a reconciliation of a batch found. */
export interface ReconciledBatch extends CallResult {
  readonly batch: BatchRecord;
  readonly reconciliation: Reconciliation;
  /** The batch with its files, as its report was written. */
  readonly summary: BatchSummary;
}

/** Notes in the ledger for good what a reconciliation of a batch found, and gives the exit code. */
export async function endWith(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  reconciliation: Reconciliation,
  summary: BatchSummary,
): Promise<ReconciledBatch> {
  const { account, compared, undecidedCount, replayed } = reconciliation;
  const exitCode = exitCodeFor(reconciliation);
  const result = {
    account,
    doubts: undecidedCount,
    // The first of them, by row.
    replayed: replayed.first,
    replayedRows: replayed.rows,
    facts: {
      filled: replayed.facts.filled,
      missing: [...replayed.facts.missing].map(([reason, rows]) => ({ reason, rows })),
    },
    comparison: compared?.figures ?? null,
  };
  const compareFacts = { source: account.source !== null, against: compared?.facts ?? null };
  await verbs.addReconciliation(batch.id, { compared: compareFacts, result, madeBy: userName(), exitCode });
  const document = {
    ...jsonSummary({ exitCode, batches: [summary], error: null }),
    reconciliation: {
      ...result,
      files: writtenFiles(reconciliation),
      verdicts: await verbs.listVerdicts(batch.id, 1_000),
    },
  };
  return { exitCode, batches: [summary], failure: null, document, batch, reconciliation, summary };
}

/** Paths of the files that a reconciliation wrote beside the report; null for those that it did not. */
export function writtenFiles({ verdicts, compared }: Reconciliation): Record<string, string | null> {
  return { verdicts, breaks: compared?.files.breaks ?? null, pairs: compared?.files.pairs ?? null };
}

function exitCodeFor({ account, compared, undecidedCount }: Reconciliation): ExitCode {
  const isBroken = hasDifferences(account) || (compared?.comparison.breakCount ?? 0) > 0;
  return isBroken || undecidedCount > 0 ? exitCodes.rowsNeedDecision : exitCodes.done;
}
