/* The sections of a report. */

import { basename } from 'node:path';
import type {
  Attention,
  AttentionGroup,
  InputAccount,
  NextStep,
  RunAccount,
} from '../domain/batches/account.ts';
import type { BatchFiles } from '../domain/batches/batch-facts.ts';
import type { DoorWords } from '../domain/failures/remedy.ts';
import { countOf, groupedNumber } from '../domain/money/figures.ts';
import { type Html, html, section } from './report/page.ts';
import { runsTable } from './runs-table.ts';
import { countedStatuses, type Sentence } from './sentences.ts';
import { stepText } from './step-words.ts';
import { withColumns } from './table/table.ts';
import { codeMark, statusMark, swatch, tableSection } from './table/table-html.ts';
import { failedRowsText, statusLabel, statusMeaning } from './words/wording.ts';

/** The sentences, and the rows by status. */
export function outcomeSection(
  sentences: readonly Sentence[],
  account: Pick<InputAccount, 'counts' | 'repeats'>,
): Html {
  const counted = countedStatuses(account);
  const segments = counted.map(
    ({ status, rows }) => html`<span style="flex-grow: ${rows}; background: var(--${status})"></span>`,
  );
  const lines = counted.map(
    ({ status, rows, meaning }) =>
      html`<li>${swatch(status)}<b>${groupedNumber(rows)}</b>${statusLabel(status)}<span>${meaning}</span></li>
`,
  );
  const alarms = sentences.filter(({ tone }) => tone === 'alarm');
  const others = sentences.filter(({ tone }) => tone !== 'alarm');
  return html`<section aria-label="Outcome">
${alarms.map(({ text }) => html`<p class="headline warning">${text}</p>`)}${others.map(({ text }, at) => html`<p class="${at === 0 ? 'headline' : 'second'}">${text}</p>`)}
<div class="bar" aria-hidden="true">${segments}</div>
<ul class="counts">
${lines}</ul>
</section>
`;
}

/** What to do next, in the words of whoever the report is for. */
export function nextStepsSection(steps: readonly NextStep[], words: DoorWords): Html | null {
  if (steps.length === 0) return null;
  const items = steps.map((step) =>
    words.isOnPages === true
      ? html`<li>${stepText(step, true)} <i>In the console: ${words.remedy(step.remedy)}.</i></li>
`
      : html`<li>${stepText(step)}<pre><code>${words.remedy(step.remedy)}</code></pre></li>
`,
  );
  return section(
    'What to do next',
    html`<ol class="steps">
${items}</ol>`,
  );
}

/** Everything that needs attention, under its status: each reason once, with the rows that it is about. */
export function attentionSection(attention: Attention, files: BatchFiles): Html | null {
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
      return html`<h3>${statusMark(status)} <span>${statusMeaning(status)}</span></h3>
${own.map(reason)}`;
    }),
    note,
  ]);
}

function reason({ column, code, rows, message, places }: AttentionGroup): Html {
  const name = column === null ? null : html`<b>${column}</b> `;
  return html`<div class="reason">
<p class="what">${name}${code === null ? null : codeMark(code)} <span>${countOf(rows, 'row')}</span></p>
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

function gap(leftOut = 0): string {
  return leftOut === 0 ? '' : `, but for ${countOf(leftOut, 'row')}`;
}

/** How many of its rows are for a person. */
function rowsOf(files: BatchFiles): string {
  const text = failedRowsText(files.failedRows);
  return text === null ? '' : `: ${text}`;
}

/** The files beside the report. Links are relative, so that the folder can be moved or sent as a whole. */
export function filesSection(files: BatchFiles): Html | null {
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
  const rows = named.flatMap(([path, what]) => {
    if (path === null) return [];
    const name = basename(path);
    return [[{ text: name, shown: html`<a href="./${encodeURIComponent(name)}">${name}</a>` }, what]];
  });
  return tableSection({ title: 'Files beside this report', columns: ['File', 'What it holds'], rows });
}

/** When the batch ran, and how each run ended. */
export function runsSection(runs: readonly RunAccount[]): Html | null {
  return tableSection(withColumns(runsTable(runs), ['Started', 'Ended', 'Exit code']));
}
