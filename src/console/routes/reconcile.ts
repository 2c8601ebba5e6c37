/* Reconciling on a page: the other side's files come in, and the differences are shown. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { reportSections } from '../../engine/reconciling/report.ts';
import type { Question } from '../../engine/running/events.ts';
import type { BatchView } from '../../engine/status/batch-view.ts';
import { actorOf } from '../access/sessions.ts';
import { reconcilePage } from '../pages/reconcile.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type Routes, viewerOf } from './context.ts';
import { filesOf } from './uploads.ts';

/** The pages of a reconciliation. */
export function reconcileRoutes({ app, show, engine, calls, uploads, words }: Routes): void {
  const find = async (batch: string): Promise<BatchView> => {
    const { shown } = await engine.status({ batch }).result;
    if (shown.kind !== 'batch') throw new PaybatchError('batch_not_found', 'There is no such batch.', null);
    return shown.batch;
  };

  app.get<{ Params: { batch: string } }>('/batches/:batch/reconcile', async (request, reply) => {
    const batch = await find(request.params.batch);
    return show(request, reply, (frame) => reconcilePage(frame, batch));
  });

  app.post<{ Params: { batch: string } }>('/batches/:batch/reconcile', async (request, reply) => {
    if (!request.isMultipart())
      throw new PageProblem(415, 'The form cannot be understood.', 'Load the page again.');
    const viewer = viewerOf(request);
    const { id, file } = await find(request.params.batch);
    const fields = new Map<string, string>();
    const kept = await uploads.keepBeside(filesOf(request, (name, value) => fields.set(name, value)));
    const source = await uploads.sourceOf(id, file);
    const [coversFrom, coversTo] = [fields.get('covers_from') ?? '', fields.get('covers_to') ?? ''];
    const against = kept.map(({ path }) => path);
    const rules = {
      ...(coversFrom === '' ? {} : { coversFrom }),
      ...(coversTo === '' ? {} : { coversTo }),
    };
    const replay = fields.get('replay') === 'yes';
    const back = { address: `/batches/${id}`, name: 'Back to the batch' };
    const call = calls.begin({ title: `Reconciling ${file}`, back, by: viewer.name }, async (options) => {
      const given = { batch: id, against, rules, replay, ...(source === undefined ? {} : { source }) };
      const asked = { ...options, actor: actorOf(viewer), words, confirm: agreesToReplay };
      const result = await engine.reconcile(given, asked).result;
      return { ...result, batches: [], sections: reportSections(result.reconciliation) };
    });
    return reply.redirect(`/calls/${call.id}`, 303);
  });
}

/** The person has ticked it on the page that says what it does. */
function agreesToReplay({ kind }: Question): boolean {
  return kind === 'replay';
}
