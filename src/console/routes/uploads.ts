/* Uploading files, checking them, and staging their rows. Nothing is sent yet. */

import Tokens from '@fastify/csrf';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { FileReadings } from '../../read/sources/stated-reading.ts';
import type { Viewer } from '../access/sessions.ts';
import type { ConsoleCall } from '../under-way/calls.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type ArrivingFile, filesText, hasSameContent } from '../under-way/kept-files.ts';
import type { OpenTalk } from '../under-way/mapping-talks.ts';
import type { Upload, UploadReading } from '../under-way/uploads.ts';
import {
  type At,
  beginCall,
  type CallOptions,
  type Fields,
  leadToCall,
  type Routes,
  viewerOf,
} from './context.ts';
import { signInAddress } from './route-guard.ts';

/** The routes of uploads. A file is checked once it has arrived, and again after each decision about how it is read. */
export function uploadRoutes(routes: Routes): void {
  const { app, uploads, talks } = routes;

  app.post('/uploads', async (request, reply) => {
    if (!request.isMultipart())
      throw new PageProblem(415, 'No file came with the form.', 'Choose a file, then upload it.');
    const { viewer } = request;
    const upload = await uploads.keep(viewer?.name ?? null, filesOf(request));
    // The session ended during the upload. The files wait until a person signs in.
    if (viewer === null) return reply.redirect(signInAddress(`/uploads/${upload.id}`), 303);
    const before = await askedAbout(upload, talks.of(viewer.name));
    if (before !== undefined) {
      await uploads.discard(upload);
      return reply.redirect(`${before.address}?dropped=again`, 303);
    }
    return leadToCall(reply, check(routes, upload, viewer));
  });

  app.post<At<'upload'>>('/uploads/:upload/check', async (request, reply) => {
    const found = await uploads.find(request.params.upload);
    const upload = await uploads.read(found, numberIn(request.query, found), readingIn(request.query));
    return leadToCall(reply, check(routes, upload, viewerOf(request)));
  });

  app.post<At<'upload'>>('/uploads/:upload/send', async (request, reply) => {
    const upload = await uploads.find(request.params.upload);
    const hashes = (request.body.plan_hashes ?? '').split(',');
    return leadToCall(reply, sendTogether(routes, upload, viewerOf(request), hashes));
  });

  app.get<At<'upload'>>('/uploads/:upload', async (request, reply) => {
    const viewer = viewerOf(request);
    const upload = await uploads.claim(await uploads.find(request.params.upload), viewer.name);
    const call = routes.calls.newestOf(upload.id) ?? check(routes, upload, viewer);
    return leadToCall(reply, call);
  });
}

/** The dialogue that asks a person about the content of the only file of an upload. */
async function askedAbout(
  { files: [file, ...others] }: Upload,
  talks: readonly OpenTalk[],
): Promise<OpenTalk | undefined> {
  if (file === undefined || others.length > 0) return undefined;
  for (const talk of talks) {
    if (talk.address.startsWith('/uploads/') && (await hasSameContent(talk.path, file.path))) return talk;
  }
  return undefined;
}

/**
 * Checks and stages the files of an upload, with the decisions about how they are read.
 * @param isAgreed whether a person has just decided how they are read
 */
export function check(routes: Routes, upload: Upload, viewer: Viewer, isAgreed = false): ConsoleCall {
  const { engine, uploads } = routes;
  const names = filesText(upload.files);
  const titles = { title: `Checking ${names}`, titleOfResult: `What the check of ${names} found` };
  const subject = { ...titles, upload: upload.id, files: upload.files, isAgreed };
  const noted = async (asked: CallOptions): ReturnType<typeof engine.plan>['result'] => {
    const planned = await engine.plan(requestOf(upload, upload.files.length > 1), asked).result;
    await uploads.noteBatches(
      upload.id,
      planned.batches.map(({ id }) => id),
    );
    return planned;
  };
  return beginCall(routes, { viewer }, subject, (asked) => ({ result: noted(asked) }));
}

/**
 * Sends the files of an upload, in the order of their dependencies.
 * @param agreed hashes of the plans that were shown
 */
function sendTogether(
  routes: Routes,
  upload: Upload,
  viewer: Viewer,
  agreed: readonly string[],
): ConsoleCall {
  const names = filesText(upload.files);
  const titles = { title: `Sending ${names}`, titleOfResult: `What was sent of ${names}` };
  const subject = { ...titles, upload: upload.id, files: upload.files, isSending: true };
  const request = { ...requestOf(upload, true), planHash: agreed };
  return beginCall(routes, { viewer }, subject, (asked) => routes.engine.import(request, asked));
}

/**
 * The files of a form. The first part is the CSRF token, and nothing is written before it was checked.
 * @throws PageProblem
 */
export async function* filesOf(
  request: FastifyRequest,
  onField: (name: string, value: string) => void = () => {},
): AsyncGenerator<ArrivingFile> {
  let isProven = false;
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      if (part.fieldname === '_csrf') {
        requireToken(request, String(part.value));
        isProven = true;
      } else onField(part.fieldname, String(part.value));
      continue;
    }
    if (!isProven) requireToken(request, '');
    if (isEmpty(part)) part.file.resume();
    else yield { name: part.filename, content: part.file };
  }
  if (!isProven) requireToken(request, '');
}

/** Whether a file is empty because none was chosen. A browser then sends a file without a name. */
function isEmpty({ filename }: MultipartFile): boolean {
  return filename === '';
}

const tokens = Tokens();

/**
 * Checks the token of a form with files. The plugin for forms answers a wrong token by itself, but at this point it has
 * not read the files of the request.
 */
function requireToken({ cookies }: FastifyRequest, token: string): void {
  if (tokens.verify(cookies['_csrf'] ?? '', token)) return;
  throw new PageProblem(
    403,
    'The form is not one of this session any more: nothing was uploaded.',
    'Load the page again, and upload the file from it.',
  );
}

/** The files of an upload, and how each is read, for the engine. */
function requestOf(
  { files }: Upload,
  skipRefused: boolean,
): { files: string[]; fileReadings: FileReadings; controls: { skipRefused: boolean } } {
  const fileReadings = Object.fromEntries(files.map(({ path, reading = {} }) => [path, reading]));
  return { files: files.map(({ path }) => path), fileReadings, controls: { skipRefused } };
}

/** The number of the file to which a button applies; null for all files. @throws PageProblem */
function numberIn({ file }: Fields, { files }: Upload): number | null {
  if (file === undefined) return null;
  const number = files.findIndex((_, at) => String(at + 1) === file) + 1;
  if (number > 0) return number;
  throw new PageProblem(404, 'The upload has no such file.', 'Upload the file again.');
}

/** The reading settings in a button's address. */
function readingIn(query: Fields): UploadReading {
  const { hidden, leaveOutNonRows, encoding, sheet, kind, acceptDrift } = query;
  return {
    ...(hidden === 'include' || hidden === 'skip' ? { hidden } : {}),
    ...(leaveOutNonRows === 'true' ? { leaveOutNonRows: true } : {}),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(kind === undefined ? {} : { kind }),
    ...(acceptDrift === undefined ? {} : { acceptDrift }),
  };
}
