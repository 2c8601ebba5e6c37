/* Parts of pages: rows by status, facts, what to do next, files to download. */

import type { BatchFiles } from '../../domain/batches/batch-summary.ts';
import type { StatusTotal } from '../../domain/money/expectation.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import { localSandboxPrefix } from '../../engine/connections/opened-api.ts';
import { type CellForms, type Html, html } from '../../output/report/page.ts';
import { statusCell } from '../../output/report/sections.ts';
import {
  groupedNumber,
  occurring,
  partialSums,
  statusLabel,
  statusMeaning,
} from '../../output/words/wording.ts';
import { sentence } from './layout.ts';
import { type TableView, tableView } from './table.ts';

/** Rows by status: a bar, and a line for each. @param batch whose rows the lines lead to; null where it has none yet */
export function countsOf(counts: StatusCounts, batch: string | null): Html {
  const statuses = occurring(counts);
  const all = statuses.reduce((sum, [, count]) => sum + count, 0);
  let from = 0;
  const segments = statuses.map(([status, count]) => {
    const width = (count / all) * 100;
    const segment = html`<rect class="${status}" x="${from.toFixed(3)}" y="0" width="${width.toFixed(3)}" height="1"/>`;
    from += width;
    return segment;
  });
  const lines = statuses.map(([status, count]) => {
    const label = statusLabel(status);
    const name =
      batch === null ? label : html`<a href="/batches/${batch}/rows?status=${status}">${label}</a>`;
    return html`<li><i class="${status}"></i><b>${groupedNumber(count)}</b>${name}<span>${statusMeaning(status)}</span></li>
`;
  });
  if (all === 0) return html`<p class="empty">There are no rows.</p>`;
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${segments}</svg>
<ul class="counts">
${lines}</ul>`;
}

/** Amounts by status and currency; nothing where no row has one. */
export function sumsOf(sums: readonly StatusTotal[] | null, counts: StatusCounts): TableView | null {
  if (sums === null) return null;
  return tableView({
    title: 'Amounts',
    introduction: partialSums(sums, counts).join('; '),
    columns: ['Status', 'Rows', 'Currency', 'Amount'],
    rows: sums.map(({ status, rows, amount, currency }) => [
      statusCell(status),
      rows,
      currency,
      { amount, currency },
    ]),
  });
}

/** The code of a finding as words. */
export function reasonName(code: string): string {
  return code.replaceAll('_', ' ');
}

/** How tables that reports have too are shown on pages. */
export const pageForms: CellForms = {
  reason: (code) => (code === null ? null : reasonName(code)),
  sentence,
};

/** The API of a batch, by its address where it has one. */
export function apiName(origin: string): string {
  return origin.startsWith(localSandboxPrefix) ? 'the built-in sandbox' : origin;
}

/** Facts in a line, each with its name; those without a value are left out. */
export function facts(given: readonly (readonly [string, Html | string | null])[]): Html {
  const shown = given.filter(([, value]) => value !== null);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The files of a batch that are there, in the order in which they are useful. */
const fileNames = {
  results: 'Results (CSV)',
  failedWorkbook: 'Failed rows (workbook)',
  failed: 'Failed rows (CSV)',
  changes: 'What changed (CSV)',
  objects: 'Objects (CSV)',
  instructions: 'Instruction sheets',
  report: 'Report',
  log: 'Run log',
} as const;

/** Names under which the files of a batch are downloaded. */
export type DownloadName = keyof typeof fileNames;

export function isDownloadName(name: string): name is DownloadName {
  return Object.hasOwn(fileNames, name);
}

/** Links to the files of a batch; nothing where none was written. @param batch its whole id */
export function filesOf(files: BatchFiles, batch: string): Html | null {
  const names = (Object.keys(fileNames) as DownloadName[]).filter((name) => (files[name] ?? null) !== null);
  if (names.length === 0) return null;
  const links = names.map(
    (name) => html`<li><a href="/batches/${batch}/files/${name}">${fileNames[name]}</a></li>`,
  );
  return html`<section><h2>Files</h2><ul class="files">${links}</ul></section>`;
}
