/* The page of a draft: what was edited, by whom, what the checker says now, and its way to a correction. */

import { type Html, html, section } from '../../account/report/page.ts';
import { figure, type Line } from '../../account/table/table.ts';
import { statusMark } from '../../account/table/table-html.ts';
import { statusLabel } from '../../account/words/wording.ts';
import { countOf, groupedNumber } from '../../domain/money/figures.ts';
import type { DraftEdit, EditConflict } from '../../domain/rows/draft.ts';
import type { DraftResult, DraftRow } from '../../engine/drafts/draft.ts';
import { afterText, quoted } from './cells.ts';
import { type Frame, form, moment, type Page } from './layout.ts';
import { action } from './remedies.ts';
import { columnName, faultText } from './row-cells.ts';
import { drawnCell, tableView } from './table.ts';

/** The page of a draft. @param after the row number after which it begins */
export function draftPage(frame: Frame, draft: DraftResult, after: number): Page {
  const { batch, size, rows, next } = draft;
  const name = batch.sheet === null ? batch.file : `${batch.file}, sheet ${batch.sheet}`;
  const back = html`<p><a href="/batches/${batch.id}/rows">Back to the rows</a></p>`;
  const title = `Corrections of ${name}`;
  if (size.edits === 0) {
    const empty = section(
      'The draft is empty',
      html`<p class="empty">Open a row among <a href="/batches/${batch.id}/rows?status=invalid">those that are invalid</a>, and type what is right; or correct many rows at once.</p>`,
    );
    return { title, part: '/batches', content: [back, empty] };
  }
  return {
    title,
    part: '/batches',
    content: [
      back,
      planning(frame, draft),
      tableView({
        title: 'Edits',
        columns: [figure('Row'), 'Checked now', 'Column', 'Before', 'After', 'Who', 'When'],
        rows: rows.flatMap((row) => recordsOf(draft, row)),
        shown: html`<div class="scroll row-table" role="region" aria-label="Edits" tabindex="0"><table>
<thead><tr><th scope="col" class="number">Row</th><th scope="col">Checked now</th><th scope="col">Column</th><th scope="col">Before</th><th scope="col">After</th><th scope="col">Who</th><th scope="col">When</th><th scope="col"><span class="visually-hidden">Discard</span></th></tr></thead>
<tbody>
${rows.map((row) => rowLines(frame, draft, row))}</tbody></table></div>`,
        below: paging(batch.id, after, next),
      }),
    ],
  };
}

function planning(frame: Frame, { batch, size, passing, rows }: DraftResult): Html {
  const outdated = rows.filter(({ isCorrectable }) => !isCorrectable).length;
  const said =
    passing === null
      ? html`<p class="second">The rows of this page were checked; the plan checks all of them.</p>`
      : html`<p class="second">${passing === size.rows ? 'All of them pass now.' : `${groupedNumber(passing)} of them ${passing === 1 ? 'passes' : 'pass'} now; the others would be refused again.`}</p>`;
  return html`<section aria-label="The draft"><p class="headline">${countOf(size.edits, 'edit')} in ${countOf(size.rows, 'row')}</p>
${said}${outdated === 0 ? null : html`<p class="problem-text">${countOf(outdated, 'row')} of this page cannot be corrected any more: discard ${outdated === 1 ? 'its' : 'their'} edits.</p>`}
<p>Planning makes a correction of these rows alone, and shows what would be sent. Nothing is sent by it; the first file and its rows stay as they are.</p>
<div class="actions">${form(frame, `/batches/${batch.id}/draft/plan`, html`<button>Plan the corrections</button>`)}${action(frame, `/batches/${batch.id}/draft/discard`, 'Discard all edits', 'second')}</div></section>`;
}

function rowLines(frame: Frame, { batch, columns }: DraftResult, row: DraftRow): Html {
  const { edits } = row;
  return html`${edits.map(
    (edit, at) => html`<tr>${
      at > 0
        ? null
        : html`<th scope="rowgroup" class="number" rowspan="${edits.length}"><a href="/batches/${batch.id}/rows/${row.row.row}">${groupedNumber(row.row.row)}</a></th>
<td data-title="Checked now" rowspan="${edits.length}">${checked(row, columns)}</td>`
    }${editCells(columns, edit)}
<td>${action(frame, `/batches/${batch.id}/rows/${edit.row}/discard?place=${edit.place}`, 'Discard', 'second small')}</td></tr>
`,
  )}`;
}

