/* A table as markup of a report or a page. */

import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { type Html, html, section } from '../report/page.ts';
import { statusLabel } from '../words/wording.ts';
import { type Cell, type Column, cellText, columnsOf, type Line, secondOf, type Table } from './table.ts';

/** What a report and a page of the console write each in its own way. */
export interface CellForms {
  /** A moment, ISO 8601 in UTC. */
  readonly time: (time: string) => Html | string;
  /** The code of a reason. */
  readonly code: (code: string) => Html | string;
  /** Words with moments in them. */
  readonly sentence: (text: string) => Html | string;
}

/** The colour of a status, in which its rows are drawn. */
export function swatch(status: ResultStatus): Html {
  return html`<i class="${status}"></i>`;
}

/** A status with its colour. */
export function statusMark(status: ResultStatus): Html {
  return html`<span class="status">${swatch(status)}${statusLabel(status)}</span>`;
}

/** A code, which may be broken behind an underscore where the column is narrow. */
export function codeMark(code: string): Html {
  const parts = code.split(/(?<=_)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
  return html`<code>${parts}</code>`;
}

/** As reports write it: with the codes that the documentation explains, and in UTC. */
const reportForms: CellForms = { time: secondOf, code: codeMark, sentence: (text) => text };

function cellMark(cell: Cell, forms: CellForms): Html | string {
  if (cell === null || typeof cell !== 'object' || 'amount' in cell) return cellText(cell);
  if ('status' in cell) return statusMark(cell.status);
  if ('code' in cell) return forms.code(cell.code);
  if ('sentence' in cell) return forms.sentence(cell.sentence);
  return 'time' in cell ? forms.time(cell.time) : cell.shown;
}

/** Whether nothing stands in a cell. */
function isEmpty(cell: Cell | undefined): boolean {
  return cell === undefined || cell === null || cell === '';
}

interface ShownColumn extends Column {
  readonly place: number;
}

function titleMark({ title, kind }: Column): Html {
  if (kind === 'figure') return html`<th scope="col" class="number">${title}</th>`;
  // A header that is not shown, such as over buttons, says nothing to a screen reader.
  return kind === 'actions' ? html`<td></td>` : html`<th scope="col">${title}</th>`;
}

function lineMark(columns: readonly ShownColumn[], line: Line, forms: CellForms): Html {
  const cells = columns.map(({ title, kind, place }) => {
    const content = cellMark(line[place] ?? null, forms);
    // On a narrow screen each cell names its column.
    if (kind === 'figure') return html`<td class="number" data-title="${title}">${content}</td>`;
    return html`<td data-title="${kind === 'actions' ? '' : title}">${content}</td>`;
  });
  return html`<tr>${cells}</tr>
`;
}

/** A table with figures at the right and its total below; a column in which no line has anything is left out. */
export function tableMark(table: Table, forms: CellForms = reportForms): Html {
  const lines = [...table.rows, ...(table.totals ?? [])];
  const columns = columnsOf(table).flatMap((column, place): ShownColumn[] =>
    lines.every((line) => isEmpty(line[place])) ? [] : [{ ...column, place }],
  );
  const rows = table.rows.map((line) => lineMark(columns, line, forms));
  const totals = (table.totals ?? []).map((line) => lineMark(columns, line, forms));
  const foot =
    totals.length === 0
      ? null
      : html`<tfoot>
${totals}</tfoot>
`;
  // A table wider than the screen is scrolled, which has to be possible with the keyboard too.
  return html`<div class="scroll" role="region" aria-label="${table.title}" tabindex="0"><table>
<thead><tr>${columns.map(titleMark)}</tr></thead>
<tbody>
${rows}</tbody>
${foot}</table></div>`;
}

/** A section of a report with a table; nothing where the table would be empty. */
export function tableSection(table: Table): Html | null {
  if (table.rows.length === 0) return null;
  const introduction = table.introduction === undefined ? null : html`<p>${table.introduction}</p>`;
  return section(table.title, [introduction, tableMark(table)]);
}
