/* The page of a batch's rows: the reasons as filters with counts, further filters, the table, and its pages. */

import { countedOnce } from '../../account/batch-tables.ts';
import { type Html, html } from '../../account/report/page.ts';
import { inputName, reasonName, statusLabel } from '../../account/words/wording.ts';
import { isCorrectable } from '../../domain/batches/draft.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { type ResultStatus, resultStatuses } from '../../domain/rows/row-state.ts';
import type { RowFilter, RowGroup, RowPlace } from '../../domain/rows/search-terms.ts';
import type { DraftRow } from '../../engine/drafts/draft.ts';
import type { StepResult } from '../../engine/drafts/steps.ts';
import type { RowsResult } from '../../engine/rows.ts';
import { option } from './answer-options.ts';
import { damagedNumber, faultText, ownColumns, quoted } from './cells.ts';
import { institutionLinks } from './institutions.ts';
import { type Frame, form, hiddenFields, type Page, queryOf, rowsAddress, wholeRow } from './layout.ts';
import { rowTable } from './row-table.ts';

/** The content of the page of rows. */
interface RowsPage {
  readonly found: RowsResult;
  /** Those of the rows that are in the draft, by their numbers. */
  readonly drafts: ReadonlyMap<number, DraftRow>;
  readonly filter: RowFilter;
  /** The position of the page. */
  readonly from: RowPlace;
  /** The step whose results the page shows; null if none exists. */
  readonly step: ShownStep | null;
  /** The ending that could be removed from the faulty cells of the page; null if none exists. */
  readonly ending: string | null;
}

/** A step of a draft, with the data that the page of rows shows about it. */
export interface ShownStep extends Pick<StepResult, 'cells' | 'rows' | 'passing' | 'mayUndo'> {
  /** The id of the step in the ledger. */
  readonly step: string;
  /** Whether the step undoes an earlier one. */
  readonly isUndoing: boolean;
  /** Number of cells that it could not undo, because a person has changed them since. */
  readonly kept: number;
}

/** The number of reasons shown at once. The others are shown after a click. */
const reasonsShown = 12;

/** The page of rows. */
export function rowsPage(frame: Frame, { found, drafts, filter, from, step, ending }: RowsPage): Page {
  const { batch, groups, rows, isCutShort } = found;
  const { id } = batch;
  return {
    title: `Rows of ${inputName(batch)}`,
    part: '/batches',
    content: html`<p><a href="/batches/${id}">Back to the batch</a></p>
${step === null ? null : stepSaid(frame, id, filter, step)}<section class="working" aria-label="Rows">
${reasonsOf(frame, found, filter)}${chosenReason(found, filter)}${endingLink(frame, found, filter, ending)}
${replacing(frame, found, filter)}
<details><summary>${isEmpty(filter) ? 'Filter by status, column or text' : `Filter: ${filterWords(filter)}`}</summary>${filterForm(id, groups, filter)}</details>
${together(frame, found, filter)}
${rows.length === 0 ? empty(id, filter, isCutShort) : rowTable(frame, found, drafts, filter)}
${paging(found, filter, from)}
</section>`,
  };
}

function filterWords({ status, code, column, text }: RowFilter): string {
  const about = column === '' ? 'the row as a whole' : column;
  const parts = [
    ...(status === undefined ? [] : [statusLabel(status)]),
    ...(about === undefined ? [] : [about]),
    ...(code === undefined ? [] : [reasonName(code)]),
    ...(text === undefined ? [] : [quoted(text)]),
  ];
  return parts.join(', ');
}

function isChosen({ status, code, column }: RowGroup, filter: RowFilter): boolean {
  return filter.status === status && filter.code === code && filter.column === (column ?? '');
}

