/* Corrections in place: cells of a row, one column of many rows, the draft, and the correction made from it. */

import { type Html, html, section } from '../../account/report/page.ts';
import { figure, type Line, statusMark } from '../../account/table.ts';
import { inputName, statusLabel } from '../../account/words/wording.ts';
import type { ColumnChange, DraftEdit } from '../../domain/batches/draft.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { DraftResult, DraftRow } from '../../engine/drafts/draft.ts';
import { actorOf } from '../access/sessions.ts';
import { afterText, columnName, faultText } from '../pages/cells.ts';
import { editPage } from '../pages/edit.ts';
import { type Frame, form, type Page, rowsAddress } from '../pages/layout.ts';
import { action } from '../pages/remedies.ts';
import { drawnCell, moment, tableView } from '../pages/table.ts';
import { PageProblem } from '../under-way/failures.ts';
import {
  type At,
  beginCall,
  type Fields,
  leadToCall,
  type Routes,
  tableAskedFor,
  viewerOf,
} from './context.ts';
import { comparedEdits, conflictItems, type ShownConflict, type TypedCell, withWanted } from './row-edits.ts';
import { filterIn, rowIn, stepAddress } from './rows.ts';

/** The maximum number of rows of a draft that are downloaded at once. */
const rowsDownloaded = 2_000;

/** The pages of corrections in place. */
export function draftRoutes(routes: Routes): void {
  const { app, show, engine } = routes;
  app.get<At<'batch'>>('/batches/:batch/draft', async (request, reply) => {
    const after = request.query.after === undefined ? 0 : rowIn(request.query.after);
    const limit = tableAskedFor(request) === null ? undefined : rowsDownloaded;
    const draft = await engine.draft({ batch: request.params.batch, after, limit }).result;
    return show(request, reply, (frame) => draftPage(frame, draft, after));
  });

  app.post<At<'batch' | 'row'>>('/batches/:batch/rows/:row/edit', async (request, reply) => {
    const row = rowIn(request.params.row);
    const asked = { batch: request.params.batch, row, isChecked: false };
    const draft = await engine.draft(asked).result;
    const { batch, columns } = draft;
    const address = `/batches/${batch.id}/rows/${row}`;
    const [known] = draft.rows;
    if (known === undefined)
      throw new PageProblem(404, 'The batch has no such row.', 'Choose a row of the table.');
    const places = [...columns.keys()];
    const typed = places.flatMap((place): TypedCell[] => {
      const [was, text] = [request.body[`was-${place}`], request.body[`cell-${place}`]];
      if (was === undefined || text === undefined) return [];
      return [{ row, place, was, text, isRight: request.body[`right-${place}`] === 'yes' }];
    });
    const { edits, outdated } = comparedEdits([known], typed);
    if (outdated.length > 0)
      return show(request, reply, conflictPage(batch.id, columns, outdated, address), 409);
    if (edits.length === 0) return reply.redirect(address, 303);
    const actor = actorOf(viewerOf(request));
    const { conflicts } = await engine.editDraft({ batch: batch.id, edits }, { actor }).result;
    if (conflicts.length === 0) return reply.redirect(address, 303);
    return show(request, reply, conflictPage(batch.id, columns, withWanted(conflicts, edits), address), 409);
  });

  app.post<At<'batch' | 'row'>>('/batches/:batch/rows/:row/discard', async (request, reply) => {
    const { batch } = request.params;
    const row = rowIn(request.params.row);
    const place = request.query.place === undefined ? undefined : rowIn(request.query.place);
    const actor = actorOf(viewerOf(request));
    await engine.discardEdits({ batch, row, place }, { actor }).result;
    const address = place === undefined ? `rows/${row}` : 'draft';
    return reply.redirect(`/batches/${encodeURIComponent(batch)}/${address}`, 303);
  });

  app.post<At<'batch'>>('/batches/:batch/draft/discard', async (request, reply) => {
    const { batch } = request.params;
    await engine.discardEdits({ batch }, { actor: actorOf(viewerOf(request)) }).result;
    return reply.redirect(`/batches/${encodeURIComponent(batch)}/draft`, 303);
  });

  app.post<At<'batch'>>('/batches/:batch/draft/plan', async (request, reply) => {
    const { batch } = request.params;
    const back = { address: `/batches/${encodeURIComponent(batch)}/draft`, name: 'Back to the draft' };
    const subject = { title: 'Planning the corrections', back };
    return leadToCall(
      reply,
      beginCall(routes, request, subject, (asked) => engine.planDraft({ batch }, asked)),
    );
  });

  app.get<At<'batch'>>('/batches/:batch/edit', async (request, reply) => {
    const filter = filterIn(request.query);
    const [place, change] = [placeIn(request.query), changeIn(request.query)];
    const named = request.params.batch;
    if (place === null || change === null) {
      const { batch, columns } = await engine.rows({ batch: named, limit: 1 }).result;
      return show(request, reply, (frame) =>
        editPage(frame, { batch, columns, filter, place, change, preview: null }),
      );
    }
    const asked = { batch: named, filter, place, change };
    const { batch, columns, preview } = await engine.previewEdit(asked).result;
    return show(request, reply, (frame) =>
      editPage(frame, { batch, columns, filter, place, change, preview }),
    );
  });

  app.post<At<'batch'>>('/batches/:batch/edit', async (request, reply) => {
    const { batch } = request.params;
    const filter = filterIn(request.body);
    const [place, change] = [placeIn(request.body), changeIn(request.body)];
    const { hash = '' } = request.body;
    if (place === null || change === null || hash === '')
      throw new PageProblem(422, 'The form names no change.', 'Look at the preview again.');
    const edits = { filter, place, change, hash };
    const actor = actorOf(viewerOf(request));
    const { conflicts, step } = await engine
      .editDraft({ batch, edits }, { actor })
      .result.catch((error: unknown) => refusedEdit(error));
    if (conflicts.length === 0) return reply.redirect(stepAddress(batch, filter, step), 303);
    const { columns } = await engine.rows({ batch, limit: 1 }).result;
    const shown = conflicts.map((conflict) => ({ ...conflict, wanted: null }));
    return show(request, reply, conflictPage(batch, columns, shown, rowsAddress(batch, filter)), 409);
  });
}

