/* A person says how an uploaded file is read: question by question, then the file is checked again. */

import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { kinds } from '../../engine/choices.ts';
import type { TablePlace } from '../../engine/mapping/session.ts';
import { actorOf } from '../access/sessions.ts';
import { failureOf } from '../pages/call.ts';
import type { Frame, Page } from '../pages/layout.ts';
import {
  chooseFilePage,
  isAboutPlace,
  knownPage,
  lookingPage,
  type MappedFile,
  mappingAddress,
  questionPage,
  tablePage,
} from '../pages/mapping.ts';
import { answerIn, type FormFields } from '../pages/mapping-answers.ts';
import { pageHasChanged } from '../pages/script.ts';
import { httpStatusOf, PageProblem } from '../under-way/failures.ts';
import { type MappingTalk, MappingTalks, type OpenQuestion, type Said } from '../under-way/mapping-talks.ts';
import { type Routes, viewerOf } from './context.ts';
import { check, stayed } from './uploads.ts';

type FileParams = { readonly Params: { readonly upload: string; readonly file: string } };
type Looking = FileParams & { readonly Querystring: Readonly<Record<string, string | undefined>> };
type Saying = FileParams & { readonly Body: FormFields };

const tooLate =
  'That question is not open any more: nothing was taken from your answer. This is what is asked now.';
const begunAnew =
  'The questions were not gone on with for a while, so nothing of your answers is kept. They begin anew.';

/** The page of a question: where the table stands is chosen among the first rows of the file. */
function pageOf(frame: Frame, file: MappedFile, open: OpenQuestion, notice: string | null): Page {
  const { question, table } = open;
  const shown = table?.grids.find(({ sheet }) => sheet === table.place.sheet);
  return table !== null && shown !== undefined && isAboutPlace(question)
    ? tablePage(frame, file, open, table, shown, notice)
    : questionPage(frame, file, open, notice);
}

/** The table that a form names. @throws PageProblem where it names none */
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

/** Where a file is kept: its mapping is written beside it. */
function placeOf({ upload, number }: MappedFile): { readonly path: string; readonly folder: string } {
  const path = upload.files[number - 1]?.path ?? '';
  return { path, folder: dirname(path) };
}

