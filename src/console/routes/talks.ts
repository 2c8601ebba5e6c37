/*
 * The addresses of a dialogue about how a file is read. A dialogue belongs to one person, and is kept in this process
 * between requests.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { pageHasChanged } from '../pages/assets.ts';
import type { Frame, Notice, Page } from '../pages/layout.ts';
import { answerIn, type FormFields } from '../pages/mapping-answers.ts';
import { type AskedFile, lookingPage, waysAfterFailure } from '../pages/mapping-files.ts';
import { httpStatusOf } from '../under-way/failures.ts';
import type { BeginTalk, MappingTalk, OpenQuestion } from '../under-way/mapping-talk.ts';
import type { AgainWith, Said } from '../under-way/replies.ts';
import { type Routes, viewerOf } from './context.ts';

/* The sentences above a question. */

const tooLate = problem(
  'That question is not open any more: nothing was taken from your answer. This is what is asked now.',
);
const lookedAtAnew = problem(
  'This took so long that the file was looked at anew: nothing was taken from your last answer. What you answered before is kept.',
);
const begunAnew = problem('This took too long. Your answers were not kept, and the questions begin anew.');
const droppedAgain = note('This file is here already, and its questions are not answered yet: go on here.');
const readAnew = note('The file is read anew, so its questions begin anew.');

/** The notice about an answer that was not accepted, or that is lost. */
function problem(text: string): Notice {
  return { text, isProblem: true };
}

/** The notice about the result of something that the person did on another page. */
function note(text: string): Notice {
  return { text, isProblem: false };
}

/** The parameters of a request to one of a dialogue's addresses. */
export interface TalkRoute {
  readonly Params: Readonly<Record<string, string>>;
  readonly Querystring: Readonly<Record<string, string | undefined>>;
  readonly Body: FormFields;
}

export type TalkRequest = FastifyRequest<TalkRoute>;

/** The subject of the requests to a dialogue's addresses. */
interface TalkSubject<File extends AskedFile> {
  /** The path of the address, with the names of its parameters. */
  readonly path: string;
  /** The path of the file on this machine. */
  readonly pathOf: (file: File) => string;
  /** @throws PageProblem if the file does not exist */
  readonly fileOf: (request: TalkRequest) => Promise<File>;
  /** @param isAgain whether everything is asked again although a person agreed to it before */
  readonly begin: (request: TalkRequest, file: File, isAgain: boolean) => BeginTalk;
  readonly question: (frame: Frame, file: File, open: OpenQuestion, notice: Notice | null) => Page;
  /** Continues after a file without questions. @param name of the remembered mapping */
  readonly known: (
    request: TalkRequest,
    reply: FastifyReply,
    file: File,
    name: string | null,
  ) => Promise<FastifyReply>;
  /** Continues once a person has agreed to everything. */
  readonly agreed: (request: TalkRequest, reply: FastifyReply, file: File) => Promise<FastifyReply>;
  readonly failed: (frame: Frame, file: File, failure: PaybatchError) => Page;
  /** Called when a person has stopped the dialogue. */
  readonly stopped?: (request: TalkRequest, file: File) => Promise<void>;
  /** The address of the page after the dialogue was stopped. */
  readonly back: (file: File) => string;
}

