/*
 * The rows of a page as an editable table: the file's own columns, with the faults in their cells. The row number, the
 * status, the column of names and the column with the most faults stay visible. A faulty cell has a short reason; the
 * long reason is shown when the cell has the focus. `row-grid.client.js` makes the cells editable.
 */

import { type Html, html } from '../../account/report/page.ts';
import { statusMark } from '../../account/table.ts';
import { reasonName } from '../../account/words/wording.ts';
import { isCorrectable } from '../../domain/batches/draft.ts';
import { groupedNumber } from '../../domain/money/money.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { RowFilter } from '../../domain/rows/search-terms.ts';
import type { DraftRow } from '../../engine/drafts/draft.ts';
import type { RowsResult } from '../../engine/rows.ts';
import {
  cellsOfDraft,
  cellsWithFaults,
  type OwnColumn,
  ownColumns,
  type ShownCell,
  type ShownFault,
  type ShownRow,
  wasNote,
} from './cells.ts';
import { type Frame, queryOf } from './layout.ts';
import { draftStatusNote } from './page-words.ts';

/** The data of a page of rows that its table needs. */
type TablePart = Pick<RowsResult, 'batch' | 'columns' | 'rows'>;

/** A row, and its current state. */
interface TableRow {
  readonly row: ResultRow;
  /** The row in the draft; undefined for a row without edits. */
  readonly draft: DraftRow | undefined;
  readonly shown: ShownRow;
}

/** The columns of a table, for drawing its rows. */
interface RowColumns {
  readonly batch: string;
  readonly own: readonly OwnColumn[];
  /** The place of the column that stays visible; null if no cell is faulty. */
  readonly pinned: number | null;
  /**
   * The place of the column of names, which also stays visible; null if it is the same column, or if it is not known.
   */
  readonly naming: number | null;
  /** The columns of amounts. They are aligned right. */
  readonly figures: ReadonlySet<number>;
  readonly isOpen: (row: ResultRow) => boolean;
}

/**
 * The table of a page of rows.
 * @param drafts those of these rows that are in the draft
 * @param filter of the rows of the page; the column to which it applies stays visible
 */
export function rowTable(
  frame: Pick<Frame, 'may'>,
  found: TablePart & Pick<RowsResult, 'next' | 'naming'>,
  drafts: ReadonlyMap<number, DraftRow>,
  filter: RowFilter,
): Html {
  const { batch } = found;
  const { rows, shared } = tableRows(frame, found, drafts, {
    wanted: filter.column ?? null,
    naming: found.naming,
  });
  const head = shared.own.map(
    ({ title, place }) =>
      html`<th scope="col"${classOf(headClasses(shared, place))} data-place="${place}">${title}</th>`,
  );
  const isOpen = rows.some(({ row }) => shared.isOpen(row));
  // A pasted block may continue with the rows that follow this page under its filter.
  const further = found.next === null ? null : html` data-further="${queryOf(filter).toString()}"`;
  const grid = isOpen ? html` data-grid="/batches/${batch.id}/draft"${further}` : null;
  return html`${isOpen ? gridBar : null}<div class="scroll row-table" role="region" aria-label="The rows, which scroll" tabindex="0"><table${namesClass(shared)}${grid}>
<thead><tr><th scope="col" class="number">Row</th><th scope="col" class="standing">Status</th>${head}</tr></thead>
<tbody>
${rows.map((row) => rowLine(shared, row))}</tbody>
</table></div>`;
}

