/* The pages of a batch's rows: the table, and the same rows as a file. */

import { Readable } from 'node:stream';
import { resultLayout } from '../../account/files/failed-layout.ts';
import { byteOrderMark, csvText } from '../../account/files/replacement-file.ts';
import { type Html, html, section } from '../../account/report/page.ts';
import { statusMark } from '../../account/table.ts';
import { reasonName, statusLabel } from '../../account/words/wording.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { isCorrectable } from '../../domain/rows/draft.ts';
import { type ResultStatus, resultStatuses } from '../../domain/rows/row-state.ts';
import type { RowFilter, RowGroup, RowPlace } from '../../domain/rows/search-terms.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RowsResult } from '../../engine/rows.ts';
import { cellsWithFaults, damagedNumber, faultText, ownColumns, type ShownRow } from '../pages/cells.ts';
import { institutionLinks } from '../pages/institutions.ts';
import { type Frame, type Page, queryOf, rowsAddress, wholeRow } from '../pages/layout.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { Routes } from './context.ts';

/* The rows of a batch as a table: their findings, a filter, and a page of rows with faulty cells marked. */

/** The content of the page of rows. */
interface RowsPage {
  readonly found: RowsResult;
  readonly filter: RowFilter;
  /** The position of the page. */
  readonly from: RowPlace;
}

/** The number of groups shown at once; the others are behind a click. */
const groupsShown = 8;

/** The page of rows. */
function rowsPage(frame: Frame, { found, filter, from }: RowsPage): Page {
  const { batch, groups } = found;
  const { id, file, sheet } = batch;
  return {
    title: `Rows of ${sheet === null ? file : `${file}, sheet ${sheet}`}`,
    part: '/batches',
    content: [
      html`<p><a href="/batches/${id}">Back to the batch</a></p>`,
      groupsOf(frame, found, filter),
      section('Rows', [
        filterForm(id, groups, filter),
        together(frame, found, filter),
        table(found, filter),
        paging(found, filter, from),
      ]),
    ],
  };
}

/** The findings of the rows, each as a link to its rows. */
function groupsOf(frame: Frame, found: RowsResult, filter: RowFilter): Html | null {
  const { groups } = found;
  if (groups.length === 0) return null;
  const items = groups.map((group) => groupItem(frame, found, group, filter));
  const others = items.slice(groupsShown);
  return section('What is said of the rows', [
    html`<ul class="groups">${items.slice(0, groupsShown)}</ul>`,
    others.length === 0
      ? null
      : html`<details><summary>${countOf(others.length, 'more reason')}</summary><ul class="groups">${others}</ul></details>`,
  ]);
}

function groupItem(
  frame: Frame,
  { batch: { id }, columns }: RowsResult,
  group: RowGroup,
  filter: RowFilter,
): Html {
  const { status, code, column, rows, message } = group;
  const own: RowFilter = { status, code, column: column ?? '' };
  const isChosen = filter.status === status && filter.code === code && filter.column === (column ?? '');
  const about = column === null ? '' : `${column}: `;
  const current = isChosen ? html` aria-current="true"` : null;
  return html`<li><i class="${status}"></i><b class="number">${groupedNumber(rows)}</b>
<span><a href="${rowsAddress(id, own)}"${current}>${about}${reasonName(code)}</a> <span class="soft">${statusLabel(status)}${message === null ? '' : `, such as: ${faultText({ code, message: withoutTitle(message, column) }, null)}`}</span>${institutionLinks(code)}${confirmLink(frame, id, own, columns)}</span></li>
`;
}

/** The link for confirming all numbers that were refused as damaged together. */
function confirmLink(
  frame: Frame,
  batch: string,
  filter: RowFilter,
  columns: readonly string[],
): Html | null {
  const place = columns.indexOf(filter.column ?? '');
  const address = `/batches/${batch}/edit`;
  if (filter.code !== damagedNumber || place === -1 || !frame.may('POST', address)) return null;
  const query = queryOf(filter);
  query.set('place', String(place));
  query.set('kind', 'confirm');
  return html` <a href="${address}?${query.toString()}">They are right as they are</a>`;
}

/** A message without the title of its column, which is shown before it. */
function withoutTitle(message: string, column: string | null): string {
  return column !== null && message.startsWith(`${column}: `) ? message.slice(column.length + 2) : message;
}