/** The questions about how files are read. A dialogue is one person's, and waits here between two requests. */
export function mappingRoutes(routes: Routes): void {
  const { app, show, engine, uploads, words } = routes;
  const talks = new MappingTalks();
  app.addHook('onClose', async () => talks.close());

  const fileOf = async ({ params }: FastifyRequest<FileParams>): Promise<MappedFile> => {
    const upload = await uploads.find(params.upload);
    const number = Number(params.file);
    const file = upload.files[number - 1];
    if (file === undefined) {
      throw new PageProblem(404, 'The upload has no such file.', 'Upload the file again.');
    }
    return { upload, number, name: file.name, reading: file.reading ?? {} };
  };

  const keyOf = (request: FastifyRequest, file: MappedFile): string =>
    JSON.stringify([file.upload.id, file.number, viewerOf(request).name]);

  const begin = (request: FastifyRequest, file: MappedFile, isAgain: boolean): MappingTalk =>
    talks.open(keyOf(request, file), ({ lead, put, report }) => {
      const { path, folder } = placeOf(file);
      return engine.agreeOnMapping(
        { file: path, folder, lead, put, again: { edit: isAgain }, reading: file.reading },
        { actor: actorOf(viewerOf(request)), words, report },
      ).result;
    });

  /** Shows where a dialogue stands; what has ended leads on. */
  const showTalk = async (
    request: FastifyRequest,
    reply: FastifyReply,
    file: MappedFile,
    talk: MappingTalk,
    notice: string | null = null,
  ): Promise<FastifyReply> => {
    const state = await talk.settled();
    switch (state.kind) {
      case 'working':
        return show(request, reply, lookingPage(file));
      case 'asking':
        return show(
          request,
          reply,
          (frame) => pageOf(frame, file, state, notice),
          notice === null && state.problem === null ? 200 : 409,
        );
      case 'known':
        talks.forget(keyOf(request, file));
        return show(request, reply, (frame) => knownPage(frame, file, state.name));
      case 'agreed': {
        talks.forget(keyOf(request, file));
        const upload = await uploads.readAsMapped(file.upload, file.number);
        return reply.redirect(`/calls/${check(routes, upload, viewerOf(request), true).id}`, 303);
      }
      case 'failed': {
        talks.forget(keyOf(request, file));
        const { failure } = state;
        return show(
          request,
          reply,
          (frame) => ({
            title: 'The file cannot be read',
            content: failureOf(frame, failure, { upload: file.upload.id, files: file.upload.files }, words),
          }),
          httpStatusOf(failure),
        );
      }
    }
  };

  app.get<Looking>('/uploads/:upload/mapping', async (request, reply) => {
    const upload = await uploads.find(request.params.upload);
    const isAgain = request.query['again'] === 'yes';
    if (upload.files.length > 1) return show(request, reply, chooseFilePage(upload, isAgain));
    return reply.redirect(`${mappingAddress({ upload, number: 1 })}${isAgain ? '?again=yes' : ''}`, 303);
  });

  app.get<{ Params: { batch: string } }>('/batches/:batch/mapping', async (request, reply) => {
    const { batch } = await engine.overview({ batch: request.params.batch }).result;
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

  app.get<Looking>('/uploads/:upload/mapping/:file', async (request, reply) => {
    const file = await fileOf(request);
    const open = talks.find(keyOf(request, file));
    const talk = open ?? begin(request, file, request.query['again'] === 'yes');
    return showTalk(request, reply, file, talk);
  });

  app.get<FileParams>(
    '/uploads/:upload/mapping/:file/progress',
    { config: { isPolling: true } },
    async (request, reply) => {
      const talk = talks.find(keyOf(request, await fileOf(request)));
      if (talk?.state.kind === 'working') return reply.code(204).send();
      return reply.code(pageHasChanged).send();
    },
  );

  /**
   * Says something in the dialogue of the form; where that question is not open any more, what is open is shown.
   * @param saidTo null where there is nothing to say
   */
  const say = async (
    request: FastifyRequest<Saying>,
    reply: FastifyReply,
    saidTo: (open: OpenQuestion) => Said | null,
  ): Promise<FastifyReply> => {
    const file = await fileOf(request);
    const talk = talks.find(keyOf(request, file));
    if (talk === undefined) return showTalk(request, reply, file, begin(request, file, false), begunAnew);
    const { state } = talk;
    const turn = Number(request.body['turn']);
    if (state.kind !== 'asking' || state.turn !== turn) return showTalk(request, reply, file, talk, tooLate);
    const said = saidTo(state);
    if (said === null) return reply.redirect(mappingAddress(file), 303);
    if (!talk.say(turn, said)) return showTalk(request, reply, file, talk, tooLate);
    const next = await talk.settled();
    // What is not possible is shown at once: loading the page again does not send it again.
    return next.kind === 'asking' && next.problem !== null
      ? showTalk(request, reply, file, talk)
      : reply.redirect(mappingAddress(file), 303);
  };

  app.post<Saying>('/uploads/:upload/mapping/:file', async (request, reply) =>
    say(request, reply, ({ question }) => ({
      answer: request.body['do'] === 'back' ? 'back' : answerIn(question, request.body),
    })),
  );

  app.get<Looking>('/uploads/:upload/mapping/:file/table', async (request, reply) => {
    const file = await fileOf(request);
    const talk = talks.find(keyOf(request, file));
    const state = await talk?.settled();
    if (state?.kind !== 'asking' || state.table === null) return reply.redirect(mappingAddress(file), 303);
    const { table } = state;
    const shown =
      table.grids[Number(request.query['sheet'])] ??
      table.grids.find(({ sheet }) => sheet === table.place.sheet) ??
      table.grids[0];
    if (shown === undefined) return reply.redirect(mappingAddress(file), 303);
    return show(request, reply, (frame) => tablePage(frame, file, state, table, shown));
  });

  app.post<Saying>('/uploads/:upload/mapping/:file/table', async (request, reply) =>
    say(request, reply, (open) => {
      const place = placeIn(open, request.body);
      const isRead = isDeepStrictEqual(place, open.table?.place);
      if (!isRead) return { readFrom: place };
      return isAboutPlace(open.question) ? { answer: 'accept' } : null;
    }),
  );

  app.post<FileParams>('/uploads/:upload/mapping/:file/stop', async (request, reply) => {
    const file = await fileOf(request);
    talks.forget(keyOf(request, file));
    return reply.redirect(`/uploads/${file.upload.id}?${stayed}`, 303);
  });
}
