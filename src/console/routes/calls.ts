/* Calls under way: their progress, and stopping them. */

import { isUnread } from '../../domain/failures/paybatch-error.ts';
import { pageHasChanged } from '../pages/assets.ts';
import { callPage, progressOf } from '../pages/call.ts';
import type { ConsoleCall } from '../under-way/calls.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { At, Routes } from './context.ts';

/** The pages of calls that were begun in this process. */
export function callRoutes({ app, show, part, calls, words }: Routes): void {
  const find = (id: string): ConsoleCall => {
    const call = calls.find(id);
    if (call !== undefined) return call;
    throw new PageProblem(
      404,
      'What was under way here is not known any more: the console was started anew since.',
      'Its batch tells its state, and can be continued.',
    );
  };

  app.get<At<'call'>>('/calls/:call', async (request, reply) => {
    const call = find(request.params.call);
    const target = readingOf(call) ?? targetOf(call);
    if (target !== null) return reply.redirect(target, 303);
    const isNewest = call.upload === undefined || calls.newestOf(call.upload) === call;
    const around = { words, nowInMs: performance.now(), isNewest };
    return show(request, reply, (frame) => callPage(frame, call, around));
  });

  const polling = { config: { isPolling: true } };
  app.get<At<'call'>>('/calls/:call/progress', polling, async (request, reply) => {
    const call = find(request.params.call);
    // The page that shows the call is reloaded after this status.
    if (call.end !== null) return reply.code(pageHasChanged).send();
    const tag = `"${call.revision}"`;
    reply.header('etag', tag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return part(request, reply, (frame) => progressOf(frame, call, performance.now()));
  });

  app.post<At<'call'>>('/calls/:call/stop', async (request, reply) => {
    const call = find(request.params.call);
    call.stop();
    return reply.redirect(call.batch === undefined ? `/calls/${call.id}` : `/batches/${call.batch}`, 303);
  });
}

/** The address for deciding how the only file of a check is read, if nothing else is unknown. */
function readingOf({ end, upload, files = [], isAgreed, isSending }: ConsoleCall): string | null {
  const failure = end?.failure ?? null;
  const isAsked = upload !== undefined && files.length === 1 && isAgreed !== true && isSending !== true;
  return isAsked && failure !== null && isUnread(failure) ? `/uploads/${upload}/mapping` : null;
}

/** The page that viewers of a call are led to: its only batch, once the call has completed. */
function targetOf({ end, batch, next }: ConsoleCall): string | null {
  if (batch !== undefined) return `/batches/${batch}`;
  if (end === null || end.failure !== null) return null;
  if (next !== undefined) return next;
  const [only, second] = end.batches;
  return only?.id == null || second !== undefined ? null : `/batches/${only.id}`;
}
