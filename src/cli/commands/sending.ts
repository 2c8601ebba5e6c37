/*
 * The commands that bring a file to the API, and the plans that they show, for one batch and for a whole call: which rows
 * would be sent, which would not, and why.
 */

import { callTables, plannedRows, sendTable, skipTable } from '../../account/batch-tables.ts';
import { embeddedLedgerAdvice } from '../../account/words/check-text.ts';
import { partOf } from '../../account/words/wording.ts';
import type { InputAccount, PlannedAccount, PlanTotals } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import { printable } from '../../domain/text/characters.ts';
import type { ValidateResult } from '../../engine/validate.ts';
import type { SendResult } from '../../send/batches/continue-batches.ts';
import { type App, type Command, printBatches, sayFailure, textOf, textsOf } from '../command/command.ts';
import { terminalText } from '../options/options.ts';
import { commandLine, readingOptions, repeatedOptions } from '../remedies/remedy-text.ts';
import { changeLines, reasonLines, titleOf } from '../views/summary.ts';
import {
  blocksOf,
  type Colour,
  colourIf,
  fileNames,
  noteLines,
  titledTable,
  wrapped,
} from '../views/terminal-text.ts';

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

/**
 * Says that nothing was sent. Running the same command again is not an error, but a person may wonder why nothing happened.
 */
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

/* Plans for a terminal. */

interface PlanTableOptions {
  readonly useColour: boolean;
  readonly words: Phrasebook;
  /** False if no address of an API is known: the plan can be viewed, but not executed. */
  readonly canBeSent: boolean;
  readonly isLedgerEmbedded?: boolean;
}

const shownLines = 40;

/**
 * The rows that one batch would send and would not send, for a terminal: several lines, without a newline at the end.
 */
export function planTable(account: PlannedAccount, options: PlanTableOptions): string {
  const colour = colourIf(options.useColour);
  const { totals } = account.plan;
  return blocksOf([
    [titleOf(account, colour), `  ${headline(account)}`],
    changeLines(account.changes, colour),
    ...planBlocks(totals, colour),
    reasonLines(account.attention, colour),
    noteLines(account.notes),
    [...plannedFileLines(account), ...ledgerLines(options)],
    sendingLines(account, options, colour),
    correctionLines(account, options, colour),
  ]);
}

/** The rows that would be sent and would not be sent. */
export function planBlocks(totals: PlanTotals, colour: Colour): readonly string[][] {
  const most = { most: shownLines };
  return [titledTable(sendTable(totals), colour, most), titledTable(skipTable(totals), colour, most)];
}

/** The totals that a call with several files would send; empty for a single file. */
export function callTable(accounts: readonly PlannedAccount[], colour: Colour): string {
  if (accounts.length < 2) return '';
  const plans = accounts.map(({ file, sheet, plan: { totals } }) => ({ file, sheet, totals }));
  return blocksOf(callTables(plans).map((table) => titledTable(table, colour, { most: shownLines })));
}

function headline({ rows, plan }: PlannedAccount): string {
  if (rows === 0) return 'No rows: nothing to do';
  const sent = plannedRows(plan.totals);
  return sent === 0
    ? `Of ${countOf(rows, 'row')}, none would be sent`
    : `${partOf(sent, rows)} would be sent`;
}

/**
 * The plan hash and the files of a plan. Its rows are not final yet, so only the failed file is useful, and only if rows
 * need correction.
 */
function plannedFileLines({ files, plan }: PlannedAccount): string[] {
  const named: readonly (readonly [string, string | null])[] = [
    ['plan hash', plan.planHash],
    ['results', files.results],
    ['failed', needsCorrection(plan.totals) ? files.failed : null],
    ['changes', files.changes ?? null],
    ['report', files.report],
  ];
  return fileNames(named, 9);
}

function ledgerLines({ isLedgerEmbedded = false }: PlanTableOptions): string[] {
  return isLedgerEmbedded ? [`  ledger     embedded: ${terminalText(embeddedLedgerAdvice)}`] : [];
}

function needsCorrection({ skip }: PlanTotals): boolean {
  return skip.some(({ status }) => status === 'invalid' || status === 'rejected');
}

function correctionLines(
  { files, plan, environment }: PlannedAccount,
  { words }: PlanTableOptions,
  colour: Colour,
): string[] {
  if (files.failed === null || !needsCorrection(plan.totals)) return [];
  const command = words.remedy({ action: 'plan', files: [files.failed], asRead: false, environment });
  return [
    '  Correct the rows in the failed file, save it and plan that:',
    `    ${colour('bold', printable(command))}`,
  ];
}

function sendingLines(
  { id, plan, environment }: PlannedAccount,
  { words, canBeSent }: PlanTableOptions,
  colour: Colour,
): string[] {
  if (plannedRows(plan.totals) === 0) return [];
  if (!canBeSent) {
    return wrapped('To send it, plan or import it with the API: --base-url URL, or --local-sandbox.', '  ');
  }
  const { planHash } = plan;
  const command = words.remedy({ action: 'submit', batch: shortBatchId(id), planHash, environment });
  return [
    '  Send exactly this, and nothing if it has changed by then:',
    `    ${colour('bold', printable(command))}`,
  ];
}
