/* The doors of the console: who may come in, and what becomes of a request without a session. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  fieldIn,
  type KeptForm,
  type KeptForms,
  keptField,
  keptForm,
  ownAddress,
} from '../access/kept-form.ts';
import { mayUse, requireRights } from '../access/rights.ts';
import { sessionTokenOf } from '../access/sessions.ts';
import { closedDoorPage, problemPage } from '../pages/layout.ts';
import { signInPage } from '../pages/sign-in.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { ShowPage } from './context.ts';

/** What the doors need to know. */
interface Doors {
  /** Whether people sign in here. */
  readonly hasUsers: boolean;
  readonly show: ShowPage;
  readonly keptForms: KeptForms;
}

/** Where files go whose session ended before they came: they are kept, and nothing else is done. */
const filePaths: ReadonlySet<string> = new Set(['/uploads', '/batches/:batch/reconcile']);

/**
 * Guards the routes that are registered after this: each asks for a session, and for a role that may use it.
 * A route of which nobody has said who may use it is not registered.
 */
export function guardDoors(inside: FastifyInstance, { hasUsers, show, keptForms }: Doors): void {
  inside.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) requireRights(each, url);
  });
  inside.addHook('preHandler', async (request, reply) => {
    const { viewer, method } = request;
    // No name and no text of a page has it, and no database takes it.
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
  // Files come in many parts; their route checks the token when it has read the first part.
  inside.addHook('preHandler', (request, reply, done) => {
    if (request.method !== 'POST' || request.isMultipart()) done();
    else inside.csrfProtection(request, reply, done);
  });
}

/** Files that were on their way when the session ended are kept: its person may be looking for them for a long time. */
function isLateUpload(request: FastifyRequest): boolean {
  const { isTimedOut, method, routeOptions } = request;
  return isTimedOut && method === 'POST' && filePaths.has(routeOptions.url ?? '') && request.isMultipart();
}

/** Nothing that was filled in is lost: a form is carried along, and shown again. */
function askToSignIn(request: FastifyRequest, reply: FastifyReply, show: ShowPage): FastifyReply {
  const { method, url, routeOptions } = request;
  // The page that asks loads itself anew then, and is led to signing in.
  if (routeOptions.config.isPolling === true) return reply.code(401).send();
  if (method === 'GET' || method === 'HEAD') return reply.redirect(signInAddress(url), 303);
  const kept = keptOf(request);
  const notice =
    kept === null
      ? 'Please sign in. What you sent was not done.'
      : 'Your session has ended. What you filled in is kept: sign in, and you see it again.';
  return show(request, reply, (frame) => signInPage(frame, { next: '/', notice, kept }), 401);
}

/** What a form has filled in whose session has ended: by time, or since its person has another password. */
function keptOf(request: FastifyRequest): KeptForm | null {
  const hadSession = request.isTimedOut || sessionTokenOf(request) !== null;
  return hadSession && !request.isMultipart() ? keptForm(request.url, request.body) : null;
}

/** Without users there is no password, but an address that is printed where the console was started. */
function askToEnter(request: FastifyRequest, reply: FastifyReply, show: ShowPage): FastifyReply {
  const { method, url, routeOptions } = request;
  if (routeOptions.config.isPolling === true) return reply.code(401).send();
  const isPage = method === 'GET' || method === 'HEAD';
  const way = { next: isPage ? ownAddress(url) : '/', kept: isPage ? null : keptOf(request) };
  return show(request, reply, (frame) => closedDoorPage(frame, way), 401);
}

/** The page of signing in, from which one goes on to an address. */
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
