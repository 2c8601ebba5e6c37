import { shortBatchId } from '../../domain/batch.ts';
import { type ExitCode, exitCodes } from '../../domain/exit-code.ts';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { type BatchSummary, jsonSummary } from '../../output/json-summary.ts';
import { shellWord } from '../../output/next-steps.ts';
import { reconciliationText } from '../../output/reconcile-summary.ts';
import { colourIf, printable } from '../../output/terminal-text.ts';
import { hasDifferences } from '../../reconcile/account.ts';
import type { App } from '../app.ts';
import { repeatedOptions } from '../batch-files.ts';
import type { CommandEnd } from '../outcome.ts';
import { userName } from '../user-name.ts';
import { type Findings, replayLines } from './findings.ts';
import { breakLinesOf } from './report.ts';

/**
 * Tells what a reconciliation of a batch found, notes it in the ledger for good, and gives the exit code.
 * @param batchSummary the batch with its files, as its report was written
 */
export async function endWith(
  app: App,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  findings: Findings,
  batchSummary: BatchSummary,
): Promise<CommandEnd> {
  const { account, compared, doubtCount, replayed } = findings;
  app.terminal.print(terminalText(app, batch, findings, batchSummary));
  const exitCode = exitCodeFor(findings);
  const result = { account, doubts: doubtCount, replayed, comparison: compared?.figures ?? null };
  const compareFacts = { source: account.source !== null, against: compared?.facts ?? null };
  await verbs.addReconciliation(batch.id, { compared: compareFacts, result, madeBy: userName(), exitCode });
  const document = {
    ...jsonSummary({ exitCode, batches: [batchSummary], error: null }),
    reconciliation: {
      ...result,
      files: writtenFiles(findings),
      verdicts: await verbs.listVerdicts(batch.id, 1_000),
    },
  };
  return { exitCode, batches: [batchSummary], failure: null, document };
}

function terminalText(app: App, batch: BatchRecord, findings: Findings, batchSummary: BatchSummary): string {
  const { account, sourceNote, compared, doubts, doubtCount, verdicts } = findings;
  const short = shortBatchId(batch.id);
  const colour = colourIf(app.terminal.useColour);
  return reconciliationText(
    {
      title: [
        colour('bold', printable(batch.fileName)),
        ...[batch.kind, batch.mode === 'live' ? colour('red', 'LIVE') : batch.mode, `batch ${short}`],
      ].join(' · '),
      replayed: replayLines(findings),
      account: { ...account, sourceNote },
      doubts,
      doubtCount,
      comparison: compared?.figures ?? null,
      breaks: compared === null ? [] : breakLinesOf(compared),
      files: { ...writtenFiles(findings), report: batchSummary.files.report },
      next: verdicts === null ? null : resolveCommand(app, batch, verdicts),
    },
    app.terminal.useColour,
  );
}

function resolveCommand(app: App, batch: BatchRecord, verdicts: string): string {
  const short = shortBatchId(batch.id);
  const words = ['paybatch', 'resolve', short, '--file', verdicts, ...repeatedOptions(app, batch)];
  return words.map(shellWord).join(' ');
}

function writtenFiles({ verdicts, compared }: Findings): Record<string, string | null> {
  return { verdicts, breaks: compared?.files.breaks ?? null, pairs: compared?.files.pairs ?? null };
}

function exitCodeFor({ account, compared, doubtCount }: Findings): ExitCode {
  const isBroken = hasDifferences(account) || (compared?.comparison.breakCount ?? 0) > 0;
  return isBroken || doubtCount > 0 ? exitCodes.rowsNeedDecision : exitCodes.done;
}
