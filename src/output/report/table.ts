import { groupedAmount, groupedNumber } from '../words/wording.ts';
import { Html, type HtmlValue, html } from './html.ts';

/** An amount of money, a decimal string; the currency is null where nobody knows it, or its digits are right already. */
interface AmountCell {
  readonly amount: string;
  readonly currency: string | null;
}

/** One cell: text, a whole number, an amount of money, or markup. */
export type TableCell = string | number | AmountCell | Html | null;

/** A table of its own in the report, for what a caller has to add. */
export interface TableSection {
  readonly title: string;
  /** A sentence above the table. */
  readonly introduction?: string;
  readonly columns: readonly string[];
  /** A cell for each column. */
  readonly rows: readonly (readonly TableCell[])[];
}

/** A code, which may be broken behind an underscore where the column is narrow. */
export function codeCell(code: string | null): Html | null {
  if (code === null) return null;
  const parts = code.split(/(?<=_)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
  return html`<code>${parts}</code>`;
}

function isFigure(cell: TableCell | undefined): boolean {
  return typeof cell === 'number' || (typeof cell === 'object' && cell !== null && 'amount' in cell);
}

function cellContent(cell: TableCell): HtmlValue {
  if (typeof cell === 'number') return groupedNumber(cell);
  if (cell === null || typeof cell === 'string' || cell instanceof Html) return cell;
  return groupedAmount(cell.amount, cell.currency);
}

function tableCell(cell: TableCell, title: string): Html {
  const content = cellContent(cell);
  // On a narrow screen each cell says itself which column it is.
  if (isFigure(cell)) return html`<td class="number" data-title="${title}">${content}</td>`;
  return html`<td data-title="${title}">${content}</td>`;
}

/** A table with figures at the right; a column in which no row has anything is left out. */
function table(given: Pick<TableSection, 'title' | 'columns' | 'rows'>): Html {
  const shown = given.columns.flatMap((title, index) => {
    const filled = given.rows.find((row) => (row[index] ?? '') !== '');
    return filled === undefined ? [] : [{ title, index, isFigure: isFigure(filled[index]) }];
  });
  const titles = shown.map((column) =>
    column.isFigure
      ? html`<th scope="col" class="number">${column.title}</th>`
      : html`<th scope="col">${column.title}</th>`,
  );
  const rows = given.rows.map(
    (row) => html`<tr>${shown.map(({ index, title }) => tableCell(row[index] ?? null, title))}</tr>
`,
  );
  // A table wider than the screen is scrolled, which has to be possible with the keyboard too.
  return html`<div class="scroll" role="region" aria-label="${given.title}" tabindex="0"><table>
<thead><tr>${titles}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`;
}

export function section(title: string, content: HtmlValue): Html {
  return html`<section>
<h2>${title}</h2>
${content}
</section>
`;
}

/** A section with a table; nothing when the table would be empty. */
export function tableSection(given: TableSection): Html | null {
  if (given.rows.length === 0) return null;
  const introduction = given.introduction === undefined ? null : html`<p>${given.introduction}</p>`;
  return section(given.title, [introduction, table(given)]);
}
