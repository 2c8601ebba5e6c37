/* Correcting in place: cells of a row, one column of many rows, the draft, and its way to a correction. */

import { visible } from '../../account/report/page.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type CellEdit, type ColumnChange, numberToConfirm } from '../../domain/rows/draft.ts';
import { actorOf } from '../access/sessions.ts';
import { rowsAddress } from '../pages/addresses.ts';
import { conflictPage, draftPage, type ShownConflict } from '../pages/draft.ts';
import { editPage } from '../pages/edit.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type Routes, viewerOf } from './context.ts';
import { tableAskedFor } from './downloads.ts';
import { filterIn, type RowsQuery, rowIn } from './rows.ts';

/** So many rows of a draft are downloaded at once. */
const rowsDownloaded = 2_000;

type Fields = Readonly<Partial<Record<string, string>>>;

/** The pages of corrections in place. */
export function draftRoutes({ app, show, engine, calls, words }: Routes): void {
  app.get<{ Params: { batch: string }; Querystring: { after?: string } }>(
    '/batches/:batch/draft',
    async (request, reply) => {
      const after = request.query.after === undefined ? 0 : rowIn(request.query.after);
      const limit = tableAskedFor(request) === null ? undefined : rowsDownloaded;
      const draft = await engine.draft({ batch: request.params.batch, after, limit }).result;
      return show(request, reply, (frame) => draftPage(frame, draft, after));
    },
  );

  app.post<{ Params: { batch: string; row: string }; Body: Fields }>(
    '/batches/:batch/rows/:row/edit',
    async (request, reply) => {
      const row = rowIn(request.params.row);
      const draft = await engine.draft({ batch: request.params.batch, row }).result;
      const { batch, columns } = draft;
      const address = `/batches/${batch.id}/rows/${row}`;
      const [known] = draft.rows;
      if (known === undefined)
        throw new PageProblem(404, 'The batch has no such row.', 'Choose a row of the table.');
      const edits: CellEdit[] = [];
      const outdated: ShownConflict[] = [];
      for (const place of columns.keys()) {
        const [was, typed] = [request.body[`was-${place}`], request.body[`cell-${place}`]];
        const before = known.row.cells[place] ?? '';
        // A number that is said to be right is one that nobody has typed anything for.
        const isRight = was === typed && request.body[`right-${place}`] === 'yes';
        const after = isRight ? numberToConfirm(before) : typed;
        if (was === undefined || after === undefined || (was === after && !isRight)) continue;
        if (visible(before) === was)
          edits.push({ row, place, before, after, ...(isRight ? { isRight } : {}) });
        else {
          const other = known.edits.find((edit) => edit.place === place);
          const { status } = known.row;
          const [changedBy, changedAt] = [other?.by ?? null, other?.at ?? null];
          outdated.push({ row, place, now: before, status, changedBy, changedAt, wanted: after });
        }
      }
      if (outdated.length > 0)
        return show(request, reply, conflictPage(batch.id, columns, outdated, address), 409);
      if (edits.length === 0) return reply.redirect(address, 303);
      const actor = actorOf(viewerOf(request));
      const { conflicts } = await engine.editDraft({ batch: batch.id, edits }, { actor }).result;
      if (conflicts.length === 0) return reply.redirect(address, 303);
      const wantedOf = (place: number): string | null =>
        edits.find((edit) => edit.place === place)?.after ?? null;
      const shown = conflicts.map((conflict) => ({ ...conflict, wanted: wantedOf(conflict.place) }));
      return show(request, reply, conflictPage(batch.id, columns, shown, address), 409);
    },
  );

  app.post<{ Params: { batch: string; row: string }; Querystring: { place?: string } }>(
    '/batches/:batch/rows/:row/discard',
    async (request, reply) => {
      const { batch } = request.params;
      const row = rowIn(request.params.row);
      const place = request.query.place === undefined ? undefined : rowIn(request.query.place);
      const actor = actorOf(viewerOf(request));
      await engine.discardEdits({ batch, row, place }, { actor }).result;
      const address = place === undefined ? `rows/${row}` : 'draft';
      return reply.redirect(`/batches/${encodeURIComponent(batch)}/${address}`, 303);
    },
  );

  app.post<{ Params: { batch: string } }>('/batches/:batch/draft/discard', async (request, reply) => {
    const { batch } = request.params;
    await engine.discardEdits({ batch }, { actor: actorOf(viewerOf(request)) }).result;
    return reply.redirect(`/batches/${encodeURIComponent(batch)}/draft`, 303);
  });

  app.post<{ Params: { batch: string } }>('/batches/:batch/draft/plan', async (request, reply) => {
    const { batch } = request.params;
    const viewer = viewerOf(request);
    const back = { address: `/batches/${encodeURIComponent(batch)}/draft`, name: 'Back to the draft' };
    const call = calls.begin({ title: 'Planning the corrections', back, by: viewer.name }, (options) => {
      const asked = { ...options, actor: actorOf(viewer), words };
      return engine.planDraft({ batch }, asked).result;
    });
    return reply.redirect(`/calls/${call.id}`, 303);
  });

  app.get<{ Params: { batch: string }; Querystring: RowsQuery }>(
    '/batches/:batch/edit',
    async (request, reply) => {
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
    },
  );

  app.post<{ Params: { batch: string }; Body: Fields }>('/batches/:batch/edit', async (request, reply) => {
    const { batch } = request.params;
    const filter = filterIn(request.body);
    const [place, change] = [placeIn(request.body), changeIn(request.body)];
    const { hash = '' } = request.body;
    if (place === null || change === null || hash === '')
      throw new PageProblem(422, 'The form names no change.', 'Look at the preview again.');
    const edits = { filter, place, change, hash };
    const actor = actorOf(viewerOf(request));
    const { conflicts } = await engine
      .editDraft({ batch, edits }, { actor })
      .result.catch((error: unknown) => refusedEdit(error));
    const address = `/batches/${encodeURIComponent(batch)}/draft`;
    if (conflicts.length === 0) return reply.redirect(address, 303);
    const { columns } = await engine.rows({ batch, limit: 1 }).result;
    const shown = conflicts.map((conflict) => ({ ...conflict, wanted: null }));
    return show(request, reply, conflictPage(batch, columns, shown, rowsAddress(batch, filter)), 409);
  });
}

/** A preview that is out of date is nothing wrong with the request. */
function refusedEdit(error: unknown): never {
  if (!(error instanceof PaybatchError) || error.code !== 'edit_outdated') throw error;
  throw new PageProblem(409, error.message, 'Go back, and look at the preview again.');
}

function textIn(query: RowsQuery, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' ? value : undefined;
}

function placeIn(query: RowsQuery): number | null {
  const text = textIn(query, 'place');
  return text === undefined || !/^\d{1,5}$/.test(text) ? null : Number(text);
}

/** The change of a form; null where it names none. */
function changeIn(query: RowsQuery): ColumnChange | null {
  const [kind, from = '', given = ''] = ['kind', 'from', 'with'].map((name) => textIn(query, name));
  switch (kind) {
    case 'begin':
      return { kind, beginning: from, with: given };
    case 'replace':
      return { kind, value: from, with: given };
    case 'set':
      return { kind, with: given };
    case 'confirm':
      return { kind };
    default:
      return null;
  }
}
