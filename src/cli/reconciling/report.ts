import { resolve } from 'node:path';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { BatchSummary } from '../../output/json-summary.ts';
import { writeReconciledReport } from '../../output/reconcile-report.ts';
import * as sections from '../../output/reconcile-sections.ts';
import type { TableSection } from '../../output/report-table.ts';
import type { App } from '../app.ts';
import { repeatedOptions, stemOf } from '../batch-files.ts';
import type { ComparedWith } from './comparison.ts';
import { type Findings, replayLines } from './findings.ts';

/** Writes the batch's report with sections about this reconciliation. */
export async function writeBatchReport(
  app: App,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  findings: Findings,
): Promise<BatchSummary> {
  return writeReconciledReport({
    directory: resolve(app.settings.out),
    stem: stemOf(batch),
    batch,
    counts: findings.account.counts,
    totals: findings.account.sums,
    rows: verbs.readResultRows(batch.id),
    runs: await verbs.listRuns(batch.id),
    madeAt: app.clock.now().toISOString(),
    commandOptions: repeatedOptions(app),
    sections: reportSections(findings),
  });
}

function reportSections(findings: Findings): TableSection[] {
  const { account, sourceNote, compared, doubts, doubtCount } = findings;
  return [
    sections.accountSection(account, sourceNote),
    sections.replaySection(replayLines(findings)),
    sections.doubtSection(doubts, doubtCount),
    ...(compared === null ? [] : comparedSections(compared)),
  ];
}

function comparedSections({ comparison, figures }: ComparedWith): TableSection[] {
  const breaks = comparison.breaks.map((line) => ({
    ...line,
    hereRow: line.here?.row ?? null,
    thereRow: line.there?.row ?? null,
    fields: line.differences.map(({ field }) => field),
  }));
  return sections.comparisonSections(figures, breaks, comparison.breakCount);
}
