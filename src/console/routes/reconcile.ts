/* Reconciling on a page: the other side's files come in, and the differences are shown with both sides. */

import { Readable } from 'node:stream';
import { differenceRecords } from '../../account/reconciliation/difference-records.ts';
import type { Question } from '../../call/events.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type DifferenceKind, differenceKinds, type FoundDifference } from '../../domain/rows/difference.ts';
import { replayFigures } from '../../reconcile/batches/reconciliation.ts';
import { actorOf, type Viewer } from '../access/sessions.ts';
import { differencesAddress, differencesOfAPage, differencesPage } from '../pages/differences.ts';
import { exportAddress } from '../pages/export-mapping.ts';
import { reconcilePage } from '../pages/reconcile.ts';
import { pageStepNames } from '../pages/verdicts.ts';
import type { ConsoleCall } from '../under-way/calls.ts';
import { type DifferenceIndex, readDifferences } from '../under-way/difference-files.ts';
import { PageProblem } from '../under-way/failures.ts';
import type {
  FoundByReconciling,
  KeptReconciliation,
  ReconcileFields,
} from '../under-way/reconciliations.ts';
import { type Routes, viewerOf } from './context.ts';
import { signInAddress } from './doors.ts';
import { filesOf } from './uploads.ts';

type OfBatch = { readonly Params: { readonly batch: string } };
type OfReconciliation = {
  readonly Params: { readonly batch: string; readonly found: string };
  readonly Querystring: Readonly<Record<string, string | undefined>>;
};

/** So many earlier ones are named. */
const earlierShown = 5;

/** The pages of a reconciliation. */
export function reconcileRoutes(routes: Routes): void {
  const { app, show, engine, reconciliations } = routes;
  const find = async (batch: string): Promise<BatchAccount> => {
    const { shown } = await engine.status({ batch }).result;
    if (shown.kind !== 'batch') throw new PaybatchError('batch_not_found', 'There is no such batch.', null);
    return shown.batch;
  };

  app.get<OfBatch & { Querystring: { kept?: string } }>(
    '/batches/:batch/reconcile',
    async (request, reply) => {
      const batch = await find(request.params.batch);
      const { kept: named } = request.query;
      const kept = named === undefined ? null : await waiting(routes, named, viewerOf(request));
      const earlier = await reconciliations.ofBatch(batch.id, earlierShown);
      return show(request, reply, (frame) => reconcilePage(frame, { batch, kept, earlier }));
    },
  );

  app.post<OfBatch>('/batches/:batch/reconcile', async (request, reply) => {
    if (!request.isMultipart())
      throw new PageProblem(415, 'The form cannot be understood.', 'Load the page again.');
    const { viewer } = request;
    const named = request.params.batch;
    const given = new Map<string, string>();
    const arriving = filesOf(request, (name, value) => given.set(name, value));
    const arrived = await reconciliations.keep({ by: viewer?.name ?? null, batch: named }, arriving, () =>
      fieldsIn(given),
    );
    // The session ended while the files came: they wait for somebody to sign in, who then sends the form again.
    if (viewer === null) {
      return reply.redirect(signInAddress(`/batches/${named}/reconcile?kept=${arrived.id}`), 303);
    }
    const asksFirst = given.get('do') === 'mapping';
    const address = await forgettingIfRefused(routes, arrived, async () => {
      const batch = await find(named);
      const before = given.get('kept');
      if (asksFirst) return askFirst(routes, arrived, before, viewer);
      if (before === undefined || arrived.files.length > 0)
        return callAddress(begin(routes, batch, arrived, viewer));
      const kept = await waiting(routes, before, viewer);
      await reconciliations.forget(arrived.id);
      // The same form a second time leads to what the first has begun.
      const again = { ...kept, fields: arrived.fields };
      return callAddress(routes.calls.underWayFor(kept.id) ?? begin(routes, batch, again, viewer));
    });
    return reply.redirect(address, 303);
  });

  app.get<OfReconciliation>('/batches/:batch/reconcile/:found', async (request, reply) => {
    const { kept, found } = await ended(routes, request.params);
    const { file } = await find(kept.batch);
    const [kind, page] = [kindIn(request.query['kind']), pageIn(request.query['page'])];
    const from = (page - 1) * differencesOfAPage;
    const folder = reconciliations.folderOf(kept.id);
    const shown = await firstOf(readDifferences(folder, found.index, kind, from), differencesOfAPage);
    return show(request, reply, (frame) => differencesPage(frame, { kept, found, file, kind, page, shown }));
  });

  app.get<OfReconciliation>('/batches/:batch/reconcile/:found/differences.csv', async (request, reply) => {
    const { kept, found } = await ended(routes, request.params);
    const { file } = await find(kept.batch);
    const kind = kindIn(request.query['kind']);
    const name = `${file.replace(/\.[^.]*$/, '')}.differences.csv`;
    const folder = reconciliations.folderOf(kept.id);
    return reply
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
      .type('text/csv; charset=utf-8')
      .send(Readable.from(linesOf(folder, found.index, kind)));
  });
}

function callAddress({ id }: ConsoleCall): string {
  return `/calls/${id}`;
}

