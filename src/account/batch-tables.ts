/*
 * Tables about batches: their runs, the rows that would be sent and those that would not, the reasons of rows, and the
 * sums of amounts.
 */

import { exitCodes } from '../disk/log/exit-codes.ts';
import type {
  BatchAccount,
  InputAccount,
  PlanGroup,
  PlanTotals,
  RunAccount,
  SkippedGroup,
} from '../domain/batches/account.ts';
import { askingCommands } from '../domain/batches/run.ts';
import type { CallOutcome } from '../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../domain/money/money.ts';
import { AmountSums, type CurrencySum } from '../domain/money/sums.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import { sumNames } from './figures.ts';
import { type AmountCell, type Cell, figure, type Line, shrinking, type Table } from './table.ts';
import { inputName, occurring, outcomeTexts, statusLabel } from './words/wording.ts';

/* The runs of a batch as a table; each channel shows as many columns as fit. */

/** All runs, the oldest first. */
export function runsTable(runs: readonly RunAccount[]): Table {
  return {
    title: 'Runs so far',
    columns: [
      figure('Run'),
      'Command',
      'Begun by',
      'Started',
      'Ended',
      figure('Took'),
      shrinking('Exit code'),
      'Outcome',
      'Host',
    ],
    rows: runs.map(lineOf),
  };
}

function lineOf(run: RunAccount): Line {
  const { number, command, actor, startedAt, endedAt, outcome, host } = run;
  return [
    String(number),
    command,
    actor === null ? null : `${actor.name} (${actor.channel})`,
    { time: startedAt },
    endedAt === null ? 'not ended' : { time: endedAt },
    tookText(run),
    outcome === null ? endText(run) : `${exitCodes[outcome]}: ${endText(run)}`,
    endText(run),
    host,
  ];
}

/** The end of a run, or the state of one that has not ended. */
function endText({ command, outcome, endedAt, isUnderWay }: RunAccount): string {
  if (outcome !== null) return outcomeText(command, outcome);
  if (isUnderWay) return 'under way';
  return endedAt === null ? 'no sign of life: the next run takes over' : 'lost: killed, or cut off';
}

