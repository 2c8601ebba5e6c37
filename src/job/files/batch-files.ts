import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../domain/environment.ts';
import type { ExitCode } from '../../domain/exit-code.ts';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import type { ResultRow } from '../../domain/result-row.ts';
import type { UnrecordedCreation } from '../../ledger/unrecorded-creations.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { AttentionCollector } from '../../output/attention.ts';
import type { BatchFiles, BatchSummary } from '../../output/json-summary.ts';
import { lastReconciliationSections } from '../../output/reconcile-last.ts';
import { writeReport } from '../../output/report.ts';
import type { TableSection } from '../../output/report-table.ts';
import { writeResultFiles } from '../../output/result-files.ts';
import { resultStem } from '../../output/stem.ts';
import { isElsewhere, localSandboxPrefix } from '../access/api-target.ts';
import type { JobContext } from '../context.ts';

/** A batch's files as they stand in --out; null for those that are not there. */
export function existingFiles({ settings }: JobContext, batch: BatchRecord): BatchFiles {
  const find = (ending: string): string | null => {
    const path = join(resolve(settings.out), `${stemOf(batch)}.${ending}`);
    return existsSync(path) ? path : null;
  };
  return {
    results: find('results.csv'),
    failed: find('failed.csv'),
    log: find('run.jsonl'),
    report: find('report.html'),
  };
}

/** What the names of a batch's files begin with. */
export function stemOf(batch: BatchRecord): string {
  return resultStem({ fileName: batch.fileName, sheet: batch.sheet, batchId: batch.id });
}

export function runLogPath(app: JobContext, batch: BatchRecord): string {
  return join(resolve(app.settings.out), `${stemOf(batch)}.run.jsonl`);
}

/**
 * Options without which the next command would look at another API or another ledger.
 * @param environment the batch's own, where it is about one: a command that needs no API is not told which one.
 *   A plan that was made without an address has none
 */
export function repeatedOptions({ settings }: JobContext, environment?: Environment): string[] {
  const mode = environment?.mode ?? settings.mode;
  const isLocal = environment?.origin.startsWith(localSandboxPrefix) ?? settings['local-sandbox'];
  const address = environment === undefined ? settings['base-url'] : environment.origin;
  const options: string[] = [];
  const isModeKnown = environment !== undefined || settings.isModeStated;
  if (mode === 'live' || (isModeKnown && isElsewhere(address))) options.push('--mode', mode);
  if (isLocal) options.push('--local-sandbox');
  else if (address !== undefined && /^https?:/.test(address)) options.push('--base-url', address);
  if (settings['sandbox-dir'] !== undefined) options.push('--sandbox-dir', settings['sandbox-dir']);
  if (settings['ledger-dir'] !== '.paybatch') options.push('--ledger-dir', settings['ledger-dir']);
  if (settings.out !== 'results') options.push('--out', settings.out);
  return options;
}

/** Gives a batch's exit code from where its rows stand, and how many created ones their answers contradict. */
type ExitCodeOf = (counts: BatchSummary['counts'], contradicted: number) => ExitCode;

/**
 * Writes a batch's result files and report from the ledger: the same rows give the same files.
 * @param ending the run that is just ending, which the ledger does not know as ended yet
 * @param onRows sees every row on its way into the files
 * @throws OutputError when a file cannot be written
 */
export async function writeBatchFiles(
  app: JobContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  ending: { readonly runId: string; readonly exitCode: ExitCodeOf } | null,
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
  const needing = attention.result();
  const { contradicted } = needing;
  const unrecorded = await verbs.listUnrecordedCreations(batch.id, mostUnrecordedListed);
  const report = join(directory, `${stemOf(batch)}.report.html`);
  const files: BatchFiles = { results, failed, log: runLogPath(app, batch), report };
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const now = app.clock.now().toISOString();
  const runs = (await verbs.listRuns(batch.id)).map((run) =>
    run.id === ending?.runId
      ? { ...run, endedAt: now, exitCode: ending.exitCode(counts, contradicted + unrecorded.length) }
      : run,
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
    attention: needing,
    files,
    runs,
    commandOptions: repeatedOptions(app, batch),
    sections: [
      ...aboutUnrecorded(unrecorded),
      ...aboutTheFile(batch.notes),
      ...lastReconciliationSections(await verbs.listReconciliations(batch.id)),
    ],
  });
  const { id, kind, fileName: file, sheet } = batch;
  return {
    batch: id,
    kind,
    file,
    sheet,
    rows,
    counts,
    contradicted,
    unrecorded: unrecorded.length,
    planHash: null,
    files,
    notes: batch.notes,
  };
}

/** What contradicts what a batch's rows say, for its exit code: answers, and objects that no row has. */
export function contradictionsOf({ contradicted = 0, unrecorded = 0 }: BatchSummary): number {
  return contradicted + unrecorded;
}

/** So many objects that no row has are listed in a report. */
const mostUnrecordedListed = 1_000;

/** Objects that the API created for rows which do not have them: answers that came when the row was no longer the sender's. */
function aboutUnrecorded(objects: readonly UnrecordedCreation[]): TableSection[] {
  if (objects.length === 0) return [];
  return [
    {
      title: 'Objects that no row has',
      columns: ['Row', 'Object', 'Idempotency key', 'Answered at'],
      rows: objects.map((each) => [String(each.row), each.objectId, each.idempotencyKey, each.notedAt]),
    },
  ];
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
