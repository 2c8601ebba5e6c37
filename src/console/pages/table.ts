/* The parts of a page: markup, and tables as data. Tables are shown, or downloaded as CSV. */

import { countedStatuses } from '../../account/figures.ts';
import { Html, html } from '../../account/report/page.ts';
import { type CellForms, type DrawnCell, swatch, type Table, tableMark } from '../../account/table.ts';
import { occurring, reasonName, statusLabel } from '../../account/words/wording.ts';
import type { BatchAccount, InputAccount } from '../../domain/batches/account.ts';
import { type BatchFacts, correctedRows, withoutCorrected } from '../../domain/batches/batch-facts.ts';
import { groupedNumber } from '../../domain/money/money.ts';
import type { Message } from '../../domain/settings/message.ts';
import { pageText } from './page-words.ts';

/* Parts of pages: rows by status, facts, next steps, and files to download. */

/** The rows by status as a bar. The numbers below it show the same. */
export function barOf(
  account: Pick<InputAccount, 'rows' | 'counts'> & Partial<Pick<BatchFacts, 'corrected'>>,
): Html | null {
  const { rows: all, counts, corrected = {} } = account;
  if (all === 0) return null;
  let from = 0;
  // Corrected rows need as little attention as rows that existed already.
  const moved = ['existing', correctedRows({ corrected })] as const;
  const parts = [...occurring(withoutCorrected({ counts, corrected })), ...(moved[1] === 0 ? [] : [moved])];
  const segments = parts.map(([status, rows]) => {
    const width = (rows / all) * 100;
    const segment = html`<rect class="${status}" x="${from.toFixed(3)}" y="0" width="${width.toFixed(3)}" height="1"/>`;
    from += width;
    return segment;
  });
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${segments}</svg>
`;
}

/** Rows by status: a bar, and a line for each status with a link to its rows. */
export function countsOf(account: InputAccount): Html {
  return account.rows === 0 ? statusList(account) : html`${barOf(account)}${statusList(account)}`;
}

/** A line for each status, with its meaning and a link to its rows. */
export function statusList(account: InputAccount): Html {
  const { id: batch, rows: all } = account;
  const statuses = countedStatuses(account);
  const lines = statuses.map(({ status, rows, meaning }) => {
    const label = statusLabel(status);
    const name =
      batch === null ? label : html`<a href="/batches/${batch}/rows?status=${status}">${label}</a>`;
    return html`<li>${swatch(status)}<b>${groupedNumber(rows)}</b>${name}<span>${meaning}</span></li>
`;
  });
  if (all === 0) return html`<p class="empty">There are no rows.</p>`;
  return html`<ul class="counts">
${lines}</ul>`;
}

/** Facts in one line, each with its name; facts without a value are left out. */
export function facts(entries: readonly (readonly [string, Html | string | null])[]): Html {
  const shown = entries.filter(([, value]) => value !== null);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The existing files of a batch, the most useful first. */
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
type DownloadName = keyof typeof fileNames;

export function isDownloadName(name: string): name is DownloadName {
  return Object.hasOwn(fileNames, name);
}

const ofFailedRows: readonly DownloadName[] = ['failedWorkbook', 'failed'];

/**
 * Links to the files of a batch; null if no file was written. The files of failed rows also contain rows that were not
 * sent. They are offered only if a row has failed.
 */
export function filesOf({ files, counts, id }: Pick<BatchAccount, 'files' | 'counts' | 'id'>): Html | null {
  const { created = 0, existing = 0, not_sent: notSent = 0, ...others } = counts;
  const hasFailed = Object.values(others).some((rows) => rows > 0);
  const names = (Object.keys(fileNames) as DownloadName[]).filter(
    (name) => (files[name] ?? null) !== null && (hasFailed || !ofFailedRows.includes(name)),
  );
  if (names.length === 0) return null;
  const links = names.map(
    (name) => html`<li><a href="/batches/${id}/files/${name}">${fileNames[name]}</a></li>`,
  );
  return html`<section><h2>Files</h2><ul class="files">${links}</ul></section>`;
}

/** A moment. The server writes UTC; the console's script shows it in the viewer's time zone. @param time ISO 8601 */
export function moment(time: string): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}" data-moment>${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

const momentInText = /(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC)/;

/** A message in the words of pages. Its moments are shown like all other moments of the page. */
export function sentence(message: Message): Html {
  return html`${pageText(message)
    .split(momentInText)
    .map((part) => {
      const iso = `${part.slice(0, -' UTC'.length).replace(' ', 'T')}Z`;
      return momentInText.test(part) && !Number.isNaN(Date.parse(iso)) ? moment(iso) : part;
    })}`;
}

/** The forms of cells on pages: words instead of codes, and moments in the viewer's time zone. */
const pageForms: CellForms = { time: moment, code: reasonName, sentence };

/** A cell that leads to another page. */
export function linkCell(text: string | number, address: string): DrawnCell {
  return { text: String(text), shown: html`<a href="${address}">${text}</a>` };
}

/** A cell with its own markup. @param text its text; empty for buttons */
export function drawnCell(shown: Html | null, text = ''): DrawnCell | null {
  return shown === null ? null : { text, shown };
}

/** A table that can be downloaded. */
export interface TableView extends Table {
  /** The name of the table within the page. It is the anchor, and the parameter of the download. */
  readonly id: string;
  /** The markup that is shown instead of the table, if another form is better. */
  readonly shown?: Html;
  /** The content below the table. */
  readonly below?: Html | null;
  /** Whether only the title is shown until a person opens the table. */
  readonly isFolded?: boolean;
}

/** The content of a page, from its top to its end. */
export type Content = Html | TableView | null | readonly Content[];

/**
 * A table that can be downloaded; null if it would be empty.
 * @param id derived from its title when absent
 */
export function tableView(table: Omit<TableView, 'id'>, id = slugOf(table.title)): TableView | null {
  return table.rows.length === 0 ? null : { ...table, id };
}

function slugOf(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** The parameter of an address that requests a table of its page as CSV. */
export const csvParameter = 'csv';

/**
 * The markup of a page's content.
 * @param address of the page, under which its tables are downloaded; null if the page answers a form
 */
export function contentOf(address: string | null, content: Content): Html {
  if (content === null || content instanceof Html) return html`${content}`;
  if (isList(content)) return html`${content.map((each) => contentOf(address, each))}`;
  const { id, title, introduction, shown, below = null, isFolded } = content;
  const heading = html`<h2>${title}</h2>`;
  const [before, after] =
    isFolded === true ? [html`<details><summary>${heading}</summary>`, html`</details>`] : [heading, null];
  return html`<section id="${id}">
${before}
${introduction === undefined ? null : html`<p>${sentence(introduction)}</p>`}${shown ?? tableMark(content, pageForms)}${below}
${address === null ? null : html`<p class="download"><a href="${csvAddress(address, id)}" download>Download as CSV<span class="visually-hidden">: ${title}</span></a></p>`}${after}
</section>
`;
}

/** The table with this id in a page's content; null if none exists. */
export function tableIn(content: Content, id: string): TableView | null {
  if (content === null || content instanceof Html) return null;
  if (!isList(content)) return content.id === id ? content : null;
  for (const each of content) {
    const found = tableIn(each, id);
    if (found !== null) return found;
  }
  return null;
}

function isList(content: TableView | readonly Content[]): content is readonly Content[] {
  return Array.isArray(content);
}

function csvAddress(address: string, id: string): string {
  const [path = '', query = ''] = address.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set(csvParameter, id);
  return `${path}?${parameters.toString()}`;
}

/** The name of a table's file. */
export function csvFileName(page: string, { title }: Pick<TableView, 'title'>): string {
  return `${page} - ${title}.csv`.replace(/[/\\:*?"<>|\p{Cc}\p{Cf}]/gu, '_');
}
