import { shortBatchId } from '../../domain/batch.ts';
import { repeatedOptions } from '../../job/files/files-of-batch.ts';
import { readStatus, type StatusResult } from '../../job/status.ts';
import { statusTable } from '../../output/terminal/status-table.ts';
import { batchSummary } from '../../output/terminal/summary.ts';
import { printable } from '../../output/terminal/terminal-text.ts';
import { shellWord } from '../../output/words/next-steps.ts';
import type { App } from '../app.ts';
import { batchArgument, type Command, textOf } from '../command.ts';

export const statusCommand: Command = {
  build: (program) => program.positional('batch', batchArgument),
  work: async (app, parsed) => {
    const result = await readStatus(app, { batch: textOf(parsed, 'batch') });
    printStatus(app, result.shown);
    return result;
  },
};

function printStatus(app: App, shown: StatusResult['shown']): void {
  const { print, useColour } = app.terminal;
  switch (shown.kind) {
    case 'no_ledger':
      print(`There is no ledger in ${app.settings['ledger-dir']} yet: nothing was imported.`);
      break;
    case 'list':
      print(
        shown.listings.length === 0 ? 'No batch was imported yet.' : statusTable(shown.listings, useColour),
      );
      break;
    case 'batch':
      printBatch(app, shown);
      break;
  }
}

function printBatch(
  app: App,
  { batch, summary, runs }: Extract<StatusResult['shown'], { kind: 'batch' }>,
): void {
  const { print, useColour } = app.terminal;
  const { mode, origin } = batch;
  const commandOptions = repeatedOptions(app, batch);
  print(batchSummary(summary, { environment: { mode, origin }, useColour, commandOptions }));
  if (summary.files.results === null && summary.rows > 0) {
    const words = ['paybatch', 'results', shortBatchId(batch.id), ...commandOptions];
    print(
      `\n  Its result files are not in ${printable(app.settings.out)}. Write them there:\n    ${words.map(shellWord).join(' ')}`,
    );
  }
  print('');
  for (const run of runs) {
    const end =
      run.endedAt === null ? 'not ended' : `ended ${run.endedAt}, exit ${run.exitCode ?? 'unknown (killed)'}`;
    print(`  run ${run.startedAt}  paybatch ${run.command}  ${end}`);
  }
}
