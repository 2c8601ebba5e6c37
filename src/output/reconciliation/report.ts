import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchRecord, RowsInDoubt } from '../../domain/batches/batch.ts';
import type { BatchSummary } from '../../domain/batches/batch-summary.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import { StatusSums } from '../../domain/money/expectation.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import { AttentionCollector } from '../report/attention.ts';
import type { TableSection } from '../report/page.ts';
import { writeReport } from '../report/report.ts';
import type { RunLine } from '../report/sections.ts';
import { doneHeadline, headline } from '../words/wording.ts';

/** A batch as it was reconciled, and what its report says about that. */
interface ReconciledBatch {
  readonly directory: string;
  /** What the names of the batch's files begin with. */
  readonly stem: string;
  readonly batch: BatchRecord;
  /** The name of its kind, for a heading. */
  readonly kindLabel: string;
  readonly counts: StatusCounts;
  readonly doubt: RowsInDoubt | null;
  /** What it means that rows of its kind are created. */
  readonly whatWasDone: string;
  readonly rows: AsyncIterable<readonly ResultRow[]>;
  readonly runs: readonly RunLine[];
  /** ISO 8601, UTC. */
  readonly madeAt: string;
  readonly words: DoorWords;
  readonly sections: readonly TableSection[];
}

/**
 * Writes the batch's report with sections about a reconciliation; its other files stay as they are.
 * @throws OutputError
 */
export async function writeReconciledReport(reconciled: ReconciledBatch): Promise<BatchSummary> {
  const {
    directory,
    stem,
    batch,
    kindLabel,
    whatWasDone,
    counts,
    doubt,
    rows,
    runs,
    madeAt,
    words,
    sections,
  } = reconciled;
  const attention = new AttentionCollector(reconciled.batch.header);
  const totals = new StatusSums();
  for await (const group of attention.watch(rows)) {
    for (const { status, money } of group) totals.add(status, money);
  }
  const beside = (ending: string): string => join(directory, `${stem}.${ending}`);
  const ifThere = (path: string): string | null => (existsSync(path) ? path : null);
  const files = {
    results: ifThere(beside('results.csv')),
    failed: ifThere(beside('failed.csv')),
    failedWorkbook: ifThere(beside('failed.xlsx')),
    log: ifThere(beside('run.jsonl')),
    report: beside('report.html'),
  };
  const { id, kind, fileName: file, sheet, mode, origin, rowCount } = batch;
  const about = { file, sheet, kind, rows: rowCount ?? 0, counts, files };
  await writeReport({
    ...about,
    kindLabel,
    path: files.report,
    environment: { mode, origin },
    batch: id,
    madeAt,
    headlines: [doneHeadline(whatWasDone, about.rows, counts), headline(about.rows, counts)],
    doubt,
    totals: totals.result(),
    attention: attention.result(),
    runs,
    words,
    sections,
  });
  return { ...about, batch: id, planHash: null };
}