function filterForm(batch: string, groups: readonly RowGroup[], filter: RowFilter): Html {
  const codes = distinct([...groups.map(({ code }) => code), filter.code]);
  const columns = distinct([...groups.map(({ column }) => column ?? undefined), filter.column]);
  const statuses = resultStatuses.map((status): Choice => [status, statusLabel(status)]);
  return html`<form class="filter" method="get" action="/batches/${batch}/rows">
${choice('status', 'Status', statuses, filter.status)}
${
  codes.length === 0
    ? null
    : choice(
        'code',
        'Reason',
        codes.map((code): Choice => [code, reasonName(code)]),
        filter.code,
      )
}
${columns.length === 0 ? null : choice('column', 'Column', named(columns), filter.column)}
<div><label for="text">Text in a cell</label><input id="text" name="text" value="${filter.text ?? ''}" maxlength="200"></div>
<div class="actions"><button>Filter</button>${isEmpty(filter) ? null : html`<a class="button second" href="/batches/${batch}/rows">All rows</a>`}</div>
</form>`;
}

/** The actions for all rows of the filter together. */
function together(frame: Frame, { batch, draft, rows }: RowsResult, filter: RowFilter): Html | null {
  const { status, code } = filter;
  const isUndecided =
    (status === 'held' || status === 'unknown') && frame.may('GET', `/batches/${batch.id}/decide`);
  const mayCorrect = rows.some((row) => isCorrectable(row)) && frame.may('GET', `/batches/${batch.id}/edit`);
  if (!isUndecided && !mayCorrect && draft.edits === 0) return null;
  return html`<div class="actions">
${isUndecided ? html`<a class="button second" href="${rowsAddress(batch.id, { status, code }, null, 'decide')}">Decide about these rows</a>` : null}
${mayCorrect ? html`<a class="button second" href="${rowsAddress(batch.id, filter, null, 'edit')}">Correct these rows together</a>` : null}
${draft.edits === 0 ? null : html`<a href="/batches/${batch.id}/draft">The draft: ${countOf(draft.edits, 'edit')} in ${countOf(draft.rows, 'row')}</a>`}
</div>`;
}

type Choice = readonly [value: string, label: string];

function named(values: readonly string[]): Choice[] {
  return values.map((value) => [value, value === '' ? 'the row as a whole' : value]);
}

function choice(
  name: string,
  label: string,
  choices: readonly Choice[],
  chosen: ResultStatus | string | undefined,
): Html {
  const options = choices.map(([value, text]) =>
    value === chosen
      ? html`<option value="${value === '' ? wholeRow : value}" selected>${text}</option>`
      : html`<option value="${value === '' ? wholeRow : value}">${text}</option>`,
  );
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">any</option>${options}</select></div>`;
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.flatMap((value) => (value === undefined ? [] : [value])))];
}

function isEmpty({ status, code, column, text }: RowFilter): boolean {
  return [status, code, column, text].every((value) => value === undefined);
}

function table({ batch, columns, rows, isCutShort }: RowsResult, filter: RowFilter): Html {
  if (rows.length === 0) return empty(batch.id, filter, isCutShort);
  const own = ownColumns(columns);
  const shown = rows.map((row) => ({ row, cells: cellsWithFaults(row, columns) }));
  // Findings are also shown at the left, since their cell may be far outside of the window.
  const said = (cells: ShownRow): readonly string[] => [
    ...cells.whole,
    ...cells.own.flatMap(({ faults }, at) => faults.map(({ text }) => `${own[at] ?? ''}: ${text}`)),
  ];
  const isSaid = shown.some(({ cells }) => said(cells).length > 0);
  const lines = shown.map(
    ({
      row,
      cells,
    }) => html`<tr><th scope="row" class="number"><a href="/batches/${batch.id}/rows/${row.row}">${groupedNumber(row.row)}</a></th>
<td data-title="Status">${statusMark(row.status)}</td>${isSaid ? html`<td class="said" data-title="What is said">${said(cells).join('; ')}</td>` : null}
${cells.own.map((cell, at) => ownCell(cell, own[at] ?? '', at < cellsOnNarrowScreens))}</tr>
`,
  );
  return html`<div class="scroll row-table" role="region" aria-label="Rows" tabindex="0"><table>
<thead><tr><th scope="col" class="number">Row</th><th scope="col">Status</th>${isSaid ? html`<th scope="col">What is said</th>` : null}${own.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${lines}</tbody>
</table></div>`;
}

/** On a narrow screen only the first cells of a row are shown, and those with a fault. */
const cellsOnNarrowScreens = 4;

function ownCell({ value, faults }: ShownRow['own'][number], title: string, isFirst: boolean): Html {
  if (faults.length > 0)
    return html`<td class="faulty" data-title="${title}"><mark>${value === '' ? 'empty' : value}</mark></td>`;
  return html`<td${isFirst ? null : html` class="more"`} data-title="${title}">${value}</td>`;
}

function empty(batch: string, filter: RowFilter, isCutShort: boolean): Html {
  if (isCutShort) return html`<p class="empty">None of the rows that were looked through is one of them.</p>`;
  return isEmpty(filter)
    ? html`<p class="empty">There are no rows here. <a href="/batches/${batch}">The page of the batch</a> tells where it stands.</p>`
    : html`<p class="empty">No row is like that. Choose something else above, or look at <a href="/batches/${batch}/rows">all rows</a>.</p>`;
}

