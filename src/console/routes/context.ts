/*
 * The common parts of the console's routes: the engine, its calls under way, uploads, sessions, and the functions that
 * send pages, errors and tables.
 */

import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../../account/report/page.ts';
import { csvOfTable } from '../../account/table.ts';
import type { Actor } from '../../call/context.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { PaybatchError, type Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { fieldIn, type KeptForms, keptForm, pageField } from '../access/kept-form.ts';
import { actorOf, type Sessions, type Viewer } from '../access/sessions.ts';
import { failureOf } from '../pages/call.ts';
import { type Frame, type Page, problemPage, waysOn } from '../pages/layout.ts';
import { consoleWords } from '../pages/page-words.ts';
import { csvFileName, csvParameter, tableIn } from '../pages/table.ts';
import type { Begin, CallSubject, Calls, ConsoleCall } from '../under-way/calls.ts';
import { httpStatusOf, knownFailure, PageProblem } from '../under-way/failures.ts';
import type { MappingTalks } from '../under-way/mapping-talks.ts';
import type { Reconciliations } from '../under-way/reconciliations.ts';
import type { Uploads } from '../under-way/uploads.ts';

/** The parts of the console. Each page takes the parts that it needs. */
export interface ConsoleContext {
  readonly engine: Engine;
  readonly calls: Calls;
  readonly uploads: Uploads;
  /** The dialogues about how files are read. */
  readonly talks: MappingTalks;
  readonly reconciliations: Reconciliations;
  readonly sessions: Sessions;
  /** Forms that were filled in before a session ended, kept for people who sign in again. */
  readonly keptForms: KeptForms;
  /** The phrases for remedies in reports, for readers who use the console. */
  readonly words: Phrasebook;
  /** Whether people sign in. Without users, only the person who started the console uses it. */
  readonly hasUsers: boolean;
  /** Whether browsers reach it by HTTPS. */
  readonly isSecure: boolean;
  /** The address of the console, without a slash at its end. */
  readonly origin: () => string;
}

/** Sends a page. @param status of the HTTP answer; 200 when absent */
export type ShowPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page | ((frame: Frame) => Page),
  status?: number,
) => FastifyReply;

/** Sends a part of a page, for a page that polls it. */
export type ShowPart = (
  request: FastifyRequest,
  reply: FastifyReply,
  content: (frame: Frame) => Html,
) => FastifyReply;

/** The input for creating routes. */
export interface Routes extends ConsoleContext {
  readonly app: FastifyInstance;
  readonly show: ShowPage;
  readonly part: ShowPart;
}

/** The fields of a query, or of a form that was sent. */
export type Fields = Readonly<Partial<Record<string, string>>>;

/** The texts of a request: the named parts of its address, its query, and its form. */
export interface At<Name extends string = never> {
  readonly Params: Readonly<Record<Name, string>>;
  readonly Querystring: Fields;
  readonly Body: Fields;
}

/** The person who made a request. Every request that reaches a route has one. */
export function viewerOf({ viewer }: Pick<FastifyRequest, 'viewer'>): Viewer {
  if (viewer === null) throw new Error('a route was reached without a session');
  return viewer;
}

/* Calls of the engine that a person begins. */

/** The options of an engine's call that a person follows and may stop. */
export type CallOptions = Parameters<Begin>[0] & { readonly actor: Actor; readonly words: Phrasebook };

/** A call of the engine whose end the console shows. */
export interface EndingCall {
  readonly result: ReturnType<Begin>;
}

/** Begins a call in the name of the person who asks for it. */
export function beginCall(
  { calls, words }: Routes,
  asking: Pick<FastifyRequest, 'viewer'>,
  subject: Omit<CallSubject, 'by'>,
  start: (asked: CallOptions) => EndingCall,
): ConsoleCall {
  const viewer = viewerOf(asking);
  return calls.begin(
    { ...subject, by: viewer.name },
    (options) => start({ ...options, actor: actorOf(viewer), words }).result,
  );
}

