import { shortBatchId } from '../../domain/batch.ts';
import { exitCodes } from '../../domain/exit-code.ts';
import type { BatchRecord, RunRecord } from '../../domain/ledger-row.ts';
import type { StatusCounts } from '../../domain/row-state.ts';
import { mayBeAlive } from '../../ledger/owner.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { BatchSummary } from '../../output/json-summary.ts';
import { shellWord } from '../../output/next-steps.ts';
import { type BatchListing, statusTable } from '../../output/status-table.ts';
import { batchSummary } from '../../output/summary.ts';
import { printable } from '../../output/terminal-text.ts';
import type { App } from '../app.ts';
import { existingFiles, mostUnrecordedListed, repeatedOptions } from '../batch-files.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { findNamedBatch } from '../find-batch.ts';
import { isLedgerThere, openLedger } from '../ledger-access.ts';
import type { CommandEnd } from '../outcome.ts';

const batchesShown = 50;

export const statusCommand: Command = {
  build: (program) => program.positional('batch', batchArgument),
  work: (app, parsed) => showStatus(app, textOf(parsed, 'batch')),
};

/** Lists the batches, or shows one. Looks only: nothing is sent, written or made. */
async function showStatus(app: App, named: string | undefined): Promise<CommandEnd> {
  const end: CommandEnd = { exitCode: exitCodes.done, batches: [], failure: null };
  if (!isLedgerThere(app.settings, app.environment)) {
    app.terminal.print(`There is no ledger in ${app.settings['ledger-dir']} yet: nothing was imported.`);
    return end;
  }
  const access = await openLedger(app.settings, app.environment);
  try {
    const { verbs } = access;
    const batches =
      named === undefined
        ? await showList(app, verbs)
        : [await showOne(app, verbs, await findNamedBatch(verbs, named))];
    return { ...end, batches };
  } finally {
    await access.close();
  }
}

async function showList(app: App, verbs: LedgerVerbs): Promise<BatchSummary[]> {
  const batches = await verbs.listBatches(batchesShown);
  const listings = await Promise.all(batches.map((batch) => listingOf(app, verbs, batch)));
  app.terminal.print(
    listings.length === 0
      ? 'No batch was imported yet.'
      : statusTable(
          listings.map(({ listing }) => listing),
          app.terminal.useColour,
        ),
  );
  return listings.map(({ summary }) => summary);
}

async function listingOf(
  app: App,
  verbs: LedgerVerbs,
  batch: BatchRecord,
): Promise<{ listing: BatchListing; summary: BatchSummary }> {
  const summary = await summaryOf(app, verbs, batch);
  const runs = await verbs.listRuns(batch.id);
  const { kind, file, sheet, rows, counts } = summary;
  const state = stateOf(counts, runs);
  const lastRunAt = runs.at(-1)?.startedAt ?? null;
  return { listing: { batch: batch.id, kind, file, sheet, rows, counts, state, lastRunAt }, summary };
}

/** A batch as it stands now, and those of its files that are there. */
async function summaryOf(app: App, verbs: LedgerVerbs, batch: BatchRecord): Promise<BatchSummary> {
  const { id, kind, fileName: file, sheet } = batch;
  const counts = await verbs.countStatuses(id);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const contradicted = await verbs.countContradicted(id);
  const unrecorded = (await verbs.listUnrecordedCreations(id, mostUnrecordedListed)).length;
  return {
    ...{ batch: id, kind, file, sheet, rows, counts, contradicted, unrecorded, planHash: null },
    ...{ files: existingFiles(app, batch), notes: batch.notes },
  };
}

function stateOf(counts: StatusCounts, runs: readonly RunRecord[]): string {
  const last = runs.at(-1);
  const isOpen = last !== undefined && last.endedAt === null && Date.parse(last.leaseUntil) > Date.now();
  if (isOpen && mayBeAlive(last.owner)) return 'running';
  if (counts.not_sent && runs.every(({ command }) => command === 'plan')) return 'planned';
  return (counts.not_sent ?? 0) + (counts.unknown ?? 0) + (counts.waiting ?? 0) > 0
    ? 'unfinished'
    : 'finished';
}

async function showOne(app: App, verbs: LedgerVerbs, batch: BatchRecord): Promise<BatchSummary> {
  const { print, useColour } = app.terminal;
  const { mode, origin } = batch;
  const summary = await summaryOf(app, verbs, batch);
  const commandOptions = repeatedOptions(app, batch);
  print(batchSummary(summary, { environment: { mode, origin }, useColour, commandOptions }));
  if (summary.files.results === null && summary.rows > 0) {
    const words = ['paybatch', 'results', shortBatchId(batch.id), ...commandOptions];
    print(
      `\n  Its result files are not in ${printable(app.settings.out)}. Write them there:\n    ${words.map(shellWord).join(' ')}`,
    );
  }
  print('');
  for (const run of await verbs.listRuns(batch.id)) {
    const end =
      run.endedAt === null ? 'not ended' : `ended ${run.endedAt}, exit ${run.exitCode ?? 'unknown (killed)'}`;
    print(`  run ${run.startedAt}  paybatch ${run.command}  ${end}`);
  }
  return summary;
}