function tookText({ startedAt, endedAt }: RunAccount): string | null {
  if (endedAt === null) return null;
  const seconds = Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

function outcomeText(command: string, outcome: CallOutcome): string {
  // For these commands, `done` describes the rows. Other commands are done once they have done their work.
  if (outcome === 'done') return askingCommands.includes(command) ? 'all rows are there' : 'done';
  return outcomeTexts[outcome];
}

/** The table of what would be sent, and then the table of what would not be sent, with the reasons. */
export function planTables(totals: PlanTotals): readonly Table[] {
  return [sendTable(totals), skipTable(totals)];
}

/** Number of rows that a plan sends. */
export function plannedRows({ send }: Pick<PlanTotals, 'send'>): number {
  return send.reduce((sum, { rows }) => sum + rows, 0);
}

/** The table of what would be sent, by type, institution and currency, with exact sums. */
export function sendTable({ send }: Pick<PlanTotals, 'send'>): Table {
  return {
    title: 'What would be sent',
    columns: ['What', shrinking('Institution'), 'Currency', figure('Rows'), figure('Amount')],
    rows: send.map(sendLine),
    totals: totalsOf(send).map((line) => ['all', null, ...line]),
  };
}

/** The table of what would not be sent, with the reasons. */
export function skipTable({ skip }: Pick<PlanTotals, 'skip'>): Table {
  return {
    title: 'What would not be sent',
    columns: ['Status', shrinking('Why'), figure('Rows'), 'First row'],
    rows: skip.map(skipLine),
  };
}

/** A plan with the file to which it belongs. */
interface PlanOfFile {
  readonly file: string;
  readonly sheet: string | null;
  readonly totals: PlanTotals;
}

/** The tables of what a call with several files would send and would not send. Each line names its file. */
export function callTables(plans: readonly PlanOfFile[]): readonly Table[] {
  const send = sendTable({ send: [] });
  const skip = skipTable({ skip: [] });
  return [
    {
      title: 'What would be sent of all files',
      columns: [shrinking('File'), ...send.columns],
      rows: plans.flatMap((plan) => plan.totals.send.map((group) => [inputName(plan), ...sendLine(group)])),
      totals: totalsOf(plans.flatMap(({ totals }) => totals.send)).map((line) => [
        'all',
        null,
        null,
        ...line,
      ]),
    },
    {
      title: 'What would not be sent of all files',
      columns: [shrinking('File'), ...skip.columns],
      rows: plans.flatMap((plan) => plan.totals.skip.map((group) => [inputName(plan), ...skipLine(group)])),
    },
  ];
}

function sendLine({ resource, institution, currency, rows, rowsWithAmount, amount }: PlanGroup): Line {
  const what = resource.slice(resource.indexOf('/') + 1).replaceAll('_', ' ');
  return [what, institution, currency, rows, amountCell(amount, currency, rowsWithAmount, rows)];
}

function amountCell(
  amount: string | null,
  currency: string | null,
  rows: number,
  all: number,
): AmountCell | null {
  return amount === null || currency === null ? null : { amount, currency, partOf: { rows, all } };
}

/**
 * Totals with currency, rows and amount. Each currency has its own line, because different currencies are never added
 * up.
 */
function totalsOf(send: readonly PlanGroup[]): readonly Line[] {
  const sums = new AmountSums();
  const rows = new Map<string | null, number>();
  for (const group of send) {
    rows.set(group.currency, (rows.get(group.currency) ?? 0) + group.rows);
    if (group.currency !== null && group.amount !== null)
      sums.add(group.currency, group.amount, group.rowsWithAmount);
  }
  const byCurrency = new Map(sums.result().map((sum) => [sum.currency, sum]));
  return [...rows]
    .sort(([left], [right]) => ((left ?? '') < (right ?? '') ? -1 : 1))
    .map(([currency, all]) => {
      const sum = currency === null ? undefined : byCurrency.get(currency);
      return [currency, all, amountCell(sum?.amount ?? null, currency, sum?.rows ?? 0, all)];
    });
}

/** Status, reason, number of rows, and number of the first row. */
export function skipLine(group: SkippedGroup): Line {
  return [statusOf(group), whyOf(group), group.rows, String(group.firstRow)];
}

/** A row that repeats another row has the same status, but it is not sent because it is a repetition. */
function statusOf({ status, code }: SkippedGroup): Cell {
  return code === 'duplicate' ? code : { status };
}

function whyOf({ status, code }: SkippedGroup): Cell {
  if (code === 'duplicate') return 'same as an earlier row of the file';
  if (status === 'created') return 'this batch created it';
  return code === null || code === status ? 'created before' : { code };
}

/** Explains how this table counts reasons, because the list in a summary counts every fault of a row. */
export const countedOnce = 'Each row counts once, by its first fault.';

/**
 * The table of rows that wait for a person or for time, by status and reason; empty while these rows are not added up.
 */
export function reasonsTable({ open }: Pick<BatchAccount, 'open'>): Table {
  return {
    title: 'Reasons',
    ...((open ?? []).length > 1 ? { introduction: countedOnce } : {}),
    columns: ['Status', shrinking('Why'), figure('Rows')],
    rows: (open ?? []).map(({ status, code, rows }) => [
      { status },
      code === null ? 'several reasons' : { code },
      rows,
    ]),
  };
}

/* The sums of a batch's amounts, by status and currency, as a table with its total. */

type Sums = NonNullable<InputAccount['sums']>;

/** The table of a batch's amounts; null if no row has an amount, or if the amounts are not added up. */
export function amountsTable(
  account: Pick<InputAccount, 'kind' | 'sums' | 'counts' | 'repeats'>,
): Table | null {
  const { kind, sums, counts, repeats } = account;
  if (sums === null || sums.length === 0) return null;
  const { note } = sumNames(kind);
  const left = [...(note === '' ? [] : [`Amounts in the file, ${note}`]), ...leftOut(sums, counts, repeats)];
  return {
    title: 'Amounts',
    ...(left.length === 0 ? {} : { introduction: `${left.join('; ')}.` }),
    columns: ['Status', 'Currency', figure('Rows'), figure('Sum')],
    rows: sums.map(({ status, currency, rows, amount }) => [
      { status },
      currency,
      rows,
      { amount, currency },
    ]),
    totals: addedUp(sums).map(
      ({ currency, rows, amount }): Line => ['all', currency, rows, { amount, currency }],
    ),
  };
}

/** Adds up the sums of each currency. */
export function addedUp(sums: readonly CurrencySum[]): readonly CurrencySum[] {
  const added = new AmountSums();
  for (const { currency, amount, rows } of sums) added.add(currency, amount, rows);
  return added.result();
}

/**
 * Notes where a sum does not cover all rows of its status: `created: 2 of 3 rows have an amount`. Only an invalid row may
 * have an unreadable amount or currency.
 */
function leftOut(sums: Sums, counts: StatusCounts, repeats: StatusCounts): readonly string[] {
  return occurring(counts).flatMap(([status, all]) => {
    const repeated = repeats[status] ?? 0;
    const rows = all - repeated;
    const summed = sums.filter((sum) => sum.status === status).reduce((sum, each) => sum + each.rows, 0);
    const have = `${groupedNumber(summed)} of ${countOf(rows, 'row')} ${summed === 1 || rows === 1 ? 'has' : 'have'}`;
    const what = status === 'invalid' ? 'an amount and a currency that can be read' : 'an amount';
    return [
      ...(summed < rows ? [`${statusLabel(status)}: ${have} ${what}`] : []),
      ...(repeated > 0 ? [`${statusLabel(status)}: ${repeatedText(repeated)}`] : []),
    ];
  });
}

function repeatedText(rows: number): string {
  return rows === 1
    ? '1 row more repeats an earlier one, and is not counted again'
    : `${groupedNumber(rows)} rows more repeat earlier ones, and are not counted again`;
}
