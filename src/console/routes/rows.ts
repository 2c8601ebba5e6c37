/* The pages of a batch's rows: the table, and the same rows as a file. */

import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { resultLayout } from '../../account/files/failed-layout.ts';
import { byteOrderMark, csvText } from '../../account/files/replacement-file.ts';
import { isCorrectable } from '../../domain/batches/draft.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type ResultStatus, resultStatuses } from '../../domain/rows/row-state.ts';
import type { RowFilter, RowPlace } from '../../domain/rows/search-terms.ts';
import type { DraftRow } from '../../engine/drafts/draft.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RowsResult } from '../../engine/rows.ts';
import { actorOf } from '../access/sessions.ts';
import { queryOf, wholeRow } from '../pages/layout.ts';
import { rowsPage, type ShownStep } from '../pages/rows.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type At, csvType, type Fields, type Routes, sendFile, viewerOf } from './context.ts';

/** The pages of rows. */
export function rowRoutes({ app, show, engine }: Routes): void {
  app.get<At<'batch'>>('/batches/:batch/rows', async (request, reply) => {
    const [filter, from] = [filterIn(request.query), placeIn(request.query)];
    const { batch } = request.params;
    const found = await engine.rows({ batch, filter, from, limit: rowsOfATable }).result;
    const drafts = await draftsOf(engine, found);
    const [step, ending] = await Promise.all([
      stepOf(engine, found, request),
      endingOf(engine, found, filter),
    ]);
    return show(request, reply, (frame) => rowsPage(frame, { found, drafts, filter, from, step, ending }));
  });

  app.get<At<'batch'>>('/batches/:batch/rows.csv', async (request, reply) => {
    const filter = filterIn(request.query);
    const { batch } = await engine.rows({ batch: request.params.batch, filter, limit: 1 }).result;
    const name = `${batch.file.replace(/\.[^.]*$/, '')}.rows.csv`;
    return sendFile(reply, name, csvType, Readable.from(linesOf(engine, batch.id, filter)));
  });
}

/** Those rows of a page that are in the draft, by their numbers. */
async function draftsOf(
  engine: Engine,
  { batch, rows: found, draft }: RowsResult,
): Promise<ReadonlyMap<number, DraftRow>> {
  if (draft.edits === 0 || found.length === 0) return new Map();
  const { rows } = await engine.draft({ batch: batch.id, rows: found.map(({ row }) => row) }).result;
  return new Map(rows.map((each) => [each.row.row, each]));
}

/** The step whose results the page shows; null if its address names none. */
async function stepOf(
  engine: Engine,
  { batch }: RowsResult,
  request: FastifyRequest<At<'batch'>>,
): Promise<ShownStep | null> {
  const { query } = request;
  const [step, undone] = [textIn(query, 'step'), textIn(query, 'undone')];
  if (step === undefined) return null;
  const actor = actorOf(viewerOf(request));
  const result = await engine.draftStep({ batch: batch.id, step }, { actor }).result;
  const kept = Number(textIn(query, 'kept') ?? 0);
  return { ...result, step, isUndoing: undone !== undefined, kept: Number.isSafeInteger(kept) ? kept : 0 };
}

/** The ending that could be removed from the faulty cells of the page; null if none exists. */
async function endingOf(
  engine: Engine,
  { batch, columns, rows: found }: RowsResult,
  { code, column }: RowFilter,
): Promise<string | null> {
  const place = columns.indexOf(column ?? '');
  const rows = found.filter((row) => isCorrectable(row)).map(({ row }) => row);
  if (code === undefined || place === -1 || rows.length === 0) return null;
  const asked = engine.findEnding({ batch: batch.id, rows, place, code }).result;
  // Rows are shown even if they cannot be checked, because the ending is only an offer.
  return asked.then(
    ({ ending }) => ending,
    (error: unknown) => {
      if (error instanceof PaybatchError) return null;
      throw error;
    },
  );
}

/** Enough rows to work in without changing pages, and few enough to load quickly. */
const rowsOfATable = 100;
const rowsOfAFile = 1_000;

/** All rows that match a filter, in the form of the results file, page by page. */
async function* linesOf(engine: Engine, batch: string, filter: RowFilter): AsyncGenerator<string> {
  let place: number | null = 0;
  while (place !== null) {
    const from: RowPlace = { row: place, direction: 'after' };
    const { columns, rows, next } = await engine.rows({ batch, filter, from, limit: rowsOfAFile }).result;
    const layout = resultLayout(columns, batch);
    if (place === 0) yield byteOrderMark + csvText([layout.header]);
    if (rows.length > 0) yield csvText(rows.map(layout.record));
    place = next;
  }
}

/**
 * The conditions in an address. Empty ones do not count.
 * @throws PageProblem for an unknown status
 */
export function filterIn(query: Fields): RowFilter {
  const [status, code, column, text] = ['status', 'code', 'column', 'text'].map((name) =>
    textIn(query, name),
  );
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

function textIn(query: Fields, name: string): string | undefined {
  return query[name] || undefined;
}

function isStatus(text: string): text is ResultStatus {
  return (resultStatuses as readonly string[]).includes(text);
}

/** The position of a page of rows; the first page if the address does not state it. */
function placeIn(query: Fields): RowPlace {
  const [after, before] = [textIn(query, 'after'), textIn(query, 'before')];
  if (after === undefined && before === undefined) return { row: 0, direction: 'after' };
  const text = after ?? before ?? '';
  if (!/^\d{1,9}$/.test(text)) {
    throw new PageProblem(422, `"${text}" is no row number.`, 'Begin at the first page of the rows.');
  }
  return { row: Number(text), direction: after === undefined ? 'before' : 'after' };
}

/** The address of the page of rows that shows the results of a step. */
export function stepAddress(
  batch: string,
  filter: RowFilter,
  step: string | null,
  further: Readonly<Record<string, string>> = {},
): string {
  const query = queryOf(filter);
  if (step !== null) query.set('step', step);
  for (const [name, value] of Object.entries(further)) query.set(name, value);
  const text = query.toString();
  return `/batches/${encodeURIComponent(batch)}/rows${text === '' ? '' : `?${text}`}`;
}

/** The number of a row, or of a column. @throws PageProblem */
export function rowIn(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new PageProblem(404, `"${text}" is no row number.`, 'Choose a row of the table.');
}
