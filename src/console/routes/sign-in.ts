/* The routes that need no session: signing in, setting a password, and entering a console without users. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { fieldIn, type KeptForm, ownAddress, readKeptForm } from '../access/kept-form.ts';
import { mayUseAddress } from '../access/rights.ts';
import { type EntryToken, giveSession, type SessionsInFile } from '../access/sessions.ts';
import { failureOf } from '../pages/call.ts';
import { signInNeededPage } from '../pages/layout.ts';
import { keptFormPage, refusedSignIn, signInPage, welcomePage } from '../pages/sign-in.ts';
import { httpStatusOf } from '../under-way/failures.ts';
import type { At, Routes } from './context.ts';

/* Entering a console without users, by the address that the console prints when it starts. */

/** A rate limit that prevents guessing of addresses. */
const seldom = { rateLimit: { max: 20, timeWindow: '1 minute' } };

/** The routes of the printed address, and of the page where it is entered after a session has ended. */
export function enterRoutes(
  { app, show, sessions, keptForms, isSecure }: Routes,
  { entry, owner }: { readonly entry: EntryToken; readonly owner: SessionsInFile },
): void {
  const enter = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { token, next, kept }: { readonly token: string; readonly next: string; readonly kept: KeptForm | null },
  ): Promise<FastifyReply> => {
    if (!entry.use(token)) {
      return show(request, reply, (frame) => signInNeededPage(frame, { next, kept, isRefused: true }), 403);
    }
    const own = await owner.begin();
    giveSession(reply, own, isSecure);
    if (kept === null) return reply.redirect(next, 303);
    const { viewer } = await sessions.find(own, true);
    request.viewer = viewer;
    const page = viewer === null ? null : keptForms.keep(viewer, kept);
    return page === null
      ? show(request, reply, (frame) => keptFormPage(frame, kept))
      : reply.redirect(page, 303);
  };

  app.get<At>('/enter', { config: seldom }, async (request, reply) =>
    enter(request, reply, { token: request.query.token ?? '', next: '/', kept: null }),
  );

  app.post('/enter', { config: seldom }, async (request, reply) => {
    const typed = fieldIn(request.body, 'address').trim();
    return enter(request, reply, {
      token: /token=([\w-]+)/.exec(typed)?.[1] ?? typed,
      next: ownAddress(fieldIn(request.body, 'next')),
      kept: readKeptForm(fieldIn(request.body, 'kept')),
    });
  });
}

/** The rate limit of this process for one IP address. The ledger has its own limits for wrong passwords. */
const often = { rateLimit: { max: 60, timeWindow: '1 minute' } };

/** The routes for signing in and for setting a password. */
export function signInRoutes({ app, engine, sessions, keptForms, show, words, isSecure }: Routes): void {
  protectForms(app);

  app.get<At>('/sign-in', { config: often }, async (request, reply) => {
    const next = ownAddress(request.query.next);
    if (request.viewer !== null) return reply.redirect(next, 303);
    const notice = noticeFor(next, request.isTimedOut);
    return show(request, reply, (frame) => signInPage(frame, { next, ...notice }));
  });

  app.post('/sign-in', { config: often }, async (request, reply) => {
    const [name, next] = [fieldIn(request.body, 'name').trim(), ownAddress(fieldIn(request.body, 'next'))];
    const kept = readKeptForm(fieldIn(request.body, 'kept'));
    const asked = { name, password: fieldIn(request.body, 'password'), address: request.ip };
    const { token, waitInMs } = await engine.signIn(asked).result;
    if (token === null) {
      const problem = refusedSignIn(waitInMs);
      const status = waitInMs > 0 ? 429 : 401;
      return show(request, reply, (frame) => signInPage(frame, { next, name, problem, kept }), status);
    }
    giveSession(reply, token, isSecure);
    const { viewer } = await sessions.find(token, true);
    if (kept === null || viewer === null || !mayUseAddress(viewer.role, 'POST', kept.action)) {
      return reply.redirect(next, 303);
    }
    const page = keptForms.keep(viewer, kept);
    if (page !== null) return reply.redirect(page, 303);
    request.viewer = viewer;
    return show(request, reply, (frame) => keptFormPage(frame, kept));
  });

  app.get<At>('/welcome', { config: often }, async (request, reply) => {
    const { token = '' } = request.query;
    const { link } = await engine.readPasswordLink({ token }).result;
    return show(request, reply, (frame) => welcomePage(frame, { user: link.user, token }));
  });

  app.post('/welcome', { config: often }, async (request, reply) => {
    const [token, password] = [fieldIn(request.body, 'token'), fieldIn(request.body, 'password')];
    const { link } = await engine.readPasswordLink({ token }).result;
    const again = (problem: string): FastifyReply =>
      show(request, reply, (frame) => welcomePage(frame, { user: link.user, token, problem }), 422);
    if (password !== fieldIn(request.body, 'again')) return again('The two passwords differ.');
    try {
      await engine.setPassword({ token, password }).result;
    } catch (error) {
      if (!(error instanceof PaybatchError)) throw error;
      if (error.code === 'password_weak') return again(error.message);
      const content = { title: 'That did not work' };
      return show(
        request,
        reply,
        (frame) => ({ ...content, content: failureOf(frame, error, null, words) }),
        httpStatusOf(error),
      );
    }
    const notice = 'Your password is set. Sign in with it.';
    return show(request, reply, (frame) => signInPage(frame, { next: '/', name: link.user, notice }));
  });
}

/** Shows a form with an invalid CSRF token again, because nothing was done with it yet. */
function protectForms(app: FastifyInstance): void {
  app.addHook('preHandler', (request: FastifyRequest, reply, done) => {
    if (request.method === 'POST') app.csrfProtection(request, reply, done);
    else done();
  });
}

function noticeFor(next: string, isTimedOut: boolean): { readonly notice?: string } {
  if (next.startsWith('/uploads/')) {
    return { notice: 'Your session has ended. Your files are kept: sign in, and they are checked.' };
  }
  if (/^\/batches\/[^/?]+\/reconcile\?kept=/.test(next)) {
    return { notice: 'Your session has ended. Your files are kept: sign in, and you see them again.' };
  }
  return isTimedOut ? { notice: 'Your session has ended. Sign in, and you go on where you were.' } : {};
}