/** Throws the error of an edit. An outdated preview is a conflict (409) and not a bad request. */
function refusedEdit(error: unknown): never {
  if (!(error instanceof PaybatchError) || error.code !== 'edit_outdated') throw error;
  throw new PageProblem(409, error.message, 'Go back, and look at the preview again.');
}

function placeIn({ place = '' }: Fields): number | null {
  return /^\d{1,5}$/.test(place) ? Number(place) : null;
}

/** The change that a form states; null if it states none. */
function changeIn({ kind, from = '', with: text = '' }: Fields): ColumnChange | null {
  if (kind === 'confirm') return { kind };
  if (kind === 'set') return { kind, with: text };
  return kind === 'begin' || kind === 'end' || kind === 'find' || kind === 'replace'
    ? { kind, from, with: text }
    : null;
}

/*
 * The page of a draft: the edits, their authors, the current findings, and the button that makes a correction from it.
 */

/** The page of a draft. @param after the number of the row after which the page begins */
function draftPage(frame: Frame, draft: DraftResult, after: number): Page {
  const { batch, size, rows, next } = draft;
  const back = html`<p><a href="/batches/${batch.id}/rows">Back to the rows</a></p>`;
  const title = `Corrections of ${inputName(batch)}`;
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
        columns: [figure('Row'), 'Checked now', 'Column', 'In the file', 'After', 'Who', 'When'],
        rows: rows.flatMap((row) => recordsOf(draft, row)),
        shown: html`<div class="scroll row-table" role="region" aria-label="Edits" tabindex="0"><table>
<thead><tr><th scope="col" class="number">Row</th><th scope="col">Checked now</th><th scope="col">Column</th><th scope="col">In the file</th><th scope="col">After</th><th scope="col">Who</th><th scope="col">When</th><th scope="col"><span class="visually-hidden">Discard</span></th></tr></thead>
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
      : html`<p class="second">${passing === size.rows ? 'All of them pass now.' : `${groupedNumber(passing)} of them ${passing === 1 ? 'passes' : 'pass'} now; the others would be refused again, or not be sent by the plan.`}</p>`;
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
    }${editCells(columns, row, edit)}
<td>${action(frame, `/batches/${batch.id}/rows/${edit.row}/discard?place=${edit.place}`, 'Discard', 'second small')}</td></tr>
`,
  )}`;
}

/** The edits of a row, each as an independent line. */
function recordsOf({ columns }: DraftResult, row: DraftRow): readonly Line[] {
  return row.edits.map(({ place, before, after, by, at }) => [
    ...[row.row.row, drawnCell(checked(row, columns), checkedText(row, columns)), columnName(columns, place)],
    ...[row.inFile[place] ?? '', afterText({ before, after }), by, { time: at }],
  ]);
}

/** The cells of an edit. The value in the file is shown before it, even if the same cell was edited earlier. */
function editCells(
  columns: readonly string[],
  { inFile }: DraftRow,
  { place, before, after, by, at }: DraftEdit,
): Html {
  const own = inFile[place] ?? '';
  return html`<td data-title="Column">${columnName(columns, place)}</td><td data-title="In the file">${own === '' ? html`<span class="soft">empty</span>` : own}</td><td data-title="After">${after === '' ? html`<span class="soft">empty</span>` : afterText({ before, after })}</td><td data-title="Who">${by}</td><td data-title="When">${moment(at)}</td>`;
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

/** The current findings as text without markup. */
function checkedText({ row, isCorrectable, checked: now }: DraftRow, columns: readonly string[]): string {
  if (!isCorrectable) return `${statusLabel(row.status)}; cannot be corrected any more`;
  if (now === null) return 'not checked';
  return now.status === 'not_sent' ? 'passes' : `${statusLabel(now.status)}; ${saidNow(row, now, columns)}`;
}

function paging(batch: string, after: number, next: number | null): Html | null {
  if (after === 0 && next === null) return null;
  return html`<div class="actions">${after === 0 ? null : html`<a class="button second" href="/batches/${batch}/draft">First page</a>`}${next === null ? null : html`<a class="button second" rel="next" href="/batches/${batch}/draft?after=${next}">Next</a>`}</div>`;
}

/** The page of edits that were refused because cells or rows have changed since the person saw them. */
function conflictPage(
  batch: string,
  columns: readonly string[],
  conflicts: readonly ShownConflict[],
  back: string,
): Page {
  return {
    title: 'Nothing was changed',
    part: '/batches',
    content: html`<section class="problem" role="alert"><p class="headline">What you saw is out of date.</p>
<ul>${conflictItems(batch, columns, conflicts)}</ul>
<p>Look at it as it is now, and correct it again if it is still wrong.</p>
<div class="actions"><a class="button" href="${back}">Look at it now</a></div></section>`,
  };
}
