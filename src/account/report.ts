/* A report: one HTML page without scripts, for a batch, for files that were only checked, or for a plan to be approved. */

import { basename } from 'node:path';
import { type FileSystem, realFileSystem } from '../disk/file-system.ts';
import {
  type Attention,
  type AttentionGroup,
  type BatchAccount,
  type CheckedAccount,
  type InputAccount,
  isBatch,
  type NextStep,
  type PlannedAccount,
} from '../domain/batches/account.ts';
import type { BatchFiles } from '../domain/batches/batch-facts.ts';
import type { Phrasebook } from '../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../domain/money/money.ts';
import type { Message } from '../domain/settings/message.ts';
import { kindNamed } from '../kinds/registry.ts';
import { amountsTable, plannedRows, planTables, runsTable } from './batch-tables.ts';
import { changesTables } from './changes.ts';
import { notesOf, type Sentence, sentencesOf } from './facts.ts';
import { countedStatuses } from './figures.ts';
import { replaceFile } from './files/replacement-file.ts';
import { stepText } from './next-steps.ts';
import { type Html, html, reportStyle, section } from './report/page.ts';
import { codeMark, secondOf, statusMark, swatch, type Table, tableSection, withColumns } from './table.ts';
import {
  approvalHeadline,
  checkedHeadline,
  failedRowsText,
  modeWord,
  statusLabel,
  statusMeaning,
} from './words/wording.ts';

/** When a report is made, and for which channel. */
interface Making {
  /** ISO 8601, UTC. */
  readonly madeAt: string;
  /** How the channel of the report names what can be done. */
  readonly words: Phrasebook;
}

/** The content of a report. */
export interface Report extends Making {
  readonly account: InputAccount | BatchAccount;
  readonly sentences: readonly Sentence[];
  /** Tables that come first, after the sentences. */
  readonly leading: readonly Table[];
  /** Tables between the attention section and the files. */
  readonly tables: readonly Table[];
}

/**
 * The report of a batch.
 * @param tables between the rows that need attention and the notes, and after these
 */
export function reportOfBatch(
  account: BatchAccount,
  making: Making,
  { before = [], behind = [] }: Readonly<Partial<Record<'before' | 'behind', readonly Table[]>>> = {},
): Report {
  return {
    ...making,
    account,
    sentences: sentencesOf(account),
    leading: changesTables(account.changes),
    tables: [...before, ...notesTables(notesOf(account)), ...behind],
  };
}

/** The page of a plan that is to be approved: what would be sent, what not, and why. */
export function reportOfPlan(account: PlannedAccount, making: Making): Report {
  const { plan, approval } = account;
  const sentences: readonly Sentence[] = [
    { tone: 'main', text: `${countOf(plannedRows(plan.totals), 'row')} would be sent` },
    ...(approval === null ? [] : [{ tone: 'plain', text: approvalHeadline(approval) } as const]),
    { tone: 'plain', text: `The hash of the plan is ${plan.planHash}` },
  ];
  const files = { results: null, failed: null, log: null, report: null };
  return {
    ...making,
    account: { ...account, sums: null, files, runs: [] },
    sentences,
    leading: [...changesTables(account.changes), ...planTables(plan.totals)],
    tables: [],
  };
}

/** The report of a file that was only checked, without a batch. */
export function reportOfCheck(account: Omit<CheckedAccount, 'findings' | 'place'>, making: Making): Report {
  return {
    ...making,
    account,
    sentences: [
      { tone: 'main', text: 'Checked only; nothing was sent' },
      { tone: 'counts', text: checkedHeadline(account.counts, account.repeats) },
    ],
    leading: changesTables(account.changes),
    tables: notesTables(account.notes),
  };
}

/** What was found while reading the file: its encoding, hidden sheets, rows above the header. */
function notesTables(notes: readonly Message[]): readonly Table[] {
  if (notes.length === 0) return [];
  return [{ title: 'About the file', columns: ['Note'], rows: notes.map((note) => [{ sentence: note }]) }];
}

