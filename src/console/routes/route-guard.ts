/*
 * Access control of the console: from which addresses requests are accepted, who may use which route, and how requests
 * without a session are handled.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import {
  fieldIn,
  type KeptForm,
  type KeptForms,
  keptField,
  keptForm,
  ownAddress,
} from '../access/kept-form.ts';
import type { OwnOrigins } from '../access/origin.ts';
import { mayUse, requireRights } from '../access/rights.ts';
import { sessionTokenOf } from '../access/sessions.ts';
import { problemPage, signInNeededPage } from '../pages/layout.ts';
import { signInPage } from '../pages/sign-in.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { ConsoleContext, ShowPage } from './context.ts';

/** The data with which every request is checked before its page is made. */
interface RequestChecks extends Pick<ConsoleContext, 'engine' | 'sessions'> {
  /** Resolves when the batches that a killed console was sending are under way again. */
  readonly isGoingOn: Promise<void>;
  readonly refusalOf: OwnOrigins['refusalOf'];
}

/** Refuses requests from other origins, and finds the person who makes the request. */
export function checkRequests(
  app: FastifyInstance,
  { engine, sessions, isGoingOn, refusalOf }: RequestChecks,
): void {
  app.decorateRequest('viewer', null);
  app.decorateRequest('unprovenKey', null);
  app.decorateRequest('isTimedOut', false);
  app.addHook('onRequest', async (request, reply) => {
    const { headers, method } = request;
    const fetchSite = headers['sec-fetch-site'];
    const refusal = refusalOf({
      method,
      host: headers.host,
      origin: headers.origin,
      fetchSite: Array.isArray(fetchSite) ? fetchSite[0] : fetchSite,
    });
    if (refusal !== null) {
      return reply
        .code(refusal === 'unknown_host' ? 421 : 403)
        .type('text/plain')
        .send(refusalTexts[refusal]);
    }
    await isGoingOn;
    const token = sessionTokenOf(request);
    if (token !== null && !request.url.startsWith('/assets/')) {
      const isActivity = request.routeOptions.config.isPolling !== true;
      Object.assign(request, await sessions.find(token, isActivity));
      if (engine.settings.api.mode === 'live' && request.viewer !== null)
        request.unprovenKey = await unprovenKeyIn(engine);
    }
    return undefined;
  });
}

const refusalTexts = {
  unknown_host: 'This console is not known under that name.',
  other_origin: 'What changes something has to come from a page of this console.',
} as const;

/**
 * The fingerprint of an unproven key. If the key cannot be read, no page fails, because each call reports this itself.
 */
async function unprovenKeyIn(engine: Engine): Promise<string | null> {
  return engine.unprovenKey({}).result.then(
    ({ unprovenKey }) => unprovenKey,
    () => null,
  );
}

/** The input of access control. */
interface RouteGuard {
  /** Whether people sign in here. */
  readonly hasUsers: boolean;
  readonly show: ShowPage;
  readonly keptForms: KeptForms;
}

/** The routes that keep files if the session ended before they arrived. Nothing else is done with these files. */
const filePaths: ReadonlySet<string> = new Set(['/uploads', '/batches/:batch/reconcile']);

/**
 * Guards the routes that are registered after this call. Each route requires a session, and a role that may use the
 * route. A route that is not in the list of rights cannot be registered.
 */
export function guardRoutes(inside: FastifyInstance, { hasUsers, show, keptForms }: RouteGuard): void {
  inside.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) requireRights(each, url);
  });
  inside.addHook('preHandler', async (request, reply) => {
    const { viewer, method } = request;
    // No name and no text of a page contains NUL, and no database accepts it.
    if (request.url.includes('%00')) {
      throw new PageProblem(400, 'The address cannot be understood.', 'Go back, and choose a link.');
    }
    if (viewer === null) {
      if (isLateUpload(request)) return undefined;
      return hasUsers ? askToSignIn(request, reply, show) : askToEnter(request, reply, show);
    }
    if (mayUse(viewer.role, method, request.routeOptions.url ?? '')) return undefined;
    return show(request, reply, notYours(viewer.role), 403);
  });
  inside.addHook('preHandler', async ({ body }) => keptForms.forget(fieldIn(body, keptField)));
  // Files are sent in many parts. Their route checks the token after it has read the first part.
  inside.addHook('preHandler', (request, reply, done) => {
    if (request.method !== 'POST' || request.isMultipart()) done();
    else inside.csrfProtection(request, reply, done);
  });
}

/**
 * Whether files arrive after their session has ended. Such files are kept, because finding them again may take the
 * person long.
 */
function isLateUpload(request: FastifyRequest): boolean {
  const { isTimedOut, method, routeOptions } = request;
  return isTimedOut && method === 'POST' && filePaths.has(routeOptions.url ?? '') && request.isMultipart();
}

/** Redirects to sign-in. A filled-in form is kept and shown again afterwards. */
function askToSignIn(request: FastifyRequest, reply: FastifyReply, show: ShowPage): FastifyReply {
  const { method, url, routeOptions } = request;
  // The polling page then reloads, and is redirected to sign-in.
  if (routeOptions.config.isPolling === true) return reply.code(401).send();
  if (method === 'GET' || method === 'HEAD') return reply.redirect(signInAddress(url), 303);
  const kept = keptOf(request);
  const notice =
    kept === null
      ? 'Please sign in. What you sent was not done.'
      : 'Your session has ended. What you filled in is kept: sign in, and you see it again.';
  return show(request, reply, (frame) => signInPage(frame, { next: '/', notice, kept }), 401);
}

/** The fields of a form whose session has ended, by timeout or by a changed password. */
function keptOf(request: FastifyRequest): KeptForm | null {
  const hadSession = request.isTimedOut || sessionTokenOf(request) !== null;
  return hadSession && !request.isMultipart() ? keptForm(request.url, request.body) : null;
}

/**
 * Asks for the entry address. Without users there is no password; instead the console prints an address when it starts.
 */
function askToEnter(request: FastifyRequest, reply: FastifyReply, show: ShowPage): FastifyReply {
  const { method, url, routeOptions } = request;
  if (routeOptions.config.isPolling === true) return reply.code(401).send();
  const isPage = method === 'GET' || method === 'HEAD';
  const way = { next: isPage ? ownAddress(url) : '/', kept: isPage ? null : keptOf(request) };
  return show(request, reply, (frame) => signInNeededPage(frame, way), 401);
}

/** The address of the sign-in page. After sign-in, the browser continues to the address in `next`. */
export function signInAddress(next: string): string {
  const own = ownAddress(next);
  return own === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(own)}`;
}

function notYours(role: string): ReturnType<typeof problemPage> {
  return problemPage(
    'Not yours',
    `The role ${role} may not do this: nothing was done.`,
    'Makers upload and send, approvers approve, admins manage people. Everybody may look at batches.',
  );
}
