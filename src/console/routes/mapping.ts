/*
 * A person decides how a file is read, question by question. The file is an uploaded one, which is then checked again,
 * or an export of the other side.
 */

import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { kinds } from '../../engine/choices.ts';
import type { TablePlace } from '../../propose/dialogue/reading-source.ts';
import { actorOf } from '../access/sessions.ts';
import { failureOf } from '../pages/call.ts';
import type { Frame, Notice, Page } from '../pages/layout.ts';
import { insteadOfReading, questionPage } from '../pages/mapping.ts';
import type { FormFields } from '../pages/mapping-answers.ts';
import {
  type AskedExport,
  type AskedFile,
  afterExport,
  chooseFilePage,
  exportAddress,
  knownExportPage,
  knownPage,
  type MappedFile,
  mappingAddress,
  stoppedAddress,
  stoppedPage,
  waitingAddress,
} from '../pages/mapping-files.ts';
import {
  type DialectPart,
  dialectChoices,
  isAboutPlace,
  statedIn,
  tablePage,
} from '../pages/mapping-table.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { ArrivingFile } from '../under-way/kept-files.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import type { KeptReconciliation } from '../under-way/reconciliations.ts';
import { type At, batchOf, leadToCall, type Routes, viewerOf } from './context.ts';
import { waiting } from './reconcile.ts';
import { type TalkRequest, type TalkRoute, talkRoutes } from './talks.ts';
import { check } from './uploads.ts';

/** The page of a question. A person chooses the place of the table among the first rows of the file. */
function pageOf(frame: Frame, file: AskedFile, open: OpenQuestion, notice: Notice | null): Page {
  const { question, table } = open;
  const shown = table?.grids.find(({ sheet }) => sheet === table.place.sheet);
  return table !== null && shown !== undefined && isAboutPlace(question)
    ? tablePage(frame, file, open, table, shown, notice)
    : questionPage(frame, file, open, notice, insteadOfReading());
}

/** The table that a form names. @throws PageProblem if it names none */
function placeIn({ table }: OpenQuestion, { sheet, row, two, kind }: FormFields): TablePlace {
  const grid = table?.grids[Number(sheet)];
  const wanted = kinds.find((name) => name === kind);
  if (grid === undefined || wanted === undefined) {
    throw new PageProblem(422, 'The form names no table.', 'Load the page again.');
  }
  const first = Number(row);
  return {
    sheet: grid.sheet,
    headerRows: two === 'yes' ? [first, first + 1] : [first],
    kind: wanted,
  };
}

/**
 * The properties of a file's characters that a form states.
 * @param before what was stated before; it may be a value that is not among the choices
 * @throws PageProblem if a value is none of the choices and was not stated before
 */
function dialectOf(
  { delimiter = '', encoding = '' }: FormFields,
  before: Partial<Record<DialectPart, string>>,
): Partial<Record<DialectPart, string>> {
  const isKnown = (part: DialectPart, value: string): boolean =>
    value === '' || value === before[part] || dialectChoices[part].some(({ id }) => id === value);
  if (!isKnown('delimiter', delimiter) || !isKnown('encoding', encoding)) {
    throw new PageProblem(422, 'The form names no such choice.', 'Load the page again.');
  }
  return {
    ...(delimiter === '' ? {} : { delimiter }),
    ...(encoding === '' ? {} : { encoding }),
  };
}

/** The path of a file, and its folder. Its mapping is written into this folder. */
function placeOf({ upload, number }: MappedFile): { readonly path: string; readonly folder: string } {
  const path = upload.files[number - 1]?.path ?? '';
  return { path, folder: dirname(path) };
}

const address = '/uploads/:upload/mapping/:file';