function badge(account: Report['account']): Html {
  if (!isBatch(account)) return html`<span class="badge">CHECKED ONLY · NOTHING SENT</span>`;
  if (account.unprovenKey !== null)
    return html`<span class="badge live">${modeWord(account).toUpperCase()} · COMPARE ${account.unprovenKey}</span>`;
  return account.environment.mode === 'live'
    ? html`<span class="badge live">LIVE · REAL MONEY</span>`
    : html`<span class="badge">SANDBOX · NO REAL MONEY</span>`;
}

function heading({ account, madeAt }: Report): Html {
  const { id, file, sheet, kind, auditHead, logHead } = account;
  const origin = isBatch(account) ? account.environment.origin : null;
  const facts: readonly (readonly [string, string | null])[] = [
    ['Sheet', sheet],
    ['What', kindNamed(kind).label],
    ['API', origin === null || /^https?:/.test(origin) ? origin : 'built-in sandbox'],
    ['Batch', id],
    ['Report made', secondOf(madeAt)],
    ['Audit trail then', auditHead && `event ${auditHead.number}, ${auditHead.hash}`],
    ['Run log then', logHead && `line ${logHead.line}, ${logHead.hash}`],
  ];
  return html`<header>
${badge(account)}
<h1>${file}</h1>
<dl class="facts">${facts.map(([name, value]) => (value === null ? null : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>
</header>
`;
}

function sections({ account, sentences, words, leading, tables }: Report): readonly (Html | null)[] {
  const { attention, files } = account;
  const amounts = amountsTable(account);
  return [
    outcomeSection(sentences, account),
    ...leading.map(tableSection),
    isBatch(account) ? nextStepsSection(account.next, words) : null,
    amounts === null ? null : tableSection(amounts),
    attention === null ? null : attentionSection(attention, files),
    ...tables.map(tableSection),
    filesSection(files),
    isBatch(account)
      ? tableSection(withColumns(runsTable(account.runs), ['Started', 'Ended', 'Exit code']))
      : null,
  ];
}

/** The report as one HTML page: no scripts, nothing fetched, every value escaped. */
export function reportPage(report: Report): string {
  const { account } = report;
  const mode = isBatch(account) ? account.environment.mode : 'checked';
  const modeName = isBatch(account) ? modeWord(account) : 'checked only';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title>${account.file}: ${kindNamed(account.kind).label}, ${modeName}</title>
${reportStyle}
</head>
<body class="${mode}">
${heading(report)}<main>
${sections(report)}</main>
<footer>Made by paybatch.</footer>
</body>
</html>
`.text;
}

/**
 * Writes a report beside its final name and renames it into place (0600), as the other result files.
 * @throws OutputError
 */
export async function writeReport(
  path: string,
  report: Report,
  fileSystem: FileSystem = realFileSystem,
): Promise<void> {
  await replaceFile(path, (file) => file.write(reportPage(report)), fileSystem);
}

/* The sections of a report. */

/** The sentences, and the rows by status. */
function outcomeSection(sentences: readonly Sentence[], account: Report['account']): Html {
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

/** What to do next, in the words of the report's channel. */
function nextStepsSection(steps: readonly NextStep[], words: Phrasebook): Html | null {
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

/** Everything that needs attention, grouped by status: each reason once, with its rows. */
function attentionSection(attention: Attention, files: BatchFiles): Html | null {
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
  const shown = value === null ? 'other values: ' : value === '' ? null : html`<code>${value}</code> `;
  return html`<li>${shown}<span>${rowCount === 1 ? 'row' : 'rows'} ${rows}</span></li>
`;
}

function gap(leftOut = 0): string {
  return leftOut === 0 ? '' : `, but for ${countOf(leftOut, 'row')}`;
}

/** The files beside the report. Links are relative, so that the folder can be moved or sent as a whole. */
function filesSection(files: BatchFiles): Html | null {
  const forPerson = failedRowsText(files.failedRows);
  const failed = forPerson === null ? '' : `: ${forPerson}`;
  const named: readonly (readonly [string | null, string])[] = [
    [files.results, 'every row of the input, and what became of it'],
    [files.failed, `the rows that are not done, to be corrected and imported again${failed}`],
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