/** Keeps the files of a form until somebody has said how they are read. @returns the address of the first question */
async function askFirst(
  routes: Routes,
  arrived: KeptReconciliation,
  before: string | undefined,
  viewer: Viewer,
): Promise<string> {
  if (arrived.files.length > 0) return exportAddress(arrived, 1);
  const kept = before === undefined ? null : await waiting(routes, before, viewer);
  if (kept === null || kept.files.length === 0) {
    throw new PageProblem(422, 'No file came with the form.', 'Choose the export, then say how it is read.');
  }
  await routes.reconciliations.claim({ ...kept, by: viewer.name, fields: arrived.fields });
  await routes.reconciliations.forget(arrived.id);
  return exportAddress(kept, 1);
}

/** What came with a form, and was not begun since. @throws PageProblem */
export async function waiting(
  { reconciliations }: Routes,
  id: string,
  { name }: Viewer,
): Promise<KeptReconciliation> {
  const kept = await reconciliations.find(id);
  if (kept.by === null || (kept.by === name && kept.found === null)) return kept;
  throw new PageProblem(409, 'That was done already.', 'Look at the batch, or reconcile it again.');
}

/** Does something with what has come in, of which nothing is kept where it cannot be done. */
async function forgettingIfRefused<Result>(
  { reconciliations }: Routes,
  { id }: KeptReconciliation,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await reconciliations.forget(id);
    throw error;
  }
}

/** @throws PageProblem for one that is not there, or has not come to its end */
async function ended(
  { reconciliations }: Routes,
  { batch, found: id }: OfReconciliation['Params'],
): Promise<{ readonly kept: KeptReconciliation; readonly found: FoundByReconciling }> {
  const kept = await reconciliations.find(id);
  const { found } = kept;
  if (kept.batch !== batch) {
    throw new PageProblem(404, 'There is no such reconciliation.', 'Reconcile the batch again.');
  }
  if (found === null) {
    throw new PageProblem(
      404,
      'This reconciliation is under way, or did not come to its end.',
      'Look again in a while, or reconcile the batch again.',
    );
  }
  return { kept, found };
}

function begin(
  { engine, calls, uploads, reconciliations, words }: Routes,
  { id, file }: BatchAccount,
  given: KeptReconciliation,
  viewer: Viewer,
): ConsoleCall {
  const kept = { ...given, by: viewer.name, batch: id };
  const { coversFrom, coversTo, replay } = kept.fields;
  const rules = {
    ...(coversFrom === '' ? {} : { coversFrom }),
    ...(coversTo === '' ? {} : { coversTo }),
  };
  const against = kept.files.map(({ path }) => path);
  const back = { address: `/batches/${id}`, name: 'Back to the batch' };
  const next = differencesAddress(kept, null);
  const title = `Reconciling ${file}`;
  const subject = { title, back, next, files: kept.files, reconciliation: kept.id, by: viewer.name };
  return calls.begin(subject, async (options) => {
    await reconciliations.claim(kept);
    const source = await uploads.sourceOf(id, file);
    const given = { batch: id, against, rules, replay, ...(source === undefined ? {} : { source }) };
    const asked = { ...options, actor: actorOf(viewer), words, confirm: agreesToReplay };
    const result = await reconciliations.note(
      kept,
      (onDifferences) => engine.reconcile({ ...given, onDifferences }, asked).result,
      ({ reconciliation }) => ({
        account: reconciliation.account,
        sourceNote: reconciliation.sourceNote,
        comparison: reconciliation.compared?.figures ?? null,
        replay: replayFigures(reconciliation),
      }),
    );
    return { ...result, batches: [] };
  });
}

/** The person has ticked it on the page that says what it does. */
function agreesToReplay({ kind }: Question): boolean {
  return kind === 'replay';
}

function fieldsIn(given: ReadonlyMap<string, string>): ReconcileFields {
  return {
    coversFrom: given.get('covers_from') ?? '',
    coversTo: given.get('covers_to') ?? '',
    replay: given.get('replay') === 'yes',
  };
}

/** @throws PageProblem */
function kindIn(text: string | undefined): DifferenceKind | null {
  if (text === undefined || text === '') return null;
  const kind = differenceKinds.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new PageProblem(422, `"${text}" is no kind of difference.`, 'Choose one of those on the page.');
}

/** @throws PageProblem */
function pageIn(text: string | undefined): number {
  if (text === undefined) return 1;
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
  throw new PageProblem(422, `"${text}" is no page.`, 'Begin at the first page.');
}

async function firstOf(
  differences: AsyncIterable<FoundDifference>,
  most: number,
): Promise<readonly FoundDifference[]> {
  const first: FoundDifference[] = [];
  for await (const difference of differences) {
    first.push(difference);
    if (first.length >= most) break;
  }
  return first;
}

/** All differences of a kind, or of all kinds, as CSV. */
async function* linesOf(
  folder: string,
  index: DifferenceIndex,
  kind: DifferenceKind | null,
): AsyncGenerator<string> {
  const records = differenceRecords(index.names, pageStepNames);
  yield records.header;
  for await (const difference of readDifferences(folder, index, kind)) yield records.line(difference);
}
