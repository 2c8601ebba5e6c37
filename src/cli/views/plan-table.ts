/* Formats plans for a terminal: what would be sent, what not, and why; for one batch and for a whole call. */

import { callTables, plannedRows, sendTable, skipTable } from '../../account/batch-tables.ts';
import { embeddedLedgerAdvice, partOf, printable } from '../../account/words/wording.ts';
import type { PlannedAccount, PlanTotals } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import { terminalText } from '../options/options.ts';
import { changeLines, reasonLines, titleOf } from './summary.ts';
import {
  blocksOf,
  type Colour,
  colourIf,
  fileNames,
  noteLines,
  titledTable,
  wrapped,
} from './terminal-text.ts';

interface PlanTableOptions {
  readonly useColour: boolean;
  readonly words: Phrasebook;
  /** False without an API's address: the plan can be viewed, but not executed. */
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

/** The total that a call with several files would send; empty for a single file. */
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
 * The file lines of a plan. Its rows are not final yet, so only the failed file is useful, if rows need correction.
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