/** The edits of a row, each as a line that stands for itself. */
function recordsOf({ columns }: DraftResult, row: DraftRow): readonly Line[] {
  return row.edits.map(({ place, before, after, by, at }) => [
    ...[row.row.row, drawnCell(checked(row, columns), checkedText(row, columns)), columnName(columns, place)],
    ...[before, afterText({ before, after }), by, { time: at }],
  ]);
}

function editCells(columns: readonly string[], { place, before, after, by, at }: DraftEdit): Html {
  return html`<td data-title="Column">${columnName(columns, place)}</td><td data-title="Before">${before === '' ? html`<span class="soft">empty</span>` : before}</td><td data-title="After">${after === '' ? html`<span class="soft">empty</span>` : afterText({ before, after })}</td><td data-title="Who">${by}</td><td data-title="When">${moment(at)}</td>`;
}

function checked({ row, isCorrectable, checked: now }: DraftRow, columns: readonly string[]): Html {
  if (!isCorrectable)
    return html`${statusMark(row.status)} <span class="fault">cannot be corrected any more</span>`;
  if (now === null) return html`<span class="soft">not checked</span>`;
  if (now.status === 'not_sent') return html`passes`;
  return html`${statusMark(now.status)}<span class="fault">${saidNow(row, now, columns)}</span>`;
}

function saidNow(
  row: DraftRow['row'],
  { findings }: NonNullable<DraftRow['checked']>,
  columns: readonly string[],
): string {
  const said = findings.map((finding) => {
    const text = faultText(finding, row.cells[columns.indexOf(finding.column)] ?? null);
    return finding.column === '' ? text : `${finding.column}: ${text}`;
  });
  return said.join('; ');
}

/** The same without markup. */
function checkedText({ row, isCorrectable, checked: now }: DraftRow, columns: readonly string[]): string {
  if (!isCorrectable) return `${statusLabel(row.status)}; cannot be corrected any more`;
  if (now === null) return 'not checked';
  return now.status === 'not_sent' ? 'passes' : `${statusLabel(now.status)}; ${saidNow(row, now, columns)}`;
}

function paging(batch: string, after: number, next: number | null): Html | null {
  if (after === 0 && next === null) return null;
  return html`<div class="actions">${after === 0 ? null : html`<a class="button second" href="/batches/${batch}/draft">First page</a>`}${next === null ? null : html`<a class="button second" rel="next" href="/batches/${batch}/draft?after=${next}">Next</a>`}</div>`;
}

/** A conflict, with what the person wanted. */
export interface ShownConflict extends EditConflict {
  /** Null where it was not said cell by cell. */
  readonly wanted: string | null;
}

/** The page of edits that were refused, since cells or rows are not what the person saw. */
export function conflictPage(
  batch: string,
  columns: readonly string[],
  conflicts: readonly ShownConflict[],
  back: string,
): Page {
  const lines = conflicts.map(
    ({ row, place, now, status, changedBy, changedAt, wanted }) =>
      html`<li><a href="/batches/${batch}/rows/${row}">Row ${groupedNumber(row)}</a>, ${columnName(columns, place)}: it is ${quoted(now)} now${changedBy === null ? null : html`, by ${changedBy}`}${changedAt === null ? null : html`, ${moment(changedAt)}`}${status === null ? null : html`; the row is ${statusLabel(status)}`}.${wanted === null ? null : html` You typed ${quoted(wanted)}.`}</li>
`,
  );
  return {
    title: 'Nothing was changed',
    part: '/batches',
    content: html`<section class="problem" role="alert"><p class="headline">What you saw is out of date.</p>
<ul>${lines}</ul>
<p>Look at it as it is now, and correct it again if it is still wrong.</p>
<div class="actions"><a class="button" href="${back}">Look at it now</a></div></section>`,
  };
}