/** The address of the page of a call. */
export function callAddress({ id }: ConsoleCall): string {
  return `/calls/${id}`;
}

/** Redirects to the page of a call. */
export function leadToCall(reply: FastifyReply, call: ConsoleCall): FastifyReply {
  return reply.redirect(callAddress(call), 303);
}

/** The current state of a batch. @throws PaybatchError if there is no such batch */
export async function batchOf(engine: Engine, batch: string): Promise<BatchAccount> {
  const { shown } = await engine.status({ batch }).result;
  if (shown.kind !== 'batch') throw new PaybatchError('batch_not_found', 'There is no such batch.', null);
  return shown.batch;
}

/* Errors as pages: the error and its remedies. */

/** Shows an error of a route, or of the HTTP server itself. */
export function showError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  show: ShowPage,
  keptForms: KeptForms,
): FastifyReply {
  const back = fieldIn(request.body, pageField);
  if (error instanceof PageProblem) {
    const again = back === '' ? null : formAgain(error, request, keptForms);
    if (again !== null) return reply.redirect(again, 303);
    const page = problemPage('That did not work', error.message, error.next, back);
    return show(request, reply, page, error.status);
  }
  const status = statusIn(error);
  if (status !== null) {
    const next = 'Go back, load the page again, and repeat it.';
    return show(request, reply, problemPage('That did not work', messageOf(status), next, back), status);
  }
  const failure = knownFailure(error);
  return show(
    request,
    reply,
    (frame) => ({
      title: 'That did not work',
      content: [failureOf(frame, failure, null, consoleWords), waysOn(back)],
    }),
    httpStatusOf(failure),
  );
}

/** The page of an incomplete form, which shows it filled in again; null if the form cannot be shown. */
function formAgain(
  { status, message, next, field }: PageProblem,
  { method, url, body, viewer }: FastifyRequest,
  keptForms: KeptForms,
): string | null {
  if (status !== 422 || method !== 'POST' || viewer === null) return null;
  const form = keptForm(url, body);
  return form === null
    ? null
    : keptForms.keep(viewer, form, { message: field === null ? `${message} ${next}` : message, field });
}

/** The status of an error that the HTTP server itself found; null for every other error. */
function statusIn(error: unknown): number | null {
  if (!(error instanceof Error) || error instanceof PaybatchError || !('statusCode' in error)) return null;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : null;
}

function messageOf(status: number): string {
  switch (status) {
    case 403:
      return 'The form is not one of this session any more: nothing was done.';
    case 413:
      return 'That is larger than it may be.';
    case 429:
      return 'That was tried too often: wait a minute.';
    default:
      return 'The request cannot be understood.';
  }
}

/** Sends a file to be saved under this name. */
export function sendFile(
  reply: FastifyReply,
  name: string,
  type: string,
  content: string | Readable,
): FastifyReply {
  return reply
    .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
    .type(type)
    .send(content);
}

/** The type of a CSV file. */
export const csvType = 'text/csv; charset=utf-8';

/* Tables of pages as CSV. A parameter of any page's address requests one of the page's tables. */

/** The id of the table of its page that a request asks for; null if it asks for the page. */
export function tableAskedFor({ method, url }: FastifyRequest): string | null {
  return method === 'GET' ? new URLSearchParams(url.split('?', 2)[1] ?? '').get(csvParameter) : null;
}

/**
 * Sends a table of a page as a file.
 * @throws PageProblem if the page has no such table, or no longer has it
 */
export function sendTable(reply: FastifyReply, { title, content }: Page, id: string): FastifyReply {
  const table = tableIn(content, id);
  if (table === null)
    throw new PageProblem(404, 'The page has no such table.', 'Look at the page: it may be empty by now.');
  reply.header('cache-control', 'no-store');
  return sendFile(reply, csvFileName(title, table), csvType, csvOfTable(table));
}
