/* A section of the work list as a table: its title, its cells, and the totals of its lines. */

import { readFileSync } from 'node:fs';
import { type Html, html } from '../../account/report/page.ts';
import { type Cell, columnsOf, type DrawnCell, type Line, type Table } from '../../account/table.ts';
import type { Task, WorkSection } from '../../account/tasks.ts';
import { reasonName } from '../../account/words/wording.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import { batchName } from './standing.ts';
import { type TableView, tableView } from './table.ts';

/** A section of the work list, with the number of its lines. */
export interface WorkTable {
  readonly table: TableView;
  readonly lines: number;
}

/** The name of a batch, with a link to the page for its action. */
export function batchCell(
  batch: Task['batch'],
  address = `/batches/${batch.id}`,
  alsoIn: readonly Task['batch'][] = [],
): DrawnCell {
  const name = batchName(batch);
  const id = shortBatchId(batch.id);
  const others = alsoIn.map((other) => `${batchName(other)} ${shortBatchId(other.id)}`);
  const links = alsoIn.map(
    (other, at) =>
      html`${at === 0 ? '' : ', '}<a href="/batches/${other.id}">${batchName(other)}</a> ${shortBatchId(other.id)}`,
  );
  return {
    text: `${name} ${id}${others.length === 0 ? '' : `; the same rows in ${others.join(', ')}`}`,
    shown: html`<div><a href="${address}">${name}</a> <span class="soft">${id}</span>${links.length === 0 ? null : html`<br><small class="soft">the same rows in ${links}</small>`}</div>`,
  };
}

/** Amounts, one line for each currency: `1,200.00 GHS`. A note says if they are incomplete or unknown. */
export function amountsCell(sums: Task['sums'], rows: number | null): DrawnCell | null {
  if (sums === null) return linesCell(['not added up']);
  return amountLines(sums, rows, []);
}

/** @param notes notes about further omitted amounts */
function amountLines(
  sums: NonNullable<Task['sums']>,
  rows: number | null,
  notes: readonly string[],
): DrawnCell | null {
  const added = sums.reduce((sum, each) => sum + each.rows, 0);
  const left =
    added > 0 && rows !== null && added < rows
      ? [`of ${groupedNumber(added)} of ${countOf(rows, 'row')}`]
      : [];
  const figures = sums.map(({ amount, currency }) => `${groupedAmount(amount, currency)} ${currency}`);
  const lines = [...figures, ...left, ...notes];
  if (lines.length === 0) return null;
  return linesCell(lines, (line) =>
    figures.includes(line)
      ? html`<div><span class="number">${line}</span></div>`
      : html`<div class="soft">${line}</div>`,
  );
}

/** Lines one below the other. */
export function linesCell(
  lines: readonly string[],
  shown: (line: string) => Html = (line) => html`<div>${line}</div>`,
): DrawnCell {
  return { text: lines.join('; '), shown: html`${lines.map(shown)}` };
}

/** The number of rows, or a note that it is not known yet. */
export function rowsCell(rows: number | null): Cell {
  return rows ?? 'not counted yet';
}

/** A code of paybatch or of the API, in words. */
export function reasonText(code: string | null): string {
  return code === null ? 'several reasons' : reasonName(code);
}

/** A group of buttons and links; null if the person may use none of them. */
export function actionsCell(...offers: readonly (Html | null)[]): DrawnCell | null {
  const shown = offers.filter((offer) => offer !== null && offer.text !== '');
  return shown.length === 0 ? null : { text: '', shown: html`<div class="actions">${shown}</div>` };
}

/** The task of each section of the list, and the meaning of each choice. */
export type WorklistTexts = Readonly<
  Record<string, { readonly title: string; readonly introduction: string }>
>;

const texts: WorklistTexts = JSON.parse(readFileSync(new URL('./worklist.json', import.meta.url), 'utf8'));

/** The title and the introduction of a section. @param id of the section */
export function textsOf(id: string): WorklistTexts[string] {
  return texts[id] ?? { title: '', introduction: '' };
}

/** A section with its lines and their totals; null if there are no lines. */
export function workTable<Own extends Task>(
  id: string,
  work: WorkSection<Own>,
  columns: Table['columns'],
  lineOf: (task: Own) => Line,
): WorkTable | null {
  const content = { ...textsOf(id), columns, rows: work.tasks.map(lineOf) };
  const table = tableView({ ...content, totals: totalsOf(content, work) }, id);
  if (table === null) return null;
  const { more } = work;
  const below =
    more === 0
      ? null
      : html`<p class="second">${countOf(more, 'more line')}: the CSV file has up to 1,000 lines.</p>`;
  return { table: { ...table, below }, lines: content.rows.length + more };
}

/** The rows and amounts of all lines, under the columns to which they belong. */
function totalsOf(
  table: Table,
  { rows, sums, uncounted, unsummed, more }: WorkSection<Task>,
): readonly Line[] {
  const titles = columnsOf(table).map(({ title }) => title);
  if (!titles.includes('Rows')) return [];
  const without = (lines: number, what: string): readonly string[] =>
    lines === 0 ? [] : [`without ${countOf(lines, 'line')} ${what}`];
  const cells: Readonly<Record<string, Cell>> = {
    Batch: more === 0 ? 'all' : 'all, with those that are not shown',
    Rows: uncounted === 0 ? rows : linesCell([groupedNumber(rows), ...without(uncounted, 'not counted yet')]),
    Amounts: amountLines(sums, rows, without(unsummed, 'not added up')),
  };
  return [titles.map((title) => cells[title] ?? null)];
}
