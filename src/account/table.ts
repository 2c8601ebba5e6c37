/* A table as data, and its form in a report, on a page and in a CSV file. */

import { groupedAmount, groupedNumber, inCurrency } from '../domain/money/money.ts';
import type { ResultStatus } from '../domain/rows/row-state.ts';
import { type Message, plainText } from '../domain/settings/message.ts';
import { byteOrderMark, csvText } from './files/replacement-file.ts';
import { type Html, html, section } from './report/page.ts';
import { statusLabel } from './words/wording.ts';

/*
 * A table as data: its title, its columns, its rows and its total. A terminal, a report, a page and a CSV file each draw
 * it in their own way.
 */

/**
 * An amount of money, as a decimal string. The currency is null if it is unknown, or if the amount already has the
 * right decimals.
 */
export interface AmountCell {
  readonly amount: string;
  readonly currency: string | null;
  /** Numbers of rows in the sum and in the line; absent if the sum covers all rows of the line. */
  readonly partOf?: { readonly rows: number; readonly all: number };
}

/** A status by its label for people. */
interface StatusCell {
  readonly status: ResultStatus;
}

/** A code of paybatch or of the API, unchanged. */
interface CodeCell {
  readonly code: string;
}

/** A moment, ISO 8601 in UTC. */
interface TimeCell {
  readonly time: string;
}

/** A text of paybatch with times in it, in UTC. */
interface SentenceCell {
  readonly sentence: Message;
}

/** A cell that a page draws in its own way, such as a link, with its text. A cell of buttons has no text. */
export interface DrawnCell {
  readonly text: string;
  readonly shown: Html;
}

/** One cell; null for an empty one. */
export type Cell =
  | string
  | number
  | AmountCell
  | StatusCell
  | CodeCell
  | TimeCell
  | SentenceCell
  | DrawnCell
  | null;

/** A column. Figures are aligned right and words left. Only pages show buttons. */
export interface Column {
  readonly title: string;
  readonly kind: 'text' | 'figure' | 'actions';
  /** Shrinks if the table would be wider than a terminal. */
  readonly mayShrink?: boolean;
}

/** A line of a table: a cell for each column. */
export type Line = readonly Cell[];

export interface Table {
  readonly title: string;
  /** A sentence above the table. */
  readonly introduction?: Message;
  /** A title alone is a column of words. */
  readonly columns: readonly (string | Column)[];
  readonly rows: readonly Line[];
  /** The totals of the rows, a line for each currency; absent if they must not be added up. */
  readonly totals?: readonly Line[];
}

/** A column of figures. */
export function figure(title: string): Column {
  return { title, kind: 'figure' };
}

/** A column of words that shrinks on a narrow terminal. */
export function shrinking(title: string): Column {
  return { title, kind: 'text', mayShrink: true };
}

/** The column of actions on each line. */
export const actions: Column = { title: 'What can be done', kind: 'actions' };

export function columnsOf({ columns }: Pick<Table, 'columns'>): readonly Column[] {
  return columns.map((column) => (typeof column === 'string' ? { title: column, kind: 'text' } : column));
}

/** The same table with only these columns, in this order. */
export function withColumns(table: Table, titles: readonly string[]): Table {
  const columns = columnsOf(table);
  const places = titles.map((title) => columns.findIndex((column) => column.title === title));
  const pick = (line: Line): Line => places.map((place) => line[place] ?? null);
  return {
    ...table,
    columns: places.flatMap((place) => columns[place] ?? []),
    rows: table.rows.map(pick),
    ...(table.totals === undefined ? {} : { totals: table.totals.map(pick) }),
  };
}

/** The text of a cell for a person: `1,234.50 (5 of 7 rows)`. */
export function cellText(cell: Cell): string {
  if (typeof cell === 'number') return groupedNumber(cell);
  if (cell !== null && typeof cell === 'object' && 'amount' in cell) return amountText(cell);
  return wordsOf(cell);
}

