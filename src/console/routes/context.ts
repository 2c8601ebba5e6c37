/* The context of the console's routes: the engine, its calls under way, uploads, sessions, and how pages are sent. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../../account/report/page.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { Engine } from '../../engine/engine.ts';
import type { KeptForms } from '../access/kept-form.ts';
import type { Sessions, Viewer } from '../access/sessions.ts';
import type { Frame, Page } from '../pages/layout.ts';
import type { Calls } from '../under-way/calls.ts';
import type { Reconciliations } from '../under-way/reconciliations.ts';
import type { Uploads } from '../under-way/uploads.ts';

/** The parts of the console; each page takes what it needs. */
export interface ConsoleContext {
  readonly engine: Engine;
  readonly calls: Calls;
  readonly uploads: Uploads;
  readonly reconciliations: Reconciliations;
  readonly sessions: Sessions;
  /** The forms that were filled in before a session ended, for people who have signed in again. */
  readonly keptForms: KeptForms;
  /** The phrases for remedies in reports, for readers who use the console. */
  readonly words: Phrasebook;
  /** Whether people sign in; without users there is only the person who started the console. */
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

/** The person who made a request; every request that reaches a route has one. */
export function viewerOf({ viewer }: FastifyRequest): Viewer {
  if (viewer === null) throw new Error('a route was reached without a session');
  return viewer;
}