/** The reasons of the rows. Each reason is a filter, with the number of its rows. */
function reasonsOf(frame: Frame, found: RowsResult, filter: RowFilter): Html | null {
  const { batch, groups } = found;
  if (groups.length === 0) return null;
  const items = groups.map((group) => reasonItem(frame, found, group, filter));
  const others = items.slice(reasonsShown);
  const isAmongOthers = groups.slice(reasonsShown).some((group) => isChosen(group, filter));
  const all = html`<li><a href="/batches/${batch.id}/rows"${isEmpty(filter) ? current : null}>All rows</a></li>
`;
  const how = groups.length > 1 ? html`<p class="soft">${countedOnce}</p>` : null;
  return html`<nav aria-label="Reasons">${how}<ul class="reasons">${all}${items.slice(0, reasonsShown)}</ul>
${others.length === 0 ? null : html`<details${isAmongOthers ? html` open` : null}><summary>${countOf(others.length, 'more reason')}</summary><ul class="reasons">${others}</ul></details>`}</nav>
`;
}

const current = html` aria-current="true"`;

function reasonItem(
  frame: Frame,
  { batch: { id }, columns }: RowsResult,
  group: RowGroup,
  filter: RowFilter,
): Html {
  const { status, code, column, rows } = group;
  const own: RowFilter = { status, code, column: column ?? '' };
  const about = column === null ? '' : `${column}: `;
  return html`<li><a href="${rowsAddress(id, own)}"${isChosen(group, filter) ? current : null}><i class="${status}"></i><span>${about}${reasonName(code)}</span> <b class="number">${groupedNumber(rows)}</b></a>${confirmLink(frame, id, own, columns)}</li>
`;
}

/** The chosen reason with an example, and links that help with it. */
function chosenReason({ groups }: RowsResult, filter: RowFilter): Html | null {
  const group = groups.find((each) => isChosen(each, filter));
  if (group === undefined) return null;
  const { status, code, message } = group;
  const example = message === null ? '' : `, such as: ${faultText({ code, message }, null)}`;
  return html`<p>${statusLabel(status)}${example}${institutionLinks(code)}</p>
`;
}

/** The link for confirming all numbers that were refused as damaged, in one step. */
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
  return html` <a class="beside" href="${address}?${query.toString()}">They are right as they are</a>`;
}

/** The results of a step, and a button that undoes it. */
function stepSaid(frame: Frame, batch: string, filter: RowFilter, shown: ShownStep): Html {
  const { step, cells, isUndoing, kept, mayUndo } = shown;
  const address = `/batches/${batch}/draft/undo`;
  const fields = hiddenFields([...queryOf(filter), ['step', step]]);
  const undo = html`${fields}<button class="second small">${isUndoing ? 'Do it again' : 'Undo'}</button>`;
  return html`<div class="step-said" role="status"><p><b>${countOf(cells, 'cell')} ${isUndoing ? `${cells === 1 ? 'is' : 'are'} as before` : 'changed'}</b>${passingText(shown)}.${kept === 0 ? null : ` ${countOf(kept, 'cell')} ${kept === 1 ? 'stays' : 'stay'}, since somebody has changed ${kept === 1 ? 'it' : 'them'} meanwhile.`}</p>${mayUndo ? form(frame, address, undo) : null}</div>
`;
}

/** How many of the rows of a step pass now. */
export function passingText({ rows, passing }: Pick<StepResult, 'rows' | 'passing'>): string {
  if (passing === null) return '; the plan checks these rows';
  if (passing === rows)
    return rows === 1 ? '; its row passes now' : `; all ${groupedNumber(rows)} rows pass now`;
  return `; ${groupedNumber(passing)} of these ${countOf(rows, 'row')} ${passing === 1 ? 'passes' : 'pass'} now`;
}

/** The link for removing an ending from many faulty cells. */
function endingLink(frame: Frame, found: RowsResult, filter: RowFilter, ending: string | null): Html | null {
  const address = `/batches/${found.batch.id}/edit`;
  if (ending === null || !frame.may('POST', address)) return null;
  const query = queryOf(filter);
  query.set('place', String(found.columns.indexOf(filter.column ?? '')));
  for (const [name, value] of Object.entries({ kind: 'end', from: ending, with: '' })) query.set(name, value);
  return html`<p><a class="button second small" href="${address}?${query.toString()}">Take off the ending ${quoted(ending)}</a> <span class="soft">Many of these cells have it, and pass without it.</span></p>
`;
}