function amountText({ amount, currency, partOf }: AmountCell): string {
  const text = groupedAmount(amount, currency);
  if (partOf === undefined || partOf.rows >= partOf.all) return text;
  return `${text} (${groupedNumber(partOf.rows)} of ${groupedNumber(partOf.all)} rows)`;
}

/** The text of a cell for a program: numbers and amounts without thousands separators. */
export function cellValue(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  if (cell !== null && typeof cell === 'object' && 'amount' in cell)
    return inCurrency(cell.amount, cell.currency);
  return wordsOf(cell);
}

function wordsOf(cell: Exclude<Cell, number | AmountCell>): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  if ('status' in cell) return statusLabel(cell.status);
  if ('code' in cell) return cell.code;
  if ('sentence' in cell) return plainText(cell.sentence);
  return 'time' in cell ? secondOf(cell.time) : cell.text;
}

/** A time to the second: `2026-11-20 10:00:00 UTC`. */
export function secondOf(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/* A table as markup of a report or a page. */

/** Cells that a report and a page of the console write differently. */
export interface CellForms {
  /** A moment, ISO 8601 in UTC. */
  readonly time: (time: string) => Html | string;
  /** The code of a reason. */
  readonly code: (code: string) => Html | string;
  /** A text with times in it. */
  readonly sentence: (text: Message) => Html | string;
}

/** The colour of a status, in which its rows are drawn. */
export function swatch(status: ResultStatus): Html {
  return html`<i class="${status}"></i>`;
}

/** A status with its colour. */
export function statusMark(status: ResultStatus): Html {
  return html`<span class="status">${swatch(status)}${statusLabel(status)}</span>`;
}

/** A code, which may be broken after an underscore where the column is narrow. */
export function codeMark(code: string): Html {
  const parts = code.split(/(?<=_)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
  return html`<code>${parts}</code>`;
}

/** The forms of cells in reports: codes unchanged, as in the documentation, and times in UTC. */
const reportForms: CellForms = { time: secondOf, code: codeMark, sentence: plainText };

function cellMark(cell: Cell, forms: CellForms): Html | string {
  if (cell === null || typeof cell !== 'object' || 'amount' in cell) return cellText(cell);
  if ('status' in cell) return statusMark(cell.status);
  if ('code' in cell) return forms.code(cell.code);
  if ('sentence' in cell) return forms.sentence(cell.sentence);
  return 'time' in cell ? forms.time(cell.time) : cell.shown;
}

/** Whether a cell is empty. */
function isEmpty(cell: Cell | undefined): boolean {
  return cell === undefined || cell === null || cell === '';
}

interface ShownColumn extends Column {
  readonly place: number;
}

function titleMark({ title, kind }: Column): Html {
  if (kind === 'figure') return html`<th scope="col" class="number">${title}</th>`;
  // A header that is not shown, such as the header above buttons, does not help a screen reader.
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

/** A table with figures aligned right and its total below. A column without any content is left out. */
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
  // A table wider than the screen scrolls. Scrolling has to be possible with the keyboard too.
  return html`<div class="scroll" role="region" aria-label="${table.title}" tabindex="0"><table>
<thead><tr>${columns.map(titleMark)}</tr></thead>
<tbody>
${rows}</tbody>
${foot}</table></div>`;
}

/** A section of a report with a table; nothing where the table would be empty. */
export function tableSection(table: Table): Html | null {
  if (table.rows.length === 0) return null;
  const introduction =
    table.introduction === undefined ? null : html`<p>${plainText(table.introduction)}</p>`;
  return section(table.title, [introduction, tableMark(table)]);
}

/* A table as a CSV file. */

/** The titles, the rows and the total. Actions on a line are only for pages. */
export function csvOfTable(table: Pick<Table, 'columns' | 'rows' | 'totals'>): string {
  const columns = columnsOf(table);
  const places = columns.flatMap(({ kind }, place) => (kind === 'actions' ? [] : [place]));
  const record = (line: Line): string[] => places.map((place) => cellValue(line[place] ?? null));
  const titles = places.map((place) => columns[place]?.title ?? '');
  return byteOrderMark + csvText([titles, ...table.rows.map(record), ...(table.totals ?? []).map(record)]);
}
