/* Common cells of the work list's sections: the batch, its amounts, and what the lines leave out. */

import { type Html, html } from '../../account/report/page.ts';
import { type Cell, columnsOf, type DrawnCell, type Line, type Table } from '../../account/table/table.ts';
import { reasonName } from '../../account/words/wording.ts';
import type { Task, WorkSection } from '../../account/worklist.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import { type TableView, tableView } from './table.ts';

/** A section of the list, with the number of its lines. */
export interface WorkTable {
  readonly table: TableView;
  readonly lines: number;
}

/** The batch of a line of the list. */
interface ListedBatch {
  readonly id: string;
  readonly file: string;
  readonly sheet: string | null;
}

/** The name of the file, with a link to the page for its action. */
export function batchCell({ id, file, sheet }: ListedBatch, address = `/batches/${id}`): DrawnCell {
  const name = sheet === null ? file : `${file}, sheet ${sheet}`;
  return {
    text: `${name} ${shortBatchId(id)}`,
    shown: html`<div><a href="${address}">${name}</a> <span class="soft">${shortBatchId(id)}</span></div>`,
  };
}

/** Amounts, one line per currency: `1,200.00 GHS`. A note says if they are incomplete or unknown. */
export function amountsCell(sums: Task['sums'], rows: number | null): DrawnCell | null {
  if (sums === null) return linesCell(['not added up']);
  return amountLines(sums, rows, []);
}

/** @param notes notes on further omitted amounts */
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

/** Lines below each other. */
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

/**
 * A section with its lines and their totals; null for no lines.
 * @param introduction what is to be done, and the meaning of each choice
 */
export function workTable(
  id: string,
  given: Table & { readonly introduction: string },
  work: WorkSection<Task>,
): WorkTable | null {
  const table = tableView({ ...given, totals: totalsOf(given, work) }, id);
  if (table === null) return null;
  const { more } = work;
  const below =
    more === 0
      ? null
      : html`<p class="second">${countOf(more, 'more line')}: the CSV file has up to 1,000 lines.</p>`;
  return { table: { ...table, below }, lines: given.rows.length + more };
}

/** The rows and amounts of all lines, under the columns that have them. */
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
