import { exitCodeOf } from '../../domain/exit-code.ts';
import type { App } from '../app.ts';
import { contradictionsOf, writeBatchFiles } from '../batch-files.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { findNamedBatch } from '../find-batch.ts';
import { openLedger } from '../ledger-access.ts';
import { requireOutFolder } from '../out-folder.ts';
import { type CommandEnd, printEnd } from '../outcome.ts';

export const resultsCommand: Command = {
  build: (program) => program.positional('batch', { ...batchArgument, demandOption: true }),
  work: (app, parsed) => writeResults(app, textOf(parsed, 'batch') ?? ''),
};

/** Writes a batch's result files again, from the ledger alone. */
async function writeResults(app: App, named: string): Promise<CommandEnd> {
  requireOutFolder(app.settings);
  const access = await openLedger(app.settings, app.environment);
  try {
    const batch = await findNamedBatch(access.verbs, named);
    const summary = await writeBatchFiles(app, access.verbs, batch, null);
    const end = {
      exitCode: exitCodeOf(summary.counts, contradictionsOf(summary)),
      batches: [summary],
      failure: null,
    };
    printEnd(app, end, batch.mode, batch.origin);
    return end;
  } finally {
    await access.close();
  }
}
