/* A plan as a terminal shows it: what would be sent, what not, and why. */

import { type Environment, shortBatchId } from '../../domain/batches/batch.ts';
import type { BatchSummary } from '../../domain/batches/batch-summary.ts';
import type { PlanGroup, PlanTotals, SkippedGroup } from '../../domain/batches/plan.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import { addDecimals, formatDecimal, parseNumberText } from '../../domain/money/money.ts';
import { embeddedLedgerAdvice } from '../../output/words/next-steps.ts';
import { countOf, groupedAmount, groupedNumber, printable, statusLabel } from '../../output/words/wording.ts';
import { inVariables } from '../options/variables.ts';
import { changeLines } from './changes.ts';
import { reasonLines } from './summary.ts';
import {
  type AlignedColumn,
  alignedTable,
  type Colour,
  colourIf,
  noteLines,
  statusColour,
  wrapped,
} from './terminal-text.ts';

interface PlanTableOptions {
  readonly environment: Environment;
  readonly useColour: boolean;
  readonly words: DoorWords;
  /** Without an API's address the plan can be looked at, but not carried out. */
  readonly canBeSent: boolean;
  readonly isLedgerEmbedded?: boolean;
}

const shownGroups = 40;

const columns: readonly AlignedColumn[] = [
  { title: 'what' },
  { title: 'institution', mayShrink: true },
  { title: 'currency' },
  { title: 'rows', isFigure: true },
  { title: 'amount', isFigure: true },
];

