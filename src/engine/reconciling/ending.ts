import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { BatchSummary } from '../../domain/batches/batch-summary.ts';
import type { CallOutcome } from '../../domain/failures/call-outcome.ts';
import type { MissingFactsReason } from '../../domain/rows/object-facts.ts';
import type { VerdictRecord } from '../../ledger/after-sending/verdicts.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { ComparisonFigures } from '../../output/reconciliation/comparison.ts';
import { type Account, hasDifferences } from '../../reconcile/accounting/account.ts';
import type { ReplayResult } from '../../reconcile/replaying/replay.ts';
import type { CallResult } from '../running/result.ts';
import type { Reconciliation } from './reconciliation.ts';

/** What a reconciliation of a batch found. */
export interface ReconciledBatch extends CallResult {
  readonly batch: BatchRecord;
  readonly reconciliation: Reconciliation;
  /** The batch with its files, as its report was written. */
  readonly summary: BatchSummary;
  readonly figures: ReconciliationFigures;
  /** The first 1,000 that were given so far, oldest first. */
  readonly verdicts: readonly VerdictRecord[];
}

/** What a reconciliation came to, as the ledger keeps it. */
export interface ReconciliationFigures {
  readonly account: Account;
  /** Rows that wait for a person's verdict. */
  readonly doubts: number;
  /** The first rows that were sent again, by row. */
  readonly replayed: ReplayResult['first'];
  readonly replayedRows: number;
  /** Created rows that were sent again for what was answered about their objects. */
  readonly facts: {
    readonly filled: number;
    readonly missing: readonly { readonly reason: MissingFactsReason; readonly rows: number }[];
  };
  /** Null where there was nothing to compare with. */
  readonly comparison: ComparisonFigures | null;
}

/**
 * Notes in the ledger for good what a reconciliation of a batch found, and gives the outcome.
 * @param madeBy who asked for it
 */
export async function endWith(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  reconciliation: Reconciliation,
  summary: BatchSummary,
  madeBy: string,
): Promise<ReconciledBatch> {
  const { account, compared, undecidedCount, replayed } = reconciliation;
  const outcome = outcomeFor(reconciliation);
  const figures: ReconciliationFigures = {
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
  await verbs.addReconciliation(batch.id, { compared: compareFacts, result: figures, madeBy, outcome });
  const verdicts = await verbs.listVerdicts(batch.id, 1_000);
  return {
    ...{ outcome, batches: [summary], failure: null },
    ...{ batch, reconciliation, summary, figures, verdicts },
  };
}

/** Paths of the files that a reconciliation wrote beside the report; null for those that it did not. */
export function writtenFiles({ verdicts, compared }: Reconciliation): Record<string, string | null> {
  return { verdicts, breaks: compared?.files.breaks ?? null, pairs: compared?.files.pairs ?? null };
}

function outcomeFor({ account, compared, undecidedCount }: Reconciliation): CallOutcome {
  const isBroken = hasDifferences(account) || (compared?.comparison.breakCount ?? 0) > 0;
  return isBroken || undecidedCount > 0 ? 'decision_needed' : 'done';
}
