/* People, for admins: who there is, a link to set a password, and locking somebody for good. */

import { sessionTokenOf } from '../access/cookie.ts';
import { actorOf } from '../access/sessions.ts';
import { linkPage, lockPage, usersPage } from '../pages/users.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type Routes, viewerOf } from './context.ts';

/** The pages of people. The engine asks for the session itself: a name alone makes no link, and locks nobody. */
export function userRoutes({ app, engine, show, origin }: Routes): void {
  app.get('/users', async (request, reply) => {
    const { users } = await engine.listAccess({}).result;
    return show(request, reply, (frame) => usersPage(frame, users, viewerOf(request).name));
  });

  app.post<{ Params: { name: string } }>('/users/:name/link', async (request, reply) => {
    const { name } = request.params;
    const session = sessionTokenOf(request) ?? '';
    const actor = actorOf(viewerOf(request));
    const { token, until } = await engine.inviteUser({ name, session }, { actor }).result;
    return show(request, reply, linkPage(name, `${origin()}/welcome?token=${token}`, until));
  });

  app.get<{ Params: { name: string } }>('/users/:name/lock', async (request, reply) => {
    const { name } = request.params;
    const { users } = await engine.listUsers({}).result;
    if (users.every((user) => user.name !== name)) {
      throw new PageProblem(404, 'There is no such user.', 'Look at the list of people.');
    }
    return show(request, reply, (frame) => lockPage(frame, name));
  });

  app.post<{ Params: { name: string } }>('/users/:name/lock', async (request, reply) => {
    const { name } = request.params;
    const session = sessionTokenOf(request) ?? '';
    await engine.lockUser({ name, session }, { actor: actorOf(viewerOf(request)) }).result;
    return reply.redirect('/users', 303);
  });
}
