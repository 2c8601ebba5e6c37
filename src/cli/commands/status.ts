/* The command `status`: all batches, one of them, or one row with its history. */

import { printable } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { StatusResult } from '../../engine/status.ts';
import type { App } from '../command/app.ts';
import { type Arguments, type Command, textOf } from '../command/command.ts';
import { statusDocument } from '../json/status.ts';
import { failedRunLines } from '../views/failed-runs.ts';
import { rowHistoryText } from '../views/row-history.ts';
import { batchStatus, statusTable } from '../views/status-table.ts';
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
    case 'list': {
      const showCommand = ({ id, environment }: BatchAccount): string =>
        app.words.remedy({ action: 'status', batch: shortBatchId(id), environment });
      const { batches, failedRuns } = shown;
      print(
        batches.length === 0
          ? 'No batch was imported yet.'
          : statusTable(batches, showCommand, useColour, columns),
      );
      const failed = failedRunLines(failedRuns, app.words, useColour, columns);
      if (failed.length > 0) print(`\n${failed.join('\n')}`);
      break;
    }
    case 'batch':
      printBatch(app, shown.batch);
      break;
    case 'row':
      print(rowHistoryText(shown, app.words, useColour, columns));
      break;
  }
}

function printBatch(app: App, account: BatchAccount): void {
  const { print, useColour, columns: terminalColumns } = app.terminal;
  const { environment, id } = account;
  print(batchSummary(account, { useColour, words: app.words, terminalColumns }));
  if (account.files.results === null && account.rows > 0) {
    const line = app.words.remedy({ action: 'results', batch: shortBatchId(id), environment });
    print(
      `\n  Its result files are not in ${printable(app.settings.output.out)}. Write them there:\n    ${printable(line)}`,
    );
  }
  print(`\n${batchStatus(account, useColour, terminalColumns)}`);
}
