/* The cells of one row: as in the file, or as fields in which a person corrects them. */

import { isResultColumn } from '../../account/files/failed-layout.ts';
import { type Html, html, section } from '../../account/report/page.ts';
import { secondOf } from '../../account/table.ts';
import { type DraftEdit, isSaidRight, type KeptEdit, numberToConfirm } from '../../domain/batches/draft.ts';
import { unmasked } from '../../domain/rows/finding.ts';
import { type Fault, faultsOf, type ResultRow, shownCells } from '../../domain/rows/result-row.ts';
import { fieldName } from '../../domain/settings/message.ts';
import { printable } from '../../domain/text/characters.ts';
import type { DraftResult, DraftRow } from '../../engine/drafts/draft.ts';
import { type Frame, form } from './layout.ts';
import { draftStatusText, pageText } from './page-words.ts';
import { action } from './remedies.ts';
import { drawnCell, moment, type TableView, tableView } from './table.ts';

/* The cells of a row under the titles of its file, each with its faults. */

/** A fault of a cell, in the words that pages use. */
export interface ShownFault {
  readonly code: string | null;
  readonly text: string;
}

/** A cell as in its file or its draft, with its findings. */
export interface ShownCell {
  /** Its index among all columns of the file, including those of an earlier result file. */
  readonly place: number;
  readonly value: string;
  readonly faults: readonly ShownFault[];
  /** The edit that gave the cell this value; null if the value is from the file. */
  readonly edit: DraftEdit | null;
}

/** A row with its cells. */
export interface ShownRow {
  readonly own: readonly ShownCell[];
  /** Findings about the row as a whole, or about a field without a column in the file. */
  readonly whole: readonly ShownFault[];
}

/** The code of a number that a spreadsheet program may have damaged, and that a person may confirm. */
export const damagedNumber = 'damaged_number';

/** A column of a file. */
export interface OwnColumn {
  /** Its index among all columns of the file. */
  readonly place: number;
  readonly title: string;
}

/** A file's own columns. Columns that a result file has added are left out. */
export function ownColumns(columns: readonly string[]): readonly OwnColumn[] {
  return columns.flatMap((title, place) =>
    isResultColumn(title) ? [] : [{ place, title: columnName(columns, place) }],
  );
}

/** The name of a column for people. A column without a title is named by its place. */
export function columnName(columns: readonly string[], place: number): string {
  const title = columns[place] ?? '';
  return title.trim() === '' ? `Column ${place + 1}` : title;
}

/**
 * The text of a fault for a page. The message about a damaged number mentions spreadsheet programs and result files,
 * but on a page the number is typed or confirmed.
 * @param value as in the cell; null for several rows
 */
export function faultText(fault: Pick<Fault, 'code' | 'message'>, value: string | null): string {
  if (fault.code !== damagedNumber)
    return pageText(value === null ? fault.message : unmasked(fault.message, value));
  if (value === null) return 'zeros or other signs may be missing at the beginning of numbers';
  return numberToConfirm(value) === undefined
    ? `“${value}” was changed by a spreadsheet program: type what is right from its source`
    : `“${value}” may lack zeros or other signs at its beginning, since a spreadsheet program took it for a number: type it as it should be, or say that it is right as it is`;
}

/** The cells of a row under its own columns, with its findings beside them. */
export function cellsWithFaults(row: ResultRow, columns: readonly string[]): ShownRow {
  const faults = faultsOf(row);
  const cells = shownCells(row);
  const own = columns.flatMap((title, place) => {
    if (isResultColumn(title)) return [];
    const value = cells[place] ?? '';
    // If two columns have the same title, the first one is meant.
    const isMeant = columns.indexOf(title) === place;
    const found = isMeant ? faults.filter(({ column }) => column === title) : [];
    const shown = found.map((fault) => ({ code: fault.code, text: faultText(fault, value) }));
    return [{ place, value, faults: shown, edit: null }];
  });
  const whole = faults.flatMap((fault) => {
    const { column, code } = fault;
    if (column === null) return [{ code, text: faultText(fault, null) }];
    return columns.includes(column) && !isResultColumn(column)
      ? []
      : [{ code, text: `${fieldName(column)}: ${faultText(fault, null)}` }];
  });
  // A surplus cell has no column title.
  const beyond = cells.slice(columns.length).filter((cell) => cell !== '');
  return {
    own,
    whole:
      beyond.length === 0
        ? whole
        : [...whole, { code: null, text: `More cells than titles: ${beyond.join(', ')}` }],
  };
}