/** The buttons and texts for the script of the table. The script shows them once the table is editable. */
const gridBar = html`<div class="grid-bar" hidden>
<div class="actions"><button type="button" class="second small" data-do="edit">Edit the cell</button><button type="button" class="second small" data-do="fill">Fill down</button><button type="button" class="second small" data-do="undo">Undo</button>
<details><summary>Keys</summary><dl class="keys"><div><dt>Type, Enter or F2</dt><dd>edit the cell</dd></div><div><dt>Enter, Tab</dt><dd>keep it, and go down or right</dd></div><div><dt>Escape</dt><dd>leave the cell as it was</dd></div><div><dt>Arrows, with Shift</dt><dd>go, and select</dd></div><div><dt>Ctrl C, Ctrl V</dt><dd>copy and paste a block, also of a spreadsheet</dd></div><div><dt>Ctrl D</dt><dd>fill down</dd></div><div><dt>Ctrl Z</dt><dd>undo</dd></div><div><dt>Ctrl H</dt><dd>find and replace in the column</dd></div></dl></details></div>
<div class="grid-said" role="status">Each change is checked and kept in the draft. The file stays as it is.</div></div>
<script src="/assets/row-grid.js" defer></script>
`;

/** Only the lines of rows, for a table that is already shown. */
export function rowLines(
  frame: Pick<Frame, 'may'>,
  found: TablePart,
  drafts: ReadonlyMap<number, DraftRow>,
): readonly Html[] {
  const { rows, shared } = tableRows(frame, found, drafts, { wanted: null, naming: null });
  return rows.map((row) => rowLine(shared, row));
}

function tableRows(
  frame: Pick<Frame, 'may'>,
  { batch, columns, rows: found }: TablePart,
  drafts: ReadonlyMap<number, DraftRow>,
  { wanted, naming }: { readonly wanted: string | null; readonly naming: number | null },
): { readonly rows: readonly TableRow[]; readonly shared: RowColumns } {
  const rows = found.map((row) => {
    const known = drafts.get(row.row);
    const draft = known !== undefined && known.edits.length > 0 && known.checked !== null ? known : undefined;
    const shown = draft === undefined ? cellsWithFaults(row, columns) : cellsOfDraft(draft, columns);
    return { row, draft, shown };
  });
  const own = ownColumns(columns);
  const meant = own.find(({ place }) => wanted !== null && columns[place] === wanted);
  const mayEdit = frame.may('POST', `/batches/${batch.id}/draft`);
  const pinned = meant?.place ?? faultiestColumn(rows);
  const shared = {
    batch: batch.id,
    own,
    pinned,
    naming: naming === pinned ? null : naming,
    figures: amountColumns(rows),
    isOpen: (row: ResultRow) => mayEdit && isCorrectable(row),
  };
  return { rows, shared };
}

/** The first of the columns in which most rows have a fault; null if no cell has a fault. */
function faultiestColumn(rows: readonly TableRow[]): number | null {
  const counts = new Map<number, number>();
  for (const { shown } of rows) {
    for (const { place, faults } of shown.own)
      if (faults.length > 0) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([one, ofOne], [other, ofOther]) => ofOther - ofOne || one - other);
  return first?.[0] ?? null;
}

/** The columns whose cells are the amounts of their rows, in whatever form they are written. */
function amountColumns(rows: readonly TableRow[]): ReadonlySet<number> {
  const digits = (text: string): string => text.replace(/\D/g, '').replace(/0+$/, '');
  const withMoney = rows.flatMap(({ row: { money }, shown }) =>
    money === undefined ? [] : [{ money, shown }],
  );
  const places = withMoney[0]?.shown.own.map(({ place }) => place) ?? [];
  const isAmount = (at: number): boolean => {
    // A value that a person has typed proves nothing about its column.
    const unedited = withMoney.filter(({ shown }) => (shown.own[at]?.edit ?? null) === null);
    return (
      unedited.length > 0 &&
      unedited.every(({ money, shown }) => digits(shown.own[at]?.value ?? '') === digits(money.amount))
    );
  };
  return new Set(places.filter((_, at) => isAmount(at)));
}

/**
 * The class for the order of the two columns that stay visible. The one that comes first in the file is further left.
 */
function namesClass({ pinned, naming }: RowColumns): Html | null {
  if (naming === null) return null;
  return classOf([pinned !== null && pinned < naming ? 'names-behind' : 'names-first']);
}

function headClasses({ pinned, naming, figures }: RowColumns, place: number): ClassNames {
  return [place === pinned && 'pinned', place === naming && 'naming', figures.has(place) && 'number'];
}

/** Names of classes; false for one that does not apply. */
type ClassNames = readonly (string | false)[];

