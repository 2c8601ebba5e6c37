import { basename } from 'node:path';
import type { ResultStatus, StatusCounts } from '../../domain/row-state.ts';
import type { BatchFiles } from '../words/json-summary.ts';
import type { NextStep } from '../words/next-steps.ts';
import {
  contradictionHeadline,
  countOf,
  groupedNumber,
  headline,
  occurring,
  statusLabel,
  statusMeaning,
} from '../words/wording.ts';
import type { Attention, AttentionGroup } from './attention.ts';
import { type Html, html } from './html.ts';
import { codeCell, section, table, tableSection } from './table.ts';

/** Rows and amount of one currency; the amount is a decimal string. */
export interface CurrencyTotal {
  readonly currency: string;
  readonly rows: number;
  readonly amount: string;
}

/** One run of the batch; times are ISO 8601, UTC. */
export interface RunLine {
  readonly startedAt: string;
  /** Null while it is under way, or when it was killed. */
  readonly endedAt: string | null;
  readonly exitCode: number | null;
}

/** A moment as the report shows it: `2026-11-20 10:00:00 UTC`. */
export function moment(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function swatch(status: ResultStatus): Html {
  return html`<i style="background: var(--${status})"></i>`;
}

function statusCell(status: ResultStatus): Html {
  return html`<span class="status">${swatch(status)}${statusLabel(status)}</span>`;
}

/** @param contradicted created rows whose answer contradicts what was sent, told before everything else */
export function outcomeSection(rows: number, counts: StatusCounts, contradicted: number): Html {
  const statuses = occurring(counts);
  const segments = statuses.map(
    ([status, count]) => html`<span style="flex-grow: ${count}; background: var(--${status})"></span>`,
  );
  const lines = statuses.map(
    ([status, count]) =>
      html`<li>${swatch(status)}<b>${groupedNumber(count)}</b>${statusLabel(status)}<span>${statusMeaning(status)}</span></li>
`,
  );
  const warning =
    contradicted === 0 ? null : html`<p class="headline warning">${contradictionHeadline(contradicted)}</p>`;
  return html`<section aria-label="Outcome">
${warning}<p class="headline">${headline(rows, counts)}</p>
<div class="bar" aria-hidden="true">${segments}</div>
<ul class="counts">
${lines}</ul>
</section>
`;
}

export function nextStepsSection(steps: readonly NextStep[]): Html | null {
  if (steps.length === 0) return null;
  const items = steps.map(
    (step) => html`<li>${step.why}<pre><code>${step.command}</code></pre></li>
`,
  );
  return section(
    'What to do next',
    html`<ol class="steps">
${items}</ol>`,
  );
}

function firstRows(group: AttentionGroup): string {
  const rest = group.rows - group.firstRows.length;
  return group.firstRows.join(', ') + (rest > 0 ? ` and ${groupedNumber(rest)} more` : '');
}

export function findingsSection(attention: Attention): Html | null {
  if (attention.groups.length === 0) return null;
  const title = 'What needs attention, by reason';
  const rows = attention.groups.map((group) => [
    statusCell(group.status),
    group.rows,
    group.column,
    codeCell(group.code),
    group.message ?? statusMeaning(group.status),
    firstRows(group),
  ]);
  const columns = ['Status', 'Rows', 'Column', 'Code', 'Message', 'In rows'];
  const left = attention.groupsLeftOut;
  const note =
    left === 0 ? null : html`<p class="note">And ${countOf(left, 'more reason')}: see the failed file.</p>`;
  return section(title, [
    html`<p>The message is that of the first row of each kind.</p>`,
    table({ title, columns, rows }),
    note,
  ]);
}

export function attentionSection(attention: Attention, failed: string | null): Html | null {
  if (attention.rows === 0) return null;
  const title = 'Rows that need attention';
  const rows = attention.listed.map((row) => [
    row.row,
    statusCell(row.status),
    row.field,
    codeCell(row.code),
    row.message ?? statusMeaning(row.status),
    codeCell(row.objectId),
  ]);
  const rest = attention.rows - attention.listed.length;
  const where = failed === null ? 'the results file' : basename(failed);
  const note = rest === 0 ? null : html`<p class="note">And ${countOf(rest, 'more row')}: see ${where}.</p>`;
  return section(title, [
    table({ title, columns: ['Row', 'Status', 'Column', 'Code', 'Message', 'Id'], rows }),
    note,
  ]);
}

/** Links go to the files beside the report, so that the folder can be moved or sent as a whole. */
function fileLink(path: string): Html {
  const name = basename(path);
  return html`<a href="./${encodeURIComponent(name)}">${name}</a>`;
}

/** The files that a report names beside itself. */
export type ReportFiles = Pick<BatchFiles, 'results' | 'failed' | 'log' | 'objects' | 'instructions'>;

export function filesSection(files: ReportFiles): Html | null {
  const named: readonly (readonly [string | null, string])[] = [
    [files.results, 'every row of the input, and what became of it'],
    [files.failed, 'the rows that are not done, to be corrected and imported again'],
    [files.objects ?? null, 'what the API answered about every object: wallets, bank details, references'],
    [files.instructions ?? null, 'a sheet for each payer, to be printed'],
    [files.log, 'the run log, for programs'],
  ];
  const rows = named.flatMap(([path, what]) => (path === null ? [] : [[fileLink(path), what]]));
  return tableSection({ title: 'Files beside this report', columns: ['File', 'What it holds'], rows });
}

export function totalsSection(totals: readonly CurrencyTotal[]): Html | null {
  const rows = totals.map(({ currency, rows: count, amount }) => [currency, count, { amount }]);
  return tableSection({ title: 'Totals by currency', columns: ['Currency', 'Rows', 'Amount'], rows });
}

const exitMeanings: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'finished; some rows are invalid, rejected or waiting',
  4: 'stopped before the end',
  5: 'finished; some rows are unknown or held, or an answer contradicts what was sent',
  6: 'the API refused the credentials',
  70: 'internal error',
};

export function runsSection(runs: readonly RunLine[]): Html | null {
  const rows = runs.map((run) => [
    moment(run.startedAt),
    run.endedAt === null ? 'not ended' : moment(run.endedAt),
    run.exitCode === null ? '' : `${run.exitCode}: ${exitMeanings[run.exitCode] ?? 'ended'}`,
  ]);
  return tableSection({ title: 'Runs so far', columns: ['Started', 'Ended', 'Exit code'], rows });
}