/** Registers the questions about how uploaded files are read. */
export function mappingRoutes(routes: Routes): void {
  const { app, show, engine, calls, uploads, words } = routes;

  const fileOf = async ({ params }: TalkRequest): Promise<MappedFile> => {
    const upload = await uploads.find(params['upload'] ?? '');
    const number = Number(params['file']);
    const file = upload.files[number - 1];
    if (file === undefined) {
      throw new PageProblem(404, 'The upload has no such file.', 'Upload the file again.');
    }
    const afterwards = 'Show what would be sent';
    const named = { upload, number, name: file.name, reading: file.reading ?? {}, afterwards };
    return { ...named, address: mappingAddress(named) };
  };

  const { find, say, beginAnew } = talkRoutes<MappedFile>(routes, {
    path: address,
    fileOf,
    pathOf: (file) => placeOf(file).path,
    begin: (request, file, isAgain) => {
      const { path, folder } = placeOf(file);
      const actor = actorOf(viewerOf(request));
      return ({ lead, put, report }) =>
        engine.agreeOnMapping(
          { file: path, folder, lead, put, again: { edit: isAgain }, reading: file.reading },
          { actor, words, report },
        ).result;
    },
    question: pageOf,
    known: async (request, reply, file, name) => {
      const call = calls.newestOf(file.upload.id);
      // The browser may not have received the answer that led to the call.
      if (call?.isAgreed === true && (call.end?.failure ?? null) === null)
        return reply.redirect(`/calls/${call.id}`, 303);
      return show(request, reply, (frame) => knownPage(frame, file, name));
    },
    agreed: async (request, reply, file) => {
      const upload = await uploads.readAsMapped(file.upload, file.number);
      return leadToCall(reply, check(routes, upload, viewerOf(request), true));
    },
    failed: (frame, { upload: { id, files } }, failure) => ({
      title: 'The file cannot be read',
      content: failureOf(frame, failure, { upload: id, files }, words),
    }),
    // If the person stops the dialogue, this is no failure.
    stopped: async (request, { name }) => {
      const call = { actor: actorOf(viewerOf(request)) };
      await engine.putAwayFailedRun({ upload: name }, call).result;
    },
    back: stoppedAddress,
  });

  app.get<TalkRoute>('/uploads/:upload/mapping', async (request, reply) => {
    const upload = await uploads.find(request.params['upload'] ?? '');
    const isAgain = request.query['again'] === 'yes';
    if (upload.files.length > 1) return show(request, reply, chooseFilePage(upload, isAgain));
    return reply.redirect(`${mappingAddress({ upload, number: 1 })}${isAgain ? '?again=yes' : ''}`, 303);
  });

  app.get<At<'batch'>>('/batches/:batch/mapping', async (request, reply) => {
    const batch = await batchOf(engine, request.params.batch);
    const [upload] = await uploads.ofBatch(batch.id);
    if (upload === undefined) {
      throw new PageProblem(
        404,
        `${batch.file} was not uploaded here, or is not kept any more.`,
        'Upload it again; then say how it is read.',
      );
    }
    const at = upload.files.findIndex(({ name }) => name === batch.file);
    return reply.redirect(`${mappingAddress({ upload, number: Math.max(0, at) + 1 })}?again=yes`, 303);
  });

  app.get<TalkRoute>(`${address}/stopped`, async (request, reply) => {
    const file = await fileOf(request);
    return show(request, reply, (frame) => stoppedPage(frame, file));
  });

  app.get<TalkRoute>(`${address}/table`, async (request, reply) => {
    const file = await fileOf(request);
    const talk = find(request, file);
    const state = await talk?.settled();
    if (state?.kind !== 'asking' || state.table === null) return reply.redirect(file.address, 303);
    const { table } = state;
    const shown =
      table.grids[Number(request.query['sheet'])] ??
      table.grids.find(({ sheet }) => sheet === table.place.sheet) ??
      table.grids[0];
    if (shown === undefined) return reply.redirect(file.address, 303);
    return show(request, reply, (frame) => tablePage(frame, file, state, table, shown));
  });

  app.post<TalkRoute>(`${address}/table`, async (request, reply) =>
    say(request, reply, (open) => {
      const place = placeIn(open, request.body);
      const isRead = isDeepStrictEqual(place, open.table?.place);
      if (!isRead) return { readFrom: place };
      return isAboutPlace(open.question) ? { answer: 'accept' } : null;
    }),
  );

  app.post<TalkRoute>(`${address}/dialect`, async (request, reply) => {
    const file = await fileOf(request);
    const state = find(request, file)?.state;
    const before = state?.kind === 'asking' ? statedIn(state.dialect) : {};
    const dialect = dialectOf(request.body, before);
    if (isDeepStrictEqual(dialect, before)) return reply.redirect(file.address, 303);
    await uploads.readInDialect(file.upload, file.number, dialect);
    return beginAnew(request, reply);
  });
}

/**
 * Registers the questions about how the files of a reconciliation are read. The agreed mapping is remembered for the
 * header.
 */
export function exportMappingRoutes(routes: Routes): void {
  const { app, engine, reconciliations, show, words } = routes;

  talkRoutes<AskedExport>(routes, {
    path: '/batches/:batch/reconcile/:found/mapping/:file',
    pathOf: ({ kept, number }) => kept.files[number - 1]?.path ?? '',
    fileOf: async (request) => {
      const kept = await waiting(routes, request.params['found'] ?? '', viewerOf(request));
      return askedExport(kept, request.params);
    },
    begin: (request, { kept, number }, again) => {
      const file = kept.files[number - 1]?.path ?? '';
      const actor = actorOf(viewerOf(request));
      return ({ lead, put, report }) =>
        engine.agreeOnExportMapping(
          { file, batch: kept.batch, folder: dirname(file), lead, put, again },
          { actor, words, report },
        ).result;
    },
    question: questionPage,
    known: async (request, reply, file, name) => show(request, reply, knownExportPage(file, name)),
    agreed: async (_, reply, file) => reply.redirect(afterExport(file), 303),
    failed: (frame, file, failure) => ({
      title: `The columns of ${file.name} cannot be read`,
      content: failureOf(frame, failure, { files: file.kept.files }, words),
    }),
    back: ({ kept }) => waitingAddress(kept),
  });

  app.post<TalkRoute>('/batches/:batch/reconcile/:found/again/:file', async (request, reply) => {
    const before = await reconciliations.find(request.params['found'] ?? '');
    const { number } = askedExport(before, request.params);
    const { batch, fields } = before;
    const by = viewerOf(request).name;
    // The earlier result stays unchanged.
    const kept = await reconciliations.keep({ by, batch }, filesOf(before), () => ({
      ...fields,
      replay: false,
    }));
    return reply.redirect(`${exportAddress(kept, number)}?again=yes`, 303);
  });
}

/** @throws PageProblem if a reconciliation has no such file */
function askedExport(kept: KeptReconciliation, { batch, file }: TalkRoute['Params']): AskedExport {
  const number = Number(file);
  const found = kept.files[number - 1];
  if (found === undefined || kept.batch !== batch) {
    throw new PageProblem(404, 'The reconciliation has no such file.', 'Reconcile the batch again.');
  }
  const afterwards = 'Go on to reconciling';
  return { kept, number, name: found.name, address: exportAddress(kept, number), afterwards };
}

/** The files of a reconciliation, in the form in which they can be kept again. */
async function* filesOf({ files }: KeptReconciliation): AsyncGenerator<ArrivingFile> {
  for (const { name, path } of files) yield { name, content: createReadStream(path) };
}
