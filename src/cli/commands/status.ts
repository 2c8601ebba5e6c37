import { exitCodes } from '../../domain/exit-code.ts';
import type { BatchRecord, RunRecord } from '../../domain/ledger-row.ts';
import type { StatusCounts } from '../../domain/row-state.ts';
import { mayBeAlive } from '../../ledger/owner.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { type BatchListing, statusTable } from '../../output/status-table.ts';
import { batchSummary } from '../../output/summary.ts';
import type { App } from '../app.ts';
import { repeatedOptions, stemOf } from '../batch-files.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { findNamedBatch } from '../find-batch.ts';
import { isLedgerThere, openLedger } from '../ledger-access.ts';
import type { CommandEnd } from '../outcome.ts';

const batchesShown = 50;

export const statusCommand: Command = {
  words: 'status [batch]',
  description: 'List the batches, or show one',
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
    if (named === undefined) await printList(app, access.verbs);
    else await printOne(app, access.verbs, await findNamedBatch(access.verbs, named));
    return end;
  } finally {
    await access.close();
  }
}

async function printList({ terminal }: App, verbs: LedgerVerbs): Promise<void> {
  const batches = await verbs.listBatches(batchesShown);
  const listings = await Promise.all(batches.map((batch) => listingOf(verbs, batch)));
  terminal.print(
    listings.length === 0 ? 'No batch was imported yet.' : statusTable(listings, terminal.useColour),
  );
}

async function listingOf(verbs: LedgerVerbs, batch: BatchRecord): Promise<BatchListing> {
  const counts = await verbs.countStatuses(batch.id);
  const runs = await verbs.listRuns(batch.id);
  const last = runs.at(-1);
  return {
    batch: batch.id,
    file: batch.fileName,
    sheet: batch.sheet,
    kind: batch.kind,
    rows: batch.rowCount ?? 0,
    counts,
    state: stateOf(counts, runs),
    lastRunAt: last?.startedAt ?? null,
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

async function printOne(app: App, verbs: LedgerVerbs, batch: BatchRecord): Promise<void> {
  const { mode, origin } = batch;
  const summary = batchSummary(
    {
      batch: batch.id,
      kind: batch.kind,
      file: batch.fileName,
      sheet: batch.sheet,
      rows: batch.rowCount ?? 0,
      counts: await verbs.countStatuses(batch.id),
      planHash: null,
      files: { results: null, failed: `${stemOf(batch)}.failed.csv`, log: null, report: null },
    },
    {
      environment: { mode, origin },
      useColour: app.terminal.useColour,
      commandOptions: repeatedOptions(app),
    },
  );
  app.terminal.print(summary);
  for (const run of await verbs.listRuns(batch.id)) {
    const end =
      run.endedAt === null ? 'not ended' : `ended ${run.endedAt}, exit ${run.exitCode ?? 'unknown (killed)'}`;
    app.terminal.print(`  run ${run.startedAt}  paybatch ${run.command}  ${end}`);
  }
}
