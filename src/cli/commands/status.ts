import { shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { repeatedOptions } from '../../engine/access/repeated-options.ts';
import { type AccountedBatch, isUnderWay } from '../../engine/status/account.ts';
import type { StatusResult } from '../../engine/status.ts';
import { command } from '../../output/words/next-steps.ts';
import { printable } from '../../output/words/wording.ts';
import type { App } from '../command/app.ts';
import { type Arguments, type Command, textOf } from '../command/command.ts';
import { statusDocument } from '../json/status-document.ts';
import { batchStatus } from '../views/batch-status.ts';
import { rowHistoryText } from '../views/row-history.ts';
import { statusTable } from '../views/status-table.ts';
import { batchSummary } from '../views/summary.ts';

export const statusCommand: Command = {
  work: async (app, parsed) => {
    const result = await app.engine.status({ batch: textOf(parsed, 'batch'), row: rowIn(parsed) }, app.call)
      .result;
    printStatus(app, result.shown);
    return { ...result, document: statusDocument(app, result.shown) };
  },
};

function rowIn(parsed: Arguments): number | undefined {
  const row = textOf(parsed, 'row');
  if (row === undefined) return undefined;
  if (textOf(parsed, 'batch') === undefined) throw usage('--row is about one batch: which one?');
  if (!/^[1-9]\d{0,8}$/.test(row)) throw usage(`--row is "${row}"; it has to be a row's number.`);
  return Number(row);
}

function usage(message: string): PaybatchError {
  return new PaybatchError('usage', message, 'paybatch status --help');
}

function printStatus(app: App, shown: StatusResult['shown']): void {
  const { print, useColour, columns } = app.terminal;
  switch (shown.kind) {
    case 'no_ledger':
      print(`There is no ledger in ${app.settings.ledger.ledgerDir} yet: nothing was imported.`);
      break;
    case 'list':
      print(
        shown.accounts.length === 0
          ? 'No batch was imported yet.'
          : statusTable(
              shown.accounts.map(({ listing }) => listing),
              useColour,
              columns,
            ),
      );
      break;
    case 'batch':
      printBatch(app, shown.account);
      break;
    case 'row':
      print(rowHistoryText({ ...shown, batch: shown.account.batch }, useColour, columns));
      break;
  }
}

function printBatch(app: App, { batch, summary, listing, runs }: AccountedBatch): void {
  const { print, useColour, columns: terminalColumns } = app.terminal;
  const { mode, origin } = batch;
  const commandOptions = repeatedOptions(app, batch);
  const environment = { mode, origin };
  print(batchSummary(summary, { environment, useColour, commandOptions, terminalColumns }));
  if (summary.files.results === null && summary.rows > 0) {
    const line = command('results', shortBatchId(batch.id), commandOptions);
    print(
      `\n  Its result files are not in ${printable(app.settings.output.out)}. Write them there:\n    ${printable(line)}`,
    );
  }
  const now = app.clock.now();
  const listed = runs.map((run) => ({ ...run, isUnderWay: isUnderWay(run, now) }));
  print(`\n${batchStatus(listing, listed, useColour, terminalColumns)}`);
}
