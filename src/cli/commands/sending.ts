/* The commands from a file to the API. */

import type { InputAccount } from '../../domain/batches/account.ts';
import type { ValidateResult } from '../../engine/validate.ts';
import type { SendResult } from '../../send/batches/continue-batches.ts';
import { type App, type Command, printBatches, sayFailure, textOf, textsOf } from '../command/command.ts';
import { commandLine, readingOptions, repeatedOptions } from '../remedies/remedy-text.ts';
import { callTable, planTable } from '../views/plan-table.ts';
import { colourIf } from '../views/terminal-text.ts';

/** Prints for a person the result of batches that were to be sent. */
export function printSent(app: App, result: SendResult): SendResult {
  const { terminal } = app;
  if (result.sending === 'idle') {
    terminal.print('Nothing to resume: no batch of this environment is unfinished.');
  } else if (result.sending === 'none') {
    terminal.print('Nothing to import.');
  } else if (result.sending === 'refused') {
    if (result.failure !== null) sayFailure(app, result.failure);
  } else {
    printBatches(app, result);
    sayWhenNothingWasSent(app, result);
  }
  return result;
}

/** Running the same command again is not an error, but a person may wonder why nothing happened. */
function sayWhenNothingWasSent({ terminal }: App, { sentRows, failure, outcome, batches }: SendResult): void {
  if (sentRows > 0 || failure !== null) return;
  // The account of a batch without rows already says so.
  if (batches.every(({ rows }) => rows === 0)) return;
  if (outcome === 'stopped') terminal.print('Nothing was sent: the run was stopped before.');
  else if (outcome === 'done') terminal.print('Nothing was sent: every row was created earlier.');
  else terminal.print('Nothing was sent: no row can move by itself.');
}

export const importCommand: Command = async (app, parsed) => {
  const request = { files: textsOf(parsed, 'file'), planHash: textOf(parsed, 'plan-hash') };
  return printSent(app, await app.engine.import(request, app.call).result);
};

export const validateCommand: Command = async (app, parsed) => {
  const files = textsOf(parsed, 'file');
  const result = await app.engine.validate({ files }, app.call).result;
  printNextStep(app, files, result);
  return result;
};

function printNextStep(
  app: App,
  paths: readonly string[],
  { batches, failure, isHiddenOpen }: ValidateResult,
): void {
  if (failure !== null) {
    sayFailure(app, failure);
    return;
  }
  const words = [...paths, ...readingOptions(app), ...repeatedOptions(app)];
  const command = `  ${commandLine(['import', ...words])}`;
  const choices = [`${command} --hidden include`, `${command} --hidden skip`];
  app.terminal.print(
    isEveryRowInvalid(batches)
      ? [
          'Every row is invalid, so there is nothing to import. Correct them, then:',
          `  ${commandLine(['validate', ...words])}`,
        ].join('\n')
      : [adviceFor(batches), ...(isHiddenOpen ? choices : [command])].join('\n'),
  );
}

function isEveryRowInvalid(batches: readonly InputAccount[]): boolean {
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  return rows > 0 && batches.every(({ rows: all, counts }) => (counts.invalid ?? 0) === all);
}

function adviceFor(batches: readonly InputAccount[]): string {
  if (batches.some(({ counts }) => (counts.invalid ?? 0) > 0))
    return 'Correct the rows and check again, or import the others as they are:';
  if (batches.some(({ counts }) => (counts.held ?? 0) > 0))
    return 'An import would hold the rows that a person has to decide about, and send the others:';
  return 'Next:';
}

export const planCommand: Command = async (app, parsed) => {
  const result = await app.engine.plan({ files: textsOf(parsed, 'file') }, app.call).result;
  const { useColour } = app.terminal;
  const { canBeSent, isLedgerEmbedded } = result;
  const options = { useColour, words: app.words, canBeSent, isLedgerEmbedded };
  for (const account of result.batches) app.terminal.print(`${planTable(account, options)}\n`);
  const all = callTable(result.batches, colourIf(useColour));
  if (all !== '') app.terminal.print(`${all}\n`);
  if (result.failure !== null) sayFailure(app, result.failure);
  return result;
};

export const submitCommand: Command = async (app, parsed) => {
  const request = { batch: textOf(parsed, 'batch') ?? '', planHash: textOf(parsed, 'plan-hash') };
  return printSent(app, await app.engine.submit(request, app.call).result);
};

export const resumeCommand: Command = async (app, parsed) => {
  const request = { batch: textOf(parsed, 'batch'), join: parsed['join'] === true };
  return printSent(app, await app.engine.resume(request, app.call).result);
};

export const retryCommand: Command = async (app, parsed) =>
  printSent(app, await app.engine.retry({ batch: textOf(parsed, 'batch') ?? '' }, app.call).result);