/**
 * A form that finds and replaces text in a column of all rows under the filter. It first shows what it would change.
 */
function replacing(frame: Frame, { batch, columns, rows }: RowsResult, filter: RowFilter): Html | null {
  const address = `/batches/${batch.id}/edit`;
  if (!rows.some((row) => isCorrectable(row)) || !frame.may('POST', address)) return null;
  const kept = hiddenFields(queryOf(filter));
  const meant = columns.indexOf(filter.column ?? '');
  const options = ownColumns(columns).map(({ title, place }) =>
    option(String(place), title, place === meant),
  );
  const where = [
    ['find', 'anywhere in the cell'],
    ['end', 'at its end'],
    ['begin', 'at its beginning'],
    ['replace', 'the whole cell'],
  ].map(([value = '', text = '']) => option(value, text, false));
  return html`<details class="replacing"><summary>Find and replace</summary><form class="filter" method="get" action="${address}">${kept}
<div><label for="in-column">Column</label><select id="in-column" name="place">${options}</select></div>
<div><label for="find-where">Where</label><select id="find-where" name="kind">${where}</select></div>
<div><label for="find-from">Find</label><input id="find-from" name="from" maxlength="1000" required autocomplete="off"></div>
<div><label for="find-with">Replace with</label><input id="find-with" name="with" maxlength="1000" autocomplete="off"></div>
<div class="actions"><button class="second">Show what it would do</button></div>
<p class="soft">In ${isEmpty(filter) ? 'all rows' : 'all rows of the filter'}, also those on other pages. Leave the new text empty to take the found one off.</p></form></details>`;
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

/** The actions for all rows under the filter together. */
function together(frame: Frame, { batch, draft, rows }: RowsResult, filter: RowFilter): Html | null {
  const { status, code } = filter;
  const isUndecided =
    (status === 'held' || status === 'unknown') && frame.may('GET', `/batches/${batch.id}/decide`);
  const mayCorrect = rows.some((row) => isCorrectable(row)) && frame.may('GET', `/batches/${batch.id}/edit`);
  if (!isUndecided && !mayCorrect && draft.edits === 0) return null;
  return html`<div class="actions">
${isUndecided ? html`<a class="button second" href="${rowsAddress(batch.id, { status, code }, null, 'decide')}">Decide about these rows</a>` : null}
${mayCorrect ? html`<a class="button second" href="${rowsAddress(batch.id, filter, null, 'edit')}">Correct these rows together</a>` : null}
${draftPlace(batch.id, draft)}
</div>`;
}

/** The link to the draft of a batch, with its size. */
export function draftLink(batch: string, { edits, rows }: RowsResult['draft']): Html {
  return html`<a href="/batches/${batch}/draft">The draft: ${countOf(edits, 'edit')} in ${countOf(rows, 'row')}</a>`;
}

/** The place of the draft link beside the table. Each step renews it; it is empty without edits. */
export function draftPlace(batch: string, size: RowsResult['draft']): Html {
  return html`<span data-draft>${size.edits === 0 ? null : draftLink(batch, size)}</span>`;
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
  const options = choices.map(([value, text]) => option(value || wholeRow, text, value === chosen));
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">any</option>${options}</select></div>`;
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.flatMap((value) => (value === undefined ? [] : [value])))];
}

function isEmpty({ status, code, column, text }: RowFilter): boolean {
  return [status, code, column, text].every((value) => value === undefined);
}

function empty(batch: string, filter: RowFilter, isCutShort: boolean): Html {
  if (isCutShort) return html`<p class="empty">None of the rows that were looked through is one of them.</p>`;
  return isEmpty(filter)
    ? html`<p class="empty">There are no rows here. <a href="/batches/${batch}">The page of the batch</a> shows its status.</p>`
    : html`<p class="empty">No row is like that. Choose something else above, or look at <a href="/batches/${batch}/rows">all rows</a>.</p>`;
}

/** Links to the previous and the next page, and to the same rows as a file. */
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
