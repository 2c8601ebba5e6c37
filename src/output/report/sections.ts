/* The sections of a batch's report. */

import { basename } from 'node:path';
import type { BatchFiles } from '../../domain/batches/batch-summary.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { StatusTotal } from '../../domain/money/expectation.ts';
import type { ResultStatus, StatusCounts } from '../../domain/rows/row-state.ts';
import { exitCodes } from '../words/exit-codes.ts';
import type { NextStep } from '../words/next-steps.ts';
import {
  contradictionHeadline,
  countOf,
  failedRowsText,
  groupedNumber,
  occurring,
  partialSums,
  statusLabel,
  statusMeaning,
} from '../words/wording.ts';
import type { Attention, AttentionGroup } from './attention.ts';
import { codeCell, type Html, html, section, tableSection } from './page.ts';

/** One run of the batch; times are ISO 8601, UTC. */
export interface RunLine {
  readonly startedAt: string;
  /** Null while it is under way, or when it was killed. */
  readonly endedAt: string | null;
  readonly outcome: CallOutcome | null;
}

/** A moment as the report shows it: `2026-11-20 10:00:00 UTC`. */
export function moment(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function swatch(status: ResultStatus): Html {
  return html`<i class="${status}"></i>`;
}

export function statusCell(status: ResultStatus): Html {
  return html`<span class="status">${swatch(status)}${statusLabel(status)}</span>`;
}

/** What came of a file: sentences, of which the first is the most important, and its rows by status. */
interface Outcome {
  readonly headlines: readonly string[];
  readonly counts: StatusCounts;
}

/** @param contradicted created rows whose answer contradicts what was sent, told before everything else */
export function outcomeSection({ headlines, counts }: Outcome, contradicted: number): Html {
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
${warning}${headlines.map((line, index) => html`<p class="${index === 0 ? 'headline' : 'second'}">${line}</p>`)}
<div class="bar" aria-hidden="true">${segments}</div>
<ul class="counts">
${lines}</ul>
</section>
`;
}

export function nextStepsSection(steps: readonly NextStep[], words: DoorWords): Html | null {
  if (steps.length === 0) return null;
  const items = steps.map(({ why, whyOnPage = why, remedy }) =>
    words.isOnPages === true
      ? html`<li>${whyOnPage} <i>In the console: ${words.remedy(remedy)}.</i></li>
`
      : html`<li>${why}<pre><code>${words.remedy(remedy)}</code></pre></li>
`,
  );
  return section(
    'What to do next',
    html`<ol class="steps">
${items}</ol>`,
  );
}

/** Everything that needs attention, under its status: each reason once, with the rows that it is about. */
export function attentionSection(attention: Attention, files: ReportFiles): Html | null {
  if (attention.groups.length === 0) return null;
  const statuses = [...new Set(attention.groups.map(({ status }) => status))];
  const left = attention.groupsLeftOut;
  const path = files.failedWorkbook ?? files.failed ?? files.findings ?? null;
  const where = path === null ? 'the results file' : basename(path);
  const note =
    left === 0 ? null : html`<p class="note">And ${countOf(left, 'more reason')}: see ${where}.</p>`;
  return section('What needs attention', [
    statuses.map((status) => {
      const own = attention.groups.filter((group) => group.status === status);
      return html`<h3>${statusCell(status)} <span>${statusMeaning(status)}</span></h3>
${own.map(reason)}`;
    }),
    note,
  ]);
}

function reason({ column, code, rows, message, places }: AttentionGroup): Html {
  const name = column === null ? null : html`<b>${column}</b> `;
  return html`<div class="reason">
<p class="what">${name}${codeCell(code)} <span>${countOf(rows, 'row')}</span></p>
${message === null ? null : html`<p>${message}</p>`}<ul class="places">
${places.map(place)}</ul>
</div>
`;
}

function place({ value, rowCount, rows }: AttentionGroup['places'][number]): Html {
  const shown = value === '' ? null : html`<code>${value}</code> `;
  return html`<li>${shown}<span>${rowCount === 1 ? 'row' : 'rows'} ${rows}</span></li>
`;
}

/** Links go to the files beside the report, so that the folder can be moved or sent as a whole. */
function fileLink(path: string): Html {
  const name = basename(path);
  return html`<a href="./${encodeURIComponent(name)}">${name}</a>`;
}

/** The files that a report names beside itself. */
export type ReportFiles = Omit<BatchFiles, 'report'>;

function gap(leftOut = 0): string {
  return leftOut === 0 ? '' : `, but for ${countOf(leftOut, 'row')}`;
}

/** Which of its rows a person has to do with comes first in the workbook. */
function rowsOf(files: ReportFiles): string {
  const text = failedRowsText(files.failedRows);
  return text === null ? '' : `: ${text}`;
}

export function filesSection(files: ReportFiles): Html | null {
  const named: readonly (readonly [string | null, string])[] = [
    [files.results, 'every row of the input, and what became of it'],
    [files.failed, `the rows that are not done, to be corrected and imported again${rowsOf(files)}`],
    [
      files.failedWorkbook ?? null,
      `the same rows, those for a person first, with what is wrong in the first column${gap(files.failedWorkbookLeftOut)}`,
    ],
    [files.objects ?? null, 'what the API answered about every object: wallets, bank details, references'],
    [files.changes ?? null, 'what changed since last time, before and after'],
    [files.instructions ?? null, 'a sheet for each payer, to be printed'],
    [files.findings ?? null, 'everything that was found, a line for each finding'],
    [
      files.findingsWorkbook ?? null,
      `the rows with findings, with what is wrong in the first column${gap(files.findingsWorkbookLeftOut)}`,
    ],
    [files.log, 'the run log, for programs'],
  ];
  const rows = named.flatMap(([path, what]) => (path === null ? [] : [[fileLink(path), what]]));
  return tableSection({ title: 'Files beside this report', columns: ['File', 'What it holds'], rows });
}

export function totalsSection(totals: readonly StatusTotal[], counts: StatusCounts): Html | null {
  const rows = totals.map(({ status, currency, rows: count, amount }) => [
    ...[statusCell(status), currency, count, { amount, currency }],
  ]);
  const partial = partialSums(totals, counts);
  return tableSection({
    title: 'Amounts',
    columns: ['Status', 'Currency', 'Rows', 'Sum'],
    rows,
    ...(partial.length === 0 ? {} : { introduction: `${partial.join('; ')}.` }),
  });
}

const meanings: Readonly<Partial<Record<CallOutcome, string>>> = {
  done: 'done',
  rows_need_correction: 'finished; some rows are invalid, rejected or waiting',
  stopped: 'stopped before the end',
  decision_needed: 'finished; some rows are unknown or held, or an answer contradicts what was sent',
  credentials_refused: 'the API refused the credentials',
  approval_needed: 'waiting for approval',
  internal: 'internal error',
};

export function runsSection(runs: readonly RunLine[]): Html | null {
  const rows = runs.map((run) => [
    moment(run.startedAt),
    run.endedAt === null ? 'not ended' : moment(run.endedAt),
    run.outcome === null ? '' : `${exitCodes[run.outcome]}: ${meanings[run.outcome] ?? 'ended'}`,
  ]);
  return tableSection({ title: 'Runs so far', columns: ['Started', 'Ended', 'Exit code'], rows });
}
