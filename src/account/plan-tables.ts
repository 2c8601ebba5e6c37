/* What would be sent and what would not, as tables: of one batch, and of all batches of a call. */

import type { PlanGroup, PlanTotals, SkippedGroup } from '../domain/batches/plan.ts';
import { AmountSums } from '../domain/money/expectation.ts';
import { type AmountCell, type Cell, figure, type Line, shrinking, type Table } from './table/table.ts';

/** What would be sent, and behind it what would not, with why. */
export function planTables(totals: PlanTotals): readonly Table[] {
  return [sendTable(totals), skipTable(totals)];
}

/** How many rows a plan sends. */
export function plannedRows({ send }: Pick<PlanTotals, 'send'>): number {
  return send.reduce((sum, { rows }) => sum + rows, 0);
}

/** What would be sent by type, institution and currency, with exact sums. */
export function sendTable({ send }: Pick<PlanTotals, 'send'>): Table {
  return {
    title: 'What would be sent',
    columns: ['What', shrinking('Institution'), 'Currency', figure('Rows'), figure('Amount')],
    rows: send.map(sendLine),
    totals: totalsOf(send).map((line) => ['all', null, ...line]),
  };
}

/** What would not be sent, and why. */
export function skipTable({ skip }: Pick<PlanTotals, 'skip'>): Table {
  return {
    title: 'What would not be sent',
    columns: ['Status', shrinking('Why'), figure('Rows'), 'First row'],
    rows: skip.map(skipLine),
  };
}

/** A plan, and the file that it is of. */
export interface PlanOfFile {
  readonly file: string;
  readonly sheet: string | null;
  readonly totals: PlanTotals;
}

/** What a call with several files would send, and what not: the plan of each file stays one of its own. */
export function callTables(plans: readonly PlanOfFile[]): readonly Table[] {
  const send = sendTable({ send: [] });
  const skip = skipTable({ skip: [] });
  return [
    {
      title: 'What would be sent of all files',
      columns: [shrinking('File'), ...send.columns],
      rows: plans.flatMap((plan) => plan.totals.send.map((group) => [nameOf(plan), ...sendLine(group)])),
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
      rows: plans.flatMap((plan) => plan.totals.skip.map((group) => [nameOf(plan), ...skipLine(group)])),
    },
  ];
}

function nameOf({ file, sheet }: PlanOfFile): string {
  return sheet === null ? file : `${file}, sheet ${sheet}`;
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

/** Currency, rows and amount, a line for each currency: they are never added to each other. */
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

/** Status, reason, rows and the first of them. */
export function skipLine(group: SkippedGroup): Line {
  return [statusOf(group), whyOf(group), group.rows, String(group.firstRow)];
}

/** A row that repeats another one shares its status, which is no reason not to be sent. */
function statusOf({ status, code }: SkippedGroup): Cell {
  return code === 'duplicate' ? code : { status };
}

function whyOf({ status, code }: SkippedGroup): Cell {
  if (code === 'duplicate') return 'same as an earlier row of the file';
  if (status === 'created') return 'this batch created it';
  return code === null || code === status ? 'created before' : { code };
}