function classOf(all: ClassNames): Html | null {
  const names = all.filter((name) => name !== false);
  return names.length === 0 ? null : html` class="${names.join(' ')}"`;
}

/** One row. A narrow screen shows only its first cells, and cells with a fault or an edit. */
function rowLine(shared: RowColumns, { row, draft, shown }: TableRow): Html {
  const number = row.row;
  const cells = shown.own.map((cell, at) => ownCell(shared, row, cell, shared.own[at]?.title ?? '', at));
  const open = shared.isOpen(row) ? html` data-open` : null;
  return html`<tr id="row-${number}" data-row="${number}"${open}><th scope="row" class="number"><a href="/batches/${shared.batch}/rows/${number}">${groupedNumber(number)}</a></th>
<td class="standing" data-title="Status">${standing(row, draft)}${where(shared, row, shown)}</td>${cells}</tr>
`;
}

function standing(row: ResultRow, draft: DraftRow | undefined): Html {
  if (draft?.checked === undefined || draft.checked === null) return statusMark(row.status);
  return draft.checked.status === 'not_sent'
    ? html`<span class="status passes-now">passes now</span>`
    : html`${statusMark(draft.checked.status)} <span class="soft">${draftStatusNote(draft.checked.status)}</span>`;
}

/** The faulty columns of a row as links to their cells, and the findings about the row as a whole. */
function where({ own }: RowColumns, { row }: ResultRow, { own: cells, whole }: ShownRow): Html | null {
  const faulty = cells.flatMap(({ place, faults }, at) =>
    faults.length === 0 ? [] : [html`<a href="#cell-${row}-${place}">${own[at]?.title ?? ''}</a>`],
  );
  const said = whole.length === 0 ? [] : [wholeSaid(`why-${row}`, whole)];
  const all = [...faulty, ...said];
  if (all.length === 0) return null;
  return html`<span class="where">${all.map((each, at) => html`${at === 0 ? '' : ', '}${each}`)}</span>`;
}

function wholeSaid(id: string, faults: readonly ShownFault[]): Html {
  return html`<span tabindex="0" aria-describedby="${id}">${shortText(faults)}</span>${why(id, faults, null)}`;
}

/** The reasons in a few words. */
function shortText(faults: readonly ShownFault[]): string {
  const names = faults.map(({ code, text }) => (code === null ? text : reasonName(code)));
  return [...new Set(names)].join(', ');
}

/** The full text. It is shown while its cell has the focus or the pointer. */
function why(id: string, faults: readonly ShownFault[], edit: ShownCell['edit']): Html {
  const said = faults.map(({ text }) => html`<span>${text}</span>`);
  return html`<span class="why" role="tooltip" id="${id}">${said}${edit === null ? null : wasNote(edit)}</span>`;
}

/** The number of first cells of a row on a narrow screen. Cells with a fault or an edit are also shown there. */
const cellsOnNarrowScreens = 4;

function ownCell(
  shared: RowColumns,
  { row }: ResultRow,
  { place, value, faults, edit }: ShownCell,
  title: string,
  at: number,
): Html {
  const isPlain = faults.length === 0 && edit === null;
  const classes = [
    ...[faults.length > 0 && 'faulty', edit !== null && 'edited', ...headClasses(shared, place)],
    isPlain && at >= cellsOnNarrowScreens && 'more',
  ];
  if (isPlain) return html`<td${classOf(classes)} data-title="${title}">${value}</td>`;
  const id = `why-${row}-${place}`;
  const shown = value === '' ? html`<span class="soft">empty</span>` : value;
  const marked = faults.length === 0 ? shown : html`<mark>${shown}</mark>`;
  return html`<td id="cell-${row}-${place}"${classOf(classes)} data-title="${title}" data-value="${value}"><a class="value" href="/batches/${shared.batch}/rows/${row}#cell-${place}" aria-describedby="${id}">${marked}</a>${faults.length === 0 ? null : html`<small>${shortText(faults)}</small>`}${why(id, faults, edit)}</td>`;
}