/** The cells of a row in the draft, with the current findings of the checker. */
export function cellsOfDraft(draft: DraftRow, columns: readonly string[]): ShownRow {
  const own = columns.flatMap((title, place) => {
    if (isResultColumn(title)) return [];
    const value = draft.row.cells[place] ?? '';
    const edit = draft.edits.find((each) => each.place === place) ?? null;
    return [{ place, value, faults: faultsNow(draft, columns, place), edit }];
  });
  return { own, whole: wholeNow(draft, columns) };
}

/** The cells of a row, with the form to correct them if that is allowed. @param columns the titles of its file */
export function cellsSection(
  frame: Frame,
  batch: string,
  result: ResultRow,
  draft: DraftRow,
  columns: readonly string[],
): Html {
  const address = `/batches/${batch}/rows/${result.row}`;
  const isOpen = draft.isCorrectable && frame.may('POST', `${address}/edit`);
  const shown = draft.checked === null ? cellsWithFaults(result, columns) : undefined;
  const cells = columns.flatMap((title, place) => {
    const own = shown?.own.find((cell) => cell.place === place);
    if (shown !== undefined && own === undefined) return [];
    if (title.toLowerCase().startsWith('result_') && own === undefined) return [];
    const faults = own?.faults ?? faultsNow(draft, columns, place);
    const edit = draft.edits.find((each) => each.place === place);
    // The cells of the file were sent, whatever a person typed later.
    const value = (draft.isCorrectable ? draft.row.cells : draft.inFile)[place] ?? '';
    return [{ title: columnName(columns, place), place, value, faults, edit }];
  });
  const line = (cell: (typeof cells)[number]): Html =>
    html`<tr><th scope="row">${isOpen ? html`<label for="cell-${cell.place}">${cell.title}</label>` : cell.title}</th>
<td${cell.faults.length === 0 ? null : html` class="faulty"`}>${isOpen ? field(cell.place, cell.value, cell.faults.length > 0) : plain(cell.value, cell.faults.length > 0)}
${cell.faults.length === 0 ? null : html`<span class="fault" id="fault-${cell.place}">${cell.faults.map(({ text }) => text).join('; ')}</span>`}${isOpen && cell.edit === undefined ? confirmation(cell) : null}${cell.edit === undefined ? null : draft.isCorrectable ? wasNote(cell.edit) : lateNote(cell.edit)}</td></tr>
`;
  const table = html`<div class="cells"><table><tbody>
${cells.map(line)}</tbody></table></div>`;
  if (!isOpen) return section('Its cells', [checkedNow(draft, columns), table]);
  return section('Its cells', [
    checkedNow(draft, columns),
    form(
      frame,
      `${address}/edit`,
      html`${table}<div class="actions"><button>Keep in the draft</button><span class="soft">The file and the row stay as they are. The draft becomes a correction once somebody plans it.</span></div>`,
    ),
    draft.edits.length === 0
      ? null
      : html`<div class="actions"><a class="button second" href="/batches/${batch}/draft">The draft</a>${action(frame, `${address}/discard`, 'Discard the edits of this row', 'second')}</div>`,
  ]);
}

/**
 * An input field for a cell. The form sends the value that the page showed together with the typed value. So a cell
 * that another person has changed meanwhile is not overwritten.
 */
function field(place: number, value: string, isFaulty: boolean): Html {
  const described = isFaulty ? html` aria-invalid="true" aria-describedby="fault-${place}"` : null;
  return html`<input type="hidden" name="was-${place}" value="${value}"><input class="cell" id="cell-${place}" name="cell-${place}" value="${value}" autocomplete="off" size="${Math.min(60, Math.max(24, value.length + 2))}"${described}>`;
}

