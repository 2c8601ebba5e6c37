import { join, resolve } from 'node:path';
import type { ExitCode } from '../domain/exit-code.ts';
import type { BatchRecord } from '../domain/ledger-row.ts';
import type { ResultRow } from '../domain/result-row.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { AttentionCollector } from '../output/attention.ts';
import type { BatchFiles, BatchSummary } from '../output/json-summary.ts';
import { lastReconciliationSections } from '../output/reconcile-last.ts';
import { writeReport } from '../output/report.ts';
import type { TableSection } from '../output/report-table.ts';
import { writeResultFiles } from '../output/result-files.ts';
import { resultStem } from '../output/stem.ts';
import type { App } from './app.ts';

/** What the names of a batch's files begin with. */
export function stemOf(batch: BatchRecord): string {
  return resultStem({ fileName: batch.fileName, sheet: batch.sheet, batchId: batch.id });
}

export function runLogPath(app: App, batch: BatchRecord): string {
  return join(resolve(app.settings.out), `${stemOf(batch)}.run.jsonl`);
}

/** Options without which the next command would look at another API or another ledger. */
export function repeatedOptions({ settings }: App): string[] {
  const options: string[] = [];
  if (settings.mode !== 'sandbox') options.push('--mode', settings.mode);
  if (settings['local-sandbox']) options.push('--local-sandbox');
  if (settings['base-url'] !== undefined) options.push('--base-url', settings['base-url']);
  if (settings['ledger-dir'] !== '.paybatch') options.push('--ledger-dir', settings['ledger-dir']);
  if (settings.out !== 'results') options.push('--out', settings.out);
  return options;
}

/**
 * Writes a batch's result files and report from the ledger: the same rows give the same files.
 * @param ending the run that is just ending, which the ledger does not know as ended yet
 * @param onRows sees every row on its way into the files
 * @throws OutputError when a file cannot be written
 */
export async function writeBatchFiles(
  app: App,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  ending: { readonly runId: string; readonly exitCode: (counts: BatchSummary['counts']) => ExitCode } | null,
  onRows: (rows: readonly ResultRow[]) => void = () => {},
): Promise<BatchSummary> {
  const directory = resolve(app.settings.out);
  const attention = new AttentionCollector();
  const { results, failed, counts } = await writeResultFiles({
    directory,
    stem: stemOf(batch),
    header: batch.header,
    batch: batch.id,
    rows: attention.watch(seen(verbs.readResultRows(batch.id), onRows)),
  });
  const report = join(directory, `${stemOf(batch)}.report.html`);
  const files: BatchFiles = { results, failed, log: runLogPath(app, batch), report };
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const now = app.clock.now().toISOString();
  const runs = (await verbs.listRuns(batch.id)).map((run) =>
    run.id === ending?.runId ? { ...run, endedAt: now, exitCode: ending.exitCode(counts) } : run,
  );
  await writeReport({
    path: report,
    file: batch.fileName,
    sheet: batch.sheet,
    kind: batch.kind,
    environment: { mode: batch.mode, origin: batch.origin },
    batch: batch.id,
    madeAt: now,
    rows,
    counts,
    totals: await verbs.sumAmounts(batch.id),
    attention: attention.result(),
    files,
    runs,
    commandOptions: repeatedOptions(app),
    sections: [
      ...aboutTheFile(batch.notes),
      ...lastReconciliationSections(await verbs.listReconciliations(batch.id)),
    ],
  });
  const { id, kind, fileName: file, sheet } = batch;
  return { batch: id, kind, file, sheet, rows, counts, planHash: null, files, notes: batch.notes };
}

/** What reading the file brought to light: its encoding, hidden sheets, rows above the header. */
export function aboutTheFile(notes: readonly string[]): TableSection[] {
  if (notes.length === 0) return [];
  return [{ title: 'About the file', columns: ['Note'], rows: notes.map((note) => [note]) }];
}

async function* seen(
  groups: AsyncIterable<readonly ResultRow[]>,
  onRows: (rows: readonly ResultRow[]) => void,
): AsyncGenerator<readonly ResultRow[]> {
  for await (const rows of groups) {
    onRows(rows);
    yield rows;
  }
}
