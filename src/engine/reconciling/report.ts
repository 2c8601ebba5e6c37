/* The reconciliation's part of a batch's report. */

import { resolve } from 'node:path';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { BatchSummary } from '../../domain/batches/batch-summary.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { BreakLine } from '../../output/reconciliation/comparison.ts';
import * as sections from '../../output/reconciliation/report.ts';
import { writeReconciledReport } from '../../output/reconciliation/report.ts';
import type { TableSection } from '../../output/report/page.ts';
import { kindNamed } from '../../resources/registry.ts';
import { aboutTheFile, stemOf } from '../files/files-of-batch.ts';
import type { CallContext } from '../running/context.ts';
import type { ComparedWith } from './comparison.ts';
import { type Reconciliation, replayFigures } from './reconciliation.ts';

/** Writes the batch's report with sections about this reconciliation. */
export async function writeBatchReport(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  reconciliation: Reconciliation,
): Promise<BatchSummary> {
  return writeReconciledReport({
    directory: resolve(app.settings.output.out),
    stem: stemOf(batch),
    batch,
    kindLabel: kindNamed(batch.kind).label,
    whatWasDone: kindNamed(batch.kind).whatWasDone,
    counts: reconciliation.account.counts,
    doubt: reconciliation.doubt,
    rows: verbs.readResultRows(batch.id),
    runs: await verbs.listRuns(batch.id),
    madeAt: app.clock.now().toISOString(),
    words: app.words,
    comparison: reconciliation.compared?.figures ?? null,
    sections: [...aboutTheFile(batch.notes), ...reportSections(reconciliation, app.words)],
  });
}

/** What a reconciliation found, as tables of a report or a page. */
function reportSections(reconciliation: Reconciliation, words: DoorWords): TableSection[] {
  const { account, sourceNote, compared, undecided, undecidedCount, verdicts } = reconciliation;
  return [
    sections.accountSection(account, sourceNote),
    sections.replaySection(replayFigures(reconciliation)),
    sections.factsSection(replayFigures(reconciliation)),
    sections.undecidedSection(undecided, undecidedCount, verdicts, words),
    ...(compared === null ? [] : comparedSections(compared, words)),
  ];
}

function comparedSections(compared: ComparedWith, words: DoorWords): TableSection[] {
  const { figures, files } = compared;
  return [
    sections.statesSection(figures),
    sections.breaksSection(breakLinesOf(compared), figures.breakCount, files.breaks, words),
  ];
}

/** The first differences as the terminal and the report tell them. */
export function breakLinesOf({ comparison, names }: ComparedWith): BreakLine[] {
  return comparison.breaks.map(({ state, here, there, differences, evidence, action }) => ({
    state,
    differences,
    evidence,
    action,
    hereRow: here?.row ?? null,
    thereRow: there?.row ?? null,
    thereFile: there === null || names.there.length === 1 ? null : (names.there[there.file] ?? null),
  }));
}
