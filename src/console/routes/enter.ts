/* Entering a console without users, by the address that is printed at its start. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { fieldIn, type KeptForm, ownAddress, readKeptForm } from '../access/kept-form.ts';
import { type EntryToken, giveSession, type SessionsInFile } from '../access/sessions.ts';
import { keptFormPage } from '../pages/kept.ts';
import { closedDoorPage } from '../pages/layout.ts';
import type { Routes } from './context.ts';

/** A rate limit against guessed addresses. */
const seldom = { rateLimit: { max: 20, timeWindow: '1 minute' } };

/** The printed address, and the page for entering it after a session has ended. */
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
      return show(request, reply, (frame) => closedDoorPage(frame, { next, kept, isRefused: true }), 403);
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

  app.get<{ Querystring: { token?: string } }>('/enter', { config: seldom }, async (request, reply) =>
    enter(request, reply, { token: request.query.token ?? '', next: '/', kept: null }),
  );

  app.post('/enter', { config: seldom }, async (request, reply) => {
    const given = fieldIn(request.body, 'address').trim();
    return enter(request, reply, {
      token: /token=([\w-]+)/.exec(given)?.[1] ?? given,
      next: ownAddress(fieldIn(request.body, 'next')),
      kept: readKeptForm(fieldIn(request.body, 'kept')),
    });
  });
}
