/* The pages of a batch's rows: the table, and the same rows as a file. */

import { Readable } from 'node:stream';
import { resultLayout } from '../../account/files/failed-layout.ts';
import { byteOrderMark, csvText } from '../../account/files/replacement-file.ts';
import { type ResultStatus, resultStatuses } from '../../domain/rows/row-state.ts';
import type { RowFilter, RowPlace } from '../../domain/rows/search-terms.ts';
import type { DraftRow } from '../../engine/drafts/draft.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RowsResult } from '../../engine/rows.ts';
import { wholeRow } from '../pages/layout.ts';
import { rowsPage } from '../pages/rows.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { Routes } from './context.ts';

/** The query of an address of rows, from a browser. */
export type RowsQuery = Readonly<Partial<Record<string, string | readonly string[]>>>;

/** The pages of rows. */
export function rowRoutes({ app, show, engine }: Routes): void {
  app.get<{ Params: { batch: string }; Querystring: RowsQuery }>(
    '/batches/:batch/rows',
    async (request, reply) => {
      const [filter, from] = [filterIn(request.query), placeIn(request.query)];
      const { batch } = request.params;
      const found = await engine.rows({ batch, filter, from, limit: rowsOfATable }).result;
      const drafts = await draftsOf(engine, found);
      return show(request, reply, (frame) => rowsPage(frame, { found, drafts, filter, from }));
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

/** The rows of the draft among those of a page, by their numbers. */
async function draftsOf(
  engine: Engine,
  { batch, rows: found, draft }: RowsResult,
): Promise<ReadonlyMap<number, DraftRow>> {
  if (draft.edits === 0 || found.length === 0) return new Map();
  const { rows } = await engine.draft({ batch: batch.id, rows: found.map(({ row }) => row) }).result;
  return new Map(rows.map((each) => [each.row.row, each]));
}

/** Enough to work in without turning pages, and few enough to come at once. */
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
