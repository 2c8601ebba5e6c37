/* The page on which a person who may send can halt everything. */

import { html, section } from '../../account/report/page.ts';
import type { HaltResult } from '../../engine/halt.ts';
import { actorOf } from '../access/sessions.ts';
import { type Frame, form, type Page } from '../pages/layout.ts';
import { haltSection } from '../pages/worklist.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type At, type Routes, viewerOf } from './context.ts';

/** Shows the halt that is in force, or the form that halts everything. */
function haltPage(frame: Frame, { halt, inDoubt, liftedBy }: HaltResult): Page {
  const page = { title: 'Stop everything', part: '/halt' } as const;
  if (halt === null) {
    const fields = html`<div class="field"><label for="note">Why</label><input id="note" name="note" required maxlength="1000"></div>
<div class="actions"><button class="danger">Stop everything</button></div>`;
    return {
      ...page,
      content: section(
        'Nothing is stopped',
        html`<p>After this no run on any machine begins another request. What is in flight is finished and recorded. Only somebody who may change the policy lifts it.</p>${form(frame, '/halt', fields)}`,
      ),
    };
  }
  return { ...page, content: haltSection({ halt, inDoubt, liftedBy }) };
}

/** The routes for halting everything. */
export function haltRoutes({ app, engine, show }: Routes): void {
  app.get('/halt', async (request, reply) => {
    const standing = await engine.halt({}).result;
    return show(request, reply, (frame) => haltPage(frame, standing));
  });

  app.post<At>('/halt', async (request, reply) => {
    const note = (request.body['note'] ?? '').trim();
    if (note === '')
      throw new PageProblem(422, 'Everything is stopped with a note that says why.', 'Write one.', 'note');
    await engine.halt({ note }, { actor: actorOf(viewerOf(request)) }).result;
    return reply.redirect('/halt', 303);
  });
}
