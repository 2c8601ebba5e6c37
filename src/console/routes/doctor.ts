/* The page of checks. */

import { actorOf } from '../access/sessions.ts';
import { doctorPage, examiningPage } from '../pages/doctor.ts';
import { pageHasChanged } from '../pages/script.ts';
import { PatientWork } from '../under-way/patient-work.ts';
import { type Routes, viewerOf } from './context.ts';

/** The page of checks: looking at it checks. Whoever looks while somebody else's checks are under way sees those. */
export function doctorRoutes({ app, show, engine, words }: Routes): void {
  const examining = new PatientWork<Awaited<ReturnType<typeof engine.doctor>['result']>>();

  app.get('/doctor', async (request, reply) => {
    const call = { actor: actorOf(viewerOf(request)), words };
    const done = await examining.take(() => engine.doctor({}, call).result);
    if (done === null) return show(request, reply, examiningPage());
    const at = new Date().toISOString();
    return show(request, reply, (frame) => doctorPage(frame, { checks: done.checks, at }, words));
  });

  app.get('/doctor/progress', { config: { isPolling: true } }, async (_request, reply) =>
    reply.code(examining.isUnderWay() ? 204 : pageHasChanged).send(),
  );
}