/** What one batch would send and what not, for a terminal: several lines, without a newline at the end. */
export function planTable(batch: BatchSummary, totals: PlanTotals, options: PlanTableOptions): string {
  const colour = colourIf(options.useColour);
  const blocks = [
    [titleLine(batch, options.environment, colour), `  ${headline(batch, totals)}`],
    changeLines(batch.changes, colour),
    sendLines(totals, colour),
    skipLines(totals, colour),
    reasonLines(batch.reasons ?? [], colour),
    noteLines(batch.notes ?? []),
    [...fileLines(batch, totals), ...ledgerLines(options)],
    sendingLines(batch, totals, options, colour),
    correctionLines(batch, totals, options, colour),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

function titleLine(batch: BatchSummary, { mode }: Environment, colour: Colour): string {
  const file = batch.sheet === null ? batch.file : `${batch.file}, sheet ${batch.sheet}`;
  const parts = [colour('bold', printable(file)), batch.kind, mode === 'live' ? colour('red', 'LIVE') : mode];
  return [...parts, `batch ${shortBatchId(batch.batch ?? '')}`].join(' · ');
}

function headline({ rows }: BatchSummary, totals: PlanTotals): string {
  if (rows === 0) return 'No rows: nothing to do';
  const sent = rowsToSend(totals);
  if (sent === rows) return `All ${countOf(rows, 'row')} would be sent`;
  if (sent === 0) return `Of ${countOf(rows, 'row')}, none would be sent`;
  return `${groupedNumber(sent)} of ${countOf(rows, 'row')} would be sent`;
}

function rowsToSend({ send }: PlanTotals): number {
  return send.reduce((sum, { rows }) => sum + rows, 0);
}

/** What would be sent, by payee type, institution and currency, with exact sums. */
export function sendLines({ send }: Pick<PlanTotals, 'send'>, colour: Colour): string[] {
  if (send.length === 0) return [];
  const shown = send
    .slice(0, shownGroups)
    .map((group) => [
      ...[whatOf(group), group.institution ?? '–', group.currency ?? '–', groupedNumber(group.rows)],
      amountOf(group),
    ]);
  const left = send.length - shownGroups;
  const more = left > 0 ? [[`and ${countOf(left, 'more group')}`, '', '', '', '']] : [];
  const sums = send.length === 1 ? [] : totalsByCurrency(send);
  return alignedTable(columns, [...shown, ...more, ...sums], colour);
}

/** The payee type of `recipients/sepa`; the kind of those that have one form only. */
function whatOf({ resource }: PlanGroup): string {
  return resource.slice(resource.indexOf('/') + 1);
}

/** A sum says so where some rows have no amount to add. */
function amountOf({
  amount,
  currency,
  rows,
  rowsWithAmount,
}: Omit<PlanGroup, 'resource' | 'institution'>): string {
  if (amount === null) return '–';
  return rowsWithAmount === rows
    ? groupedAmount(amount, currency)
    : `${groupedAmount(amount, currency)} (${groupedNumber(rowsWithAmount)} of them)`;
}

function totalsByCurrency(send: readonly PlanGroup[]): string[][] {
  const sums = new Map<string, Omit<PlanGroup, 'resource' | 'institution'>>();
  for (const { currency, rows, rowsWithAmount, amount } of send) {
    const name = currency ?? '–';
    const before = sums.get(name) ?? { currency, rows: 0, rowsWithAmount: 0, amount: null };
    sums.set(name, {
      currency,
      rows: before.rows + rows,
      rowsWithAmount: before.rowsWithAmount + rowsWithAmount,
      amount: addAmounts(before.amount, amount),
    });
  }
  return [...sums]
    .sort(byName)
    .map(([name, sum]) => ['all', '', name, groupedNumber(sum.rows), amountOf(sum)]);
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function addAmounts(left: string | null, right: string | null): string | null {
  const [one, other] = [left, right].map((text) => (text === null ? undefined : parseNumberText(text)));
  if (one === undefined || other === undefined) return left ?? right;
  return formatDecimal(addDecimals(one, other));
}

export function skipLines({ skip }: PlanTotals, colour: Colour): string[] {
  if (skip.length === 0) return [];
  const records = skip.map((group) => [
    groupedNumber(group.rows),
    ...[labelOf(group), reasonOf(group), rowsOf(group)],
  ]);
  const titles: readonly AlignedColumn[] = [
    { title: 'rows', isFigure: true },
    { title: 'not to be sent' },
    { title: 'why', mayShrink: true },
    { title: 'where' },
  ];
  const [first = '', ...lines] = alignedTable(titles, records, colour);
  return [first, ...lines.map((line, at) => colouredStatus(line, skip[at], colour))];
}

function colouredStatus(line: string, group: SkippedGroup | undefined, colour: Colour): string {
  if (group === undefined) return line;
  return line.replace(labelOf(group), (label) => colour(statusColour(group.status), label));
}

/** A row that repeats another shares its status, which is no reason not to be sent. */
function labelOf({ status, code }: SkippedGroup): string {
  return code === 'duplicate' ? code : statusLabel(status);
}

function reasonOf({ status, code }: SkippedGroup): string {
  if (code === 'duplicate') return 'same as an earlier row of the file';
  if (status === 'created') return 'this batch created it';
  return code === null || code === status ? 'created before' : code;
}

function rowsOf({ rows, firstRow }: SkippedGroup): string {
  return rows === 1 ? `row ${groupedNumber(firstRow)}` : `from row ${groupedNumber(firstRow)} on`;
}

/** Every row of a plan is still to be done; the failed file is of use where rows need correction. */
function fileLines({ files, planHash }: BatchSummary, { skip }: PlanTotals): string[] {
  const named: readonly (readonly [string, string | null])[] = [
    ['plan hash', planHash],
    ['results', files.results],
    ['failed', needCorrection(skip) ? files.failed : null],
    ['changes', files.changes ?? null],
    ['report', files.report],
  ];
  return named.flatMap(([name, text]) => (text === null ? [] : [`  ${name.padEnd(9)}  ${printable(text)}`]));
}

function ledgerLines({ isLedgerEmbedded = false }: PlanTableOptions): string[] {
  return isLedgerEmbedded ? [`  ledger     embedded: ${inVariables(embeddedLedgerAdvice)}`] : [];
}

function needCorrection(skip: PlanTotals['skip']): boolean {
  return skip.some(({ status }) => status === 'invalid' || status === 'rejected');
}

function correctionLines(
  { files }: BatchSummary,
  { skip }: PlanTotals,
  { words, environment }: PlanTableOptions,
  colour: Colour,
): string[] {
  if (files.failed === null || !needCorrection(skip)) return [];
  const command = words.remedy({ action: 'plan', files: [files.failed], asRead: false, environment });
  return [
    '  Correct the rows in the failed file, save it and plan that:',
    `    ${colour('bold', printable(command))}`,
  ];
}

function sendingLines(
  batch: BatchSummary,
  totals: PlanTotals,
  { words, environment, canBeSent }: PlanTableOptions,
  colour: Colour,
): string[] {
  if (rowsToSend(totals) === 0 || batch.batch === null || batch.planHash === null) return [];
  if (!canBeSent) {
    return wrapped('To send it, plan or import it with the API: --base-url URL, or --local-sandbox.', '  ');
  }
  const command = words.remedy({
    action: 'submit',
    batch: shortBatchId(batch.batch),
    planHash: batch.planHash,
    environment,
  });
  return [
    '  Send exactly this, and nothing if it has changed by then:',
    `    ${colour('bold', printable(command))}`,
  ];
}