/** The functions for further addresses of a dialogue. */
interface TalkAddresses<File> {
  /** The open dialogue about a file with the person who makes the request. */
  readonly find: (request: TalkRequest, file: File) => MappingTalk | undefined;
  /**
   * Passes a form's answer to its dialogue. If that question is no longer open, the open question is shown.
   * @param saidTo null if there is nothing to pass
   */
  readonly say: (
    request: TalkRequest,
    reply: FastifyReply,
    saidTo: (open: OpenQuestion) => Said | null,
  ) => Promise<FastifyReply>;
  /** Begins a dialogue again without its answers, and shows its first question with a notice about that. */
  readonly beginAnew: (request: TalkRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

/** Registers the addresses of dialogues: the open question, its answer, whether the question is ready, and the end. */
export function talkRoutes<File extends AskedFile>(
  { app, show, talks, calls }: Routes,
  subject: TalkSubject<File>,
): TalkAddresses<File> {
  const { path, fileOf } = subject;
  const keyOf = (request: TalkRequest, { address }: File): string =>
    JSON.stringify([address, viewerOf(request).name]);
  const find = (request: TalkRequest, file: File): MappingTalk | undefined =>
    talks.find(keyOf(request, file));
  const open = (request: TalkRequest, file: File, isAgain: boolean, again: AgainWith = {}): MappingTalk => {
    const { name, address } = file;
    const about = { by: viewerOf(request).name, name, address, path: subject.pathOf(file) };
    const begin = (isAsBefore: boolean): BeginTalk => subject.begin(request, file, isAsBefore);
    return talks.open(keyOf(request, file), { about, isAgain, changes: calls.changes, begin }, again);
  };

  /** Shows the state of a dialogue, or continues if it has ended. */
  const showTalk = async (
    request: TalkRequest,
    reply: FastifyReply,
    file: File,
    talk: MappingTalk,
    notice: Notice | null = null,
  ): Promise<FastifyReply> => {
    const state = await talk.settled();
    if (state.kind === 'working') return show(request, reply, lookingPage(file));
    if (state.kind === 'asking') {
      const isTaken = notice?.isProblem !== true && state.problem === null;
      const status = isTaken ? 200 : 409;
      return show(request, reply, (frame) => subject.question(frame, file, state, notice), status);
    }
    if (state.kind === 'failed') {
      const { failure } = state;
      const key = keyOf(request, file);
      talks.rest(key);
      const isKept = talks.hasAnswers(key);
      const page = (frame: Frame): Page => {
        const { content, ...own } = subject.failed(frame, file, failure);
        return { ...own, content: isKept ? [content, waysAfterFailure(frame, file)] : content };
      };
      return show(request, reply, page, httpStatusOf(failure));
    }
    talks.forget(keyOf(request, file));
    if (state.kind === 'known') return subject.known(request, reply, file, state.name);
    return subject.agreed(request, reply, file);
  };

  const say: TalkAddresses<File>['say'] = async (request, reply, saidTo) => {
    const file = await fileOf(request);
    const talk = find(request, file);
    if (talk === undefined) {
      const notice = talks.hasAnswers(keyOf(request, file)) ? lookedAtAnew : begunAnew;
      return showTalk(request, reply, file, open(request, file, false), notice);
    }
    const { state } = talk;
    const turn = Number(request.body['turn']);
    if (state.kind !== 'asking' || state.turn !== turn) return showTalk(request, reply, file, talk, tooLate);
    const said = saidTo(state);
    if (said === null) return reply.redirect(file.address, 303);
    if (!talk.say(turn, said)) return showTalk(request, reply, file, talk, tooLate);
    const next = await talk.settled();
    // The error of an impossible answer is shown directly. Reloading the page does not send the answer again.
    return next.kind === 'asking' && next.problem !== null
      ? showTalk(request, reply, file, talk)
      : reply.redirect(file.address, 303);
  };

  app.get<TalkRoute>(path, async (request, reply) => {
    const file = await fileOf(request);
    const isAgain = request.query['again'] === 'yes';
    const found = find(request, file);
    // Rows that were refused before something was sent may pass now. So they are counted again, with the same answers.
    const isOld = found?.state.kind === 'asking' && talks.isOld(keyOf(request, file), calls.changes);
    const talk = found === undefined || isOld ? open(request, file, isAgain) : found;
    const { dropped, read } = request.query;
    const notice = dropped === 'again' ? droppedAgain : read === 'anew' ? readAnew : null;
    return showTalk(request, reply, file, talk, notice);
  });

  app.get<TalkRoute>(`${path}/progress`, { config: { isPolling: true } }, async (request, reply) => {
    const talk = find(request, await fileOf(request));
    if (talk?.state.kind === 'working') return reply.code(204).send();
    return reply.code(pageHasChanged).send();
  });

  app.post<TalkRoute>(path, async (request, reply) =>
    say(request, reply, ({ question }) => ({
      answer: request.body['do'] === 'back' ? 'back' : answerIn(question, request.body),
    })),
  );

  app.post<TalkRoute>(`${path}/again`, async (request, reply) => {
    const file = await fileOf(request);
    const { without = '', change, turn } = request.query;
    if (change === undefined) {
      open(request, file, false, { without: { last: 1, all: Number.POSITIVE_INFINITY }[without] ?? 0 });
      return reply.redirect(file.address, 303);
    }
    const talk = find(request, file);
    // If the page is not the latest one, its answers may have other places by now.
    if (talk !== undefined && (talk.state.kind !== 'asking' || talk.state.turn !== Number(turn)))
      return showTalk(request, reply, file, talk, tooLate);
    open(request, file, false, { change: Number(change) });
    return reply.redirect(file.address, 303);
  });

  app.post<TalkRoute>(`${path}/stop`, async (request, reply) => {
    const file = await fileOf(request);
    talks.forget(keyOf(request, file));
    await subject.stopped?.(request, file);
    return reply.redirect(request.query['from'] === 'list' ? '/' : subject.back(file), 303);
  });

  const beginAnew: TalkAddresses<File>['beginAnew'] = async (request, reply) => {
    const file = await fileOf(request);
    open(request, file, false, { without: Number.POSITIVE_INFINITY });
    return reply.redirect(`${file.address}?read=anew`, 303);
  };

  return { find, say, beginAnew };
}
