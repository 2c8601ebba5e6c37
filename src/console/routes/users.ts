/* Users, for admins: the list, a link to set a password, and locking a user permanently. */

import { type Html, html } from '../../account/report/page.ts';
import { actions, secondOf } from '../../account/table.ts';
import type { UserAccess } from '../../engine/sign-in.ts';
import { actorOf, sessionTokenOf } from '../access/sessions.ts';
import { type Frame, form, type Page } from '../pages/layout.ts';
import { action } from '../pages/remedies.ts';
import { drawnCell, moment, tableView } from '../pages/table.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type At, type Routes, viewerOf } from './context.ts';

/* The pages of users: the list, a link to set a password, and locking a user permanently. */

const states = {
  active: 'active',
  waiting: 'waits for approvals',
  unnamed: 'no policy names this approver yet',
  locked: 'locked',
} as const;

/** The users of the ledger. @param self the viewer's name */
function usersPage(frame: Frame, users: readonly UserAccess[], self: string): Page {
  const table = tableView({
    title: 'People',
    columns: ['Name', 'Role', 'State', 'Password', 'Last signed in', actions],
    rows: users.map((user) => [
      user.name,
      user.role,
      states[user.state],
      drawnCell(passwordOf(user), passwordText(user)),
      user.signedInAt === null ? null : { time: user.signedInAt },
      drawnCell(actionsOf(frame, user, self)),
    ]),
  });
  return {
    title: 'People',
    part: '/users',
    content: [
      table,
      html`<section><h2>Adding somebody</h2>
<p>Each person has a key of their own, which is made where paybatch is installed:</p>
<pre>paybatch user add NAME --role maker</pre>
<p>Then the person is listed here, and gets a link to set a password.</p></section>`,
    ],
  };
}

function passwordOf({ passwordSince, linkUntil }: UserAccess): Html {
  const link = linkUntil === null ? null : html` A link waits until ${moment(linkUntil)}.`;
  return passwordSince === null
    ? html`<div>none yet.${link}</div>`
    : html`<div>since ${moment(passwordSince)}.${link}</div>`;
}

function passwordText({ passwordSince, linkUntil }: UserAccess): string {
  const link = linkUntil === null ? '' : ` A link waits until ${secondOf(linkUntil)}.`;
  return passwordSince === null ? `none yet.${link}` : `since ${secondOf(passwordSince)}.${link}`;
}

function actionsOf(frame: Frame, { name, state, passwordSince }: UserAccess, self: string): Html | null {
  if (state === 'locked') return null;
  const label = passwordSince === null ? 'Make a link' : 'Make a link for a new password';
  return html`<div class="actions">${action(frame, `/users/${name}/link`, label, 'second')}
${name === self ? null : html`<a class="button second" href="/users/${name}/lock">Lock</a>`}</div>`;
}

/** The page of a new link. The link is shown only once. */
function linkPage(user: string, link: string, until: string): Page {
  return {
    title: `A link for ${user}`,
    part: '/users',
    content: html`<section class="note"><p>With this address ${user} sets a password. It works once, until ${moment(until)}, and is shown only now:</p>
<pre>${link}</pre>
<p>Anyone who has it can sign in as ${user}. Give it only to ${user}, in a way that no one else can read.</p>
<p><a href="/users">To the list of people</a></p></section>`,
  };
}

/** The page that asks for confirmation before a user is locked. */
function lockPage(frame: Frame, name: string): Page {
  const address = `/users/${name}/lock`;
  const buttons = html`<div class="actions"><button class="danger">Lock ${name} for good</button>
<a class="button second" href="/users">No, go back</a></div>`;
  return {
    title: `Lock ${name}`,
    part: '/users',
    content: html`<section class="problem"><p class="headline">A locked user stays locked.</p>
<p>The sessions of ${name} end at once. Approvals of ${name} do not count any more. The name is never given again.</p>
${form(frame, address, buttons)}</section>`,
  };
}

/**
 * The pages of users. The engine checks the session itself: a name alone is not enough to create a link or to lock a
 * user.
 */
export function userRoutes({ app, engine, show, origin }: Routes): void {
  app.get('/users', async (request, reply) => {
    const { users } = await engine.listAccess({}).result;
    return show(request, reply, (frame) => usersPage(frame, users, viewerOf(request).name));
  });

  app.post<At<'name'>>('/users/:name/link', async (request, reply) => {
    const { name } = request.params;
    const session = sessionTokenOf(request) ?? '';
    const actor = actorOf(viewerOf(request));
    const { token, until } = await engine.inviteUser({ name, session }, { actor }).result;
    return show(request, reply, linkPage(name, `${origin()}/welcome?token=${token}`, until));
  });

  app.get<At<'name'>>('/users/:name/lock', async (request, reply) => {
    const { name } = request.params;
    const { users } = await engine.listUsers({}).result;
    if (users.every((user) => user.name !== name)) {
      throw new PageProblem(404, 'There is no such user.', 'Look at the list of people.');
    }
    return show(request, reply, (frame) => lockPage(frame, name));
  });

  app.post<At<'name'>>('/users/:name/lock', async (request, reply) => {
    const { name } = request.params;
    const session = sessionTokenOf(request) ?? '';
    await engine.lockUser({ name, session }, { actor: actorOf(viewerOf(request)) }).result;
    return reply.redirect('/users', 303);
  });
}
