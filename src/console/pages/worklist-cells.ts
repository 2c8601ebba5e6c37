/* Cells that the sections of the work list have in common: the batch, its amounts, and what is not among the lines. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { CurrencySum } from '../../domain/money/expectation.ts';
import type { WorkSection } from '../../engine/worklist.ts';
import { type Html, html } from '../../output/report/page.ts';
import type { Cell, DrawnCell, Table } from '../../output/table/table.ts';
import { countOf, groupedAmount } from '../../output/words/wording.ts';
import { reasonName } from './parts.ts';
import { type TableView, tableView } from './table.ts';

/** A section of the list, with how many lines of it there are. */
export interface WorkTable {
  readonly table: TableView;
  readonly lines: number;
}

/** A batch of a line of the list. */
interface ListedBatch {
  readonly id: string;
  readonly file: string;
  readonly sheet: string | null;
}

/** The name of the file, which leads to where something is done. */
export function batchCell({ id, file, sheet }: ListedBatch, address = `/batches/${id}`): DrawnCell {
  const name = sheet === null ? file : `${file}, sheet ${sheet}`;
  return {
    text: `${name} ${shortBatchId(id)}`,
    shown: html`<div><a href="${address}">${name}</a> <span class="soft">${shortBatchId(id)}</span></div>`,
  };
}

/** Amounts, a line for each currency: `1,200.00 GHS`. */
export function amountsCell(sums: readonly CurrencySum[]): DrawnCell | null {
  if (sums.length === 0) return null;
  return linesCell(
    sums.map(({ amount, currency }) => `${groupedAmount(amount, currency)} ${currency}`),
    (line) => html`<div><span class="number">${line}</span></div>`,
  );
}

/** Lines below each other. */
export function linesCell(
  lines: readonly string[],
  shown: (line: string) => Html = (line) => html`<div>${line}</div>`,
): DrawnCell {
  return { text: lines.join('; '), shown: html`${lines.map(shown)}` };
}

/** How many rows; what is not known yet is said. */
export function rowsCell(rows: number | null): Cell {
  return rows ?? 'not counted yet';
}

/** A code of ours or of the API, as words. */
export function reasonText(code: string | null): string {
  return code === null ? 'several reasons' : reasonName(code);
}

/** Buttons and links that go together; nothing where the person may use none of them. */
export function actionsCell(...offers: readonly (Html | null)[]): DrawnCell | null {
  const shown = offers.filter((offer) => offer !== null && offer.text !== '');
  return shown.length === 0 ? null : { text: '', shown: html`<div class="actions">${shown}</div>` };
}

/** A section with its lines; nothing where it has none. @param introduction what is to be done, and what each choice means */
export function workTable(
  id: string,
  given: Table & { readonly introduction: string },
  work: Pick<WorkSection<never>, 'more' | 'rows' | 'sums'>,
): WorkTable | null {
  const table = tableView({ ...given, introduction: `${totalOf(work)}${given.introduction}` }, id);
  if (table === null) return null;
  const { more } = work;
  const below =
    more === 0
      ? null
      : html`<p class="second">${countOf(more, 'more line')}: the CSV file has up to 1,000 lines.</p>`;
  return { table: { ...table, below }, lines: given.rows.length + more };
}

function totalOf({ rows, sums }: Pick<WorkSection<never>, 'rows' | 'sums'>): string {
  if (rows === 0) return '';
  const amounts = sums.map(({ amount, currency }) => `${groupedAmount(amount, currency)} ${currency}`);
  return `${countOf(rows, 'row')}${amounts.length === 0 ? '' : `, ${amounts.join(', ')}`}. `;
}
