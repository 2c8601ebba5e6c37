/* The pages of batches: lists, one batch, sending it and going on, and its files. */

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { SettingsOfCall } from '../../engine/engine.ts';
import { actorOf, type Viewer } from '../access/sessions.ts';
import { batchPage } from '../pages/batch.ts';
import { failureOf, progressOf } from '../pages/call.ts';
import { batchesPage, homePage } from '../pages/home.ts';
import { isDownloadName } from '../pages/parts.ts';
import type { ConsoleCall } from '../work/calls.ts';
import { PageProblem } from '../work/failures.ts';
import { type Routes, viewerOf } from './context.ts';

/** The pages of batches. */
export function batchRoutes(routes: Routes): void {
  const { app, show, engine, calls, words } = routes;

  app.get('/', async (request, reply) => {
    const { shown } = await engine.status({}).result;
    const batches = shown.kind === 'list' ? shown.batches : [];
    return show(request, reply, (frame) => homePage(frame, batches));
  });

  app.get('/batches', async (request, reply) => {
    const { shown } = await engine.status({}).result;
    return show(request, reply, batchesPage(shown.kind === 'list' ? shown.batches : []));
  });

  app.get<{ Params: { batch: string } }>('/batches/:batch', async (request, reply) => {
    const { batch, plan, changes } = await engine.overview({ batch: request.params.batch }).result;
    const call = calls.newestOn(batch.id);
    return show(request, reply, (frame) => {
      const progress = call?.end === null ? progressOf(frame, call, performance.now()) : null;
      const failure = call?.end?.failure ?? null;
      const problem = failure === null ? null : failureOf(frame, failure, null, words);
      return batchPage(frame, { batch, plan, changes, progress, problem });
    });
  });

  app.post<{ Params: { batch: string }; Body: { plan_hash?: string } }>(
    '/batches/:batch/send',
    async (request, reply) => {
      const { plan_hash: planHash = '' } = request.body;
      if (planHash === '')
        throw new PageProblem(422, 'The form names no plan.', 'Load the page of the batch again.');
      const call = await begin(routes, request.params.batch, viewerOf(request), 'Sending', (batch, options) =>
        engine.submit({ batch, planHash }, options),
      );
      return reply.redirect(`/calls/${call.id}`, 303);
    },
  );

  app.post<{ Params: { batch: string }; Querystring: { refused_alike?: string } }>(
    '/batches/:batch/resume',
    async (request, reply) => {
      const sending: SettingsOfCall =
        request.query.refused_alike === 'off' ? { sending: { refusedAlike: 'off' } } : {};
      const call = await begin(
        routes,
        request.params.batch,
        viewerOf(request),
        'Going on with',
        (batch, options) => engine.resume({ batch, ...sending }, options),
      );
      return reply.redirect(`/calls/${call.id}`, 303);
    },
  );

  app.post<{ Params: { batch: string } }>('/batches/:batch/retry', async (request, reply) => {
    const call = await begin(
      routes,
      request.params.batch,
      viewerOf(request),
      'Sending again',
      (batch, options) => engine.retry({ batch }, options),
    );
    return reply.redirect(`/calls/${call.id}`, 303);
  });

  app.get<{ Params: { batch: string; name: string } }>(
    '/batches/:batch/files/:name',
    async (request, reply) => {
      const { batch, name } = request.params;
      const { batch: view } = await engine.overview({ batch }).result;
      const path = isDownloadName(name) ? (view.files[name] ?? null) : null;
      if (path === null)
        throw new PageProblem(404, 'The batch has no such file.', 'Look at the page of the batch.');
      const file = basename(path);
      return reply
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file)}`)
        .type('application/octet-stream')
        .send(createReadStream(path));
    },
  );
}

type SendingCall = ReturnType<Routes['engine']['resume']>;

/** Begins a call that works on one batch. A second click finds the call that is under way, and begins no other. */
async function begin(
  { engine, calls, words }: Routes,
  named: string,
  viewer: Viewer,
  what: string,
  start: (batch: string, options: NonNullable<Parameters<Routes['engine']['resume']>[1]>) => SendingCall,
): Promise<ConsoleCall> {
  const { shown } = await engine.status({ batch: named }).result;
  if (shown.kind !== 'batch') throw new PaybatchError('batch_not_found', 'There is no such batch.', null);
  const { id, file } = shown.batch;
  return (
    calls.underWayOn(id) ??
    calls.begin(
      { title: `${what} ${file}`, batch: id, by: viewer.name },
      (options) => start(id, { ...options, actor: actorOf(viewer), words }).result,
    )
  );
}
