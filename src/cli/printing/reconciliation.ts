import { shortBatchId } from '../../domain/batches/batch.ts';
import type { ReconcileResult } from '../../engine/reconciling/batch.ts';
import { writtenFiles } from '../../engine/reconciling/ending.ts';
import { replayFigures } from '../../engine/reconciling/reconciliation.ts';
import { breakLinesOf } from '../../engine/reconciling/report.ts';
import type { ComparedFiles } from '../../engine/reconciling/two-files.ts';
import { undecidedSteps } from '../../output/words/next-steps.ts';
import { printable } from '../../output/words/wording.ts';
import type { App } from '../command/app.ts';
import { comparisonSummary } from '../views/comparison.ts';
import { fileLines, reconciliationText } from '../views/reconciliation.ts';
import { colourIf } from '../views/terminal-text.ts';

/** Tells a person what a reconciliation of a batch found. */
export function printReconciliation(app: App, result: ReconcileResult): void {
  if (result.hadNothingToReplay) app.terminal.print('Nothing to replay: no row is unknown.');
  app.terminal.print(reconciliationOf(app, result));
}

/** Tells a person how two files differ. */
export function printComparedFiles({ terminal }: App, { compared }: ComparedFiles): void {
  const { figures, files } = compared;
  terminal.print(comparisonSummary(figures, breakLinesOf(compared), terminal.useColour));
  terminal.print(`\n${fileLines({ ...files })}`);
}

function reconciliationOf(app: App, { batch, reconciliation, summary }: ReconcileResult): string {
  const { account, sourceNote, compared, undecided, undecidedCount, doubt, verdicts } = reconciliation;
  const short = shortBatchId(batch.id);
  const colour = colourIf(app.terminal.useColour);
  return reconciliationText(
    {
      title: [
        colour('bold', printable(batch.fileName)),
        ...[batch.kind, batch.mode === 'live' ? colour('red', 'LIVE') : batch.mode, `batch ${short}`],
      ].join(' · '),
      replayed: replayFigures(reconciliation),
      account: { ...account, sourceNote },
      undecided,
      undecidedCount,
      comparison: compared?.figures ?? null,
      breaks: compared === null ? [] : breakLinesOf(compared),
      files: { ...writtenFiles(reconciliation), report: summary.files.report },
      next: undecidedSteps({
        ...{ batch: batch.id, counts: account.counts, doubt, verdicts },
        environment: batch,
      }),
    },
    app.words,
    app.terminal.useColour,
  );
}
