/* Parts of pages: rows by status, facts, what to do next, files to download. */

import { type Html, html } from '../../account/report/page.ts';
import { countedStatuses } from '../../account/sentences.ts';
import { swatch } from '../../account/table/table-html.ts';
import { statusLabel } from '../../account/words/wording.ts';
import { localSandboxPrefix } from '../../call/opened-api.ts';
import type { InputAccount } from '../../domain/batches/account.ts';
import type { BatchFiles } from '../../domain/batches/batch-facts.ts';
import { groupedNumber } from '../../domain/money/figures.ts';

/** Rows by status: a bar, and a line for each, which leads to its rows. */
export function countsOf(account: InputAccount): Html {
  const { id: batch, rows: all } = account;
  const statuses = countedStatuses(account);
  let from = 0;
  const segments = statuses.map(({ status, rows }) => {
    const width = (rows / all) * 100;
    const segment = html`<rect class="${status}" x="${from.toFixed(3)}" y="0" width="${width.toFixed(3)}" height="1"/>`;
    from += width;
    return segment;
  });
  const lines = statuses.map(({ status, rows, meaning }) => {
    const label = statusLabel(status);
    const name =
      batch === null ? label : html`<a href="/batches/${batch}/rows?status=${status}">${label}</a>`;
    return html`<li>${swatch(status)}<b>${groupedNumber(rows)}</b>${name}<span>${meaning}</span></li>
`;
  });
  if (all === 0) return html`<p class="empty">There are no rows.</p>`;
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${segments}</svg>
<ul class="counts">
${lines}</ul>`;
}

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