/** Links to the pages before and after, and to the same rows as a file. */
function paging({ batch, rows, next, isCutShort }: RowsResult, filter: RowFilter, from: RowPlace): Html {
  const [first, last] = [rows[0]?.row, rows.at(-1)?.row];
  const isForward = from.direction === 'after';
  const before = isForward ? (from.row > 0 ? (first ?? from.row + 1) : null) : next;
  const after = isForward ? next : (last ?? from.row - 1);
  const cut = isCutShort
    ? html`<p>Looked through the rows ${isForward ? `from ${groupedNumber(from.row + 1)} to ${groupedNumber(next ?? 0)}` : `from ${groupedNumber(next ?? 0)} to ${groupedNumber(from.row - 1)}`}. There may be more of them further on.</p>`
    : null;
  return html`${cut}<div class="actions">
${before === null ? null : html`<a class="button second" rel="prev" href="${rowsAddress(batch.id, filter, { row: before, direction: 'before' })}">Previous</a>`}
${after === null ? null : html`<a class="button second" rel="next" href="${rowsAddress(batch.id, filter, { row: after, direction: 'after' })}">${isCutShort && isForward ? 'Go on' : 'Next'}</a>`}
${rows.length === 0 && !isCutShort ? null : html`<a href="${rowsAddress(batch.id, filter, null, 'rows.csv')}">Download as CSV</a>`}
</div>`;
}

/** The query of an address of rows, from a browser. */
export type RowsQuery = Readonly<Partial<Record<string, string | readonly string[]>>>;

/** The pages of rows. */
export function rowRoutes({ app, show, engine }: Routes): void {
  app.get<{ Params: { batch: string }; Querystring: RowsQuery }>(
    '/batches/:batch/rows',
    async (request, reply) => {
      const [filter, from] = [filterIn(request.query), placeIn(request.query)];
      const { batch } = request.params;
      const found = await engine.rows({ batch, filter, from }).result;
      return show(request, reply, (frame) => rowsPage(frame, { found, filter, from }));
    },
  );

  app.get<{ Params: { batch: string }; Querystring: RowsQuery }>(
    '/batches/:batch/rows.csv',
    async (request, reply) => {
      const filter = filterIn(request.query);
      const { batch } = await engine.rows({ batch: request.params.batch, filter, limit: 1 }).result;
      const name = `${batch.file.replace(/\.[^.]*$/, '')}.rows.csv`;
      return reply
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
        .type('text/csv; charset=utf-8')
        .send(Readable.from(linesOf(engine, batch.id, filter)));
    },
  );
}

const rowsOfAPage = 1_000;

/** All rows that match a filter, in the form of the results file, page by page. */
async function* linesOf(engine: Engine, batch: string, filter: RowFilter): AsyncGenerator<string> {
  let place: number | null = 0;
  while (place !== null) {
    const from: RowPlace = { row: place, direction: 'after' };
    const { columns, rows, next } = await engine.rows({ batch, filter, from, limit: rowsOfAPage }).result;
    const layout = resultLayout(columns, batch);
    if (place === 0) yield byteOrderMark + csvText([layout.header]);
    if (rows.length > 0) yield csvText(rows.map(layout.record));
    place = next;
  }
}

/**
 * The conditions of an address; empty ones do not count.
 * @throws PageProblem for an unknown status
 */
export function filterIn(query: RowsQuery): RowFilter {
  const [status, code, column, text] = ['status', 'code', 'column', 'text'].map((name) => given(query, name));
  if (status !== undefined && !isStatus(status)) {
    throw new PageProblem(422, `"${status}" is no status of a row.`, 'Choose one of those in the list.');
  }
  return {
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(column === undefined ? {} : { column: column === wholeRow ? '' : column }),
    ...(text === undefined ? {} : { text }),
  };
}

function given(query: RowsQuery, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isStatus(text: string): text is ResultStatus {
  return (resultStatuses as readonly string[]).includes(text);
}

/** The position of a page of rows; the first page if the address does not state it. */
function placeIn(query: RowsQuery): RowPlace {
  const [after, before] = [given(query, 'after'), given(query, 'before')];
  if (after === undefined && before === undefined) return { row: 0, direction: 'after' };
  const text = after ?? before ?? '';
  if (!/^\d{1,9}$/.test(text)) {
    throw new PageProblem(422, `"${text}" is no row number.`, 'Begin at the first page of the rows.');
  }
  return { row: Number(text), direction: after === undefined ? 'before' : 'after' };
}

/** The number of a row, or of a column. @throws PageProblem */
export function rowIn(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new PageProblem(404, `"${text}" is no row number.`, 'Choose a row of the table.');
}