/** A number that was refused as damaged may be right. A person then confirms it without typing. */
function confirmation({
  place,
  value,
  faults,
}: {
  readonly place: number;
  readonly value: string;
  readonly faults: readonly ShownFault[];
}): Html | null {
  const isRefused = faults.some(({ code }) => code === damagedNumber);
  if (!isRefused || numberToConfirm(value) === undefined) return null;
  return html`<label class="choice"><input type="checkbox" name="right-${place}" value="yes"> <span>This number is right as it is</span></label>`;
}

function plain(value: string, isFaulty: boolean): Html {
  if (value === '') return html`<span class="soft">empty</span>`;
  return isFaulty ? html`<mark>${value}</mark>` : html`${value}`;
}

/** The value of a cell before an edit, and the person who made the edit. */
export function wasNote(edit: DraftEdit): Html {
  const { before, by, at } = edit;
  const said = isSaidRight(edit)
    ? html`said to be right as it is`
    : html`was ${before === '' ? 'empty' : html`“${before}”`}`;
  return html`<span class="was">${said}; ${by}, ${moment(at)}</span>`;
}

/** A note on an edit of a row that can no longer be corrected. */
function lateNote(edit: DraftEdit): Html {
  const typed = isSaidRight(edit) ? html`said to be right as it is` : html`${quoted(edit.after)} was typed`;
  return html`<span class="was">${typed} by ${edit.by}, ${moment(edit.at)}; it was not taken in</span>`;
}

function faultsNow(
  { checked, row }: DraftRow,
  columns: readonly string[],
  place: number,
): readonly ShownFault[] {
  return (checked?.findings ?? [])
    .filter(({ column }) => column === columns[place])
    .map((finding) => ({ code: finding.code, text: faultText(finding, row.cells[place] ?? '') }));
}

/** The checker's current findings about the row as a whole, or about a field without a column in the file. */
function wholeNow({ checked }: DraftRow, columns: readonly string[]): readonly ShownFault[] {
  return (checked?.findings ?? [])
    .filter(({ column }) => !columns.includes(column))
    .map((finding) => ({ code: finding.code, text: faultText(finding, null) }));
}

function checkedNow(draft: DraftRow, columns: readonly string[]): Html | null {
  const { checked } = draft;
  if (checked === null) return null;
  const whole = wholeNow(draft, columns).map(({ text }) => text);
  return checked.status === 'not_sent'
    ? html`<p class="passes" role="status"><b>${draftStatusText(checked.status)}</b></p>`
    : html`<p role="status"><b>${draftStatusText(checked.status)}</b> ${whole.join('; ')}</p>`;
}

/** All edits of a row. Edits that no longer count are shown with the reason. */
export function editsSection({
  history,
  columns,
}: Pick<DraftResult, 'history' | 'columns'>): TableView | null {
  if (history.length === 0) return null;
  return tableView({
    title: 'Its edits',
    columns: ['When', 'Who', 'Column', 'Before', 'After', 'End'],
    rows: history.map((edit) => [
      ...[{ time: edit.at }, edit.by, columnName(columns, edit.place), edit.before, afterText(edit)],
      drawnCell(endOf(edit), endText(edit)),
    ]),
    shown: html`<ol class="events">${history.map((edit) => html`<li>${moment(edit.at)}<div>${edit.by}: ${columnName(columns, edit.place)}, ${quoted(edit.before)} ${isSaidRight(edit) ? 'is right as it is' : `→ ${quoted(edit.after)}`}${endOf(edit)}</div></li>`)}</ol>`,
  });
}

function endOf({ end }: KeptEdit): Html | null {
  if (end === null) return null;
  const { how, by, at, plannedBatch } = end;
  const into = plannedBatch === null ? null : html` as <a href="/batches/${plannedBatch}">a correction</a>`;
  return html` <span class="soft">(${how}${into} by ${by}, ${moment(at)})</span>`;
}

function endText({ end }: KeptEdit): string {
  if (end === null) return '';
  return `${end.how}${end.plannedBatch === null ? '' : ' as a correction'} by ${end.by}, ${secondOf(end.at)}`;
}

/** The text of a cell after an edit. */
export function afterText(edit: Pick<DraftEdit, 'before' | 'after'>): string {
  return isSaidRight(edit) ? `${edit.after} (right as it is)` : edit.after;
}

/** A value in quotes, for use in a sentence. */
export function quoted(value: string): string {
  return value === '' ? 'empty' : `“${printable(value)}”`;
}
