/* Reconciling on a page. A person uploads the other side's files, and they are compared with the batch. */

import { type Html, html, section } from '../../account/report/page.ts';
import type { Question } from '../../call/context.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { countOf } from '../../domain/money/money.ts';
import { replayFigures } from '../../reconcile/batches/reconciliation.ts';
import { actorOf, type Viewer } from '../access/sessions.ts';
import { differencesAddress } from '../pages/differences.ts';
import { type Frame, liveNotice, type Page, uploadForm } from '../pages/layout.ts';
import { exportAddress } from '../pages/mapping-files.ts';
import { moment } from '../pages/table.ts';
import type { ConsoleCall } from '../under-way/calls.ts';
import { countOfDifferences } from '../under-way/difference-files.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { KeptReconciliation, ReconcileFields } from '../under-way/reconciliations.ts';
import { type At, batchOf, callAddress, type Routes, viewerOf } from './context.ts';
import { signInAddress } from './route-guard.ts';
import { filesOf } from './uploads.ts';

/** The maximum number of earlier reconciliations that are listed. */
const earlierShown = 5;

/** The pages of a reconciliation. */
export function reconcileRoutes(routes: Routes): void {
  const { app, show, engine, reconciliations } = routes;
  const find = (batch: string): Promise<BatchAccount> => batchOf(engine, batch);

  app.get<At<'batch'>>('/batches/:batch/reconcile', async (request, reply) => {
    const batch = await find(request.params.batch);
    const { kept: named } = request.query;
    const kept = named === undefined ? null : await waiting(routes, named, viewerOf(request));
    const earlier = await reconciliations.ofBatch(batch.id, earlierShown);
    return show(request, reply, (frame) => reconcilePage(frame, { batch, kept, earlier }));
  });

  app.post<At<'batch'>>('/batches/:batch/reconcile', async (request, reply) => {
    if (!request.isMultipart())
      throw new PageProblem(415, 'The form cannot be understood.', 'Load the page again.');
    const { viewer } = request;
    const named = request.params.batch;
    const form = new Map<string, string>();
    const arriving = filesOf(request, (name, value) => form.set(name, value));
    const arrived = await reconciliations.keep({ by: viewer?.name ?? null, batch: named }, arriving, () =>
      fieldsIn(form),
    );
    // The session ended during the upload. The files wait until a person signs in and sends the form again.
    if (viewer === null) {
      return reply.redirect(signInAddress(`/batches/${named}/reconcile?kept=${arrived.id}`), 303);
    }
    const asksFirst = form.get('do') === 'mapping';
    const address = await forgettingIfRefused(routes, arrived, async () => {
      const batch = await find(named);
      const before = form.get('kept');
      if (asksFirst) return askFirst(routes, arrived, before, viewer);
      if (before === undefined || arrived.files.length > 0)
        return callAddress(begin(routes, batch, arrived, viewer));
      const kept = await waiting(routes, before, viewer);
      await reconciliations.forget(arrived.id);
      // If the same form is sent twice, the second one leads to the call that the first one began.
      const again = { ...kept, fields: arrived.fields };
      return callAddress(routes.calls.underWayFor(kept.id) ?? begin(routes, batch, again, viewer));
    });
    return reply.redirect(address, 303);
  });
}

/**
 * Keeps the files of a form until a person has decided how they are read. @returns the address of the first question
 */
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

/** The kept content of a form whose reconciliation has not begun. @throws PageProblem */
export async function waiting(
  { reconciliations }: Routes,
  id: string,
  { name }: Viewer,
): Promise<KeptReconciliation> {
  const kept = await reconciliations.find(id);
  if (kept.by === null || (kept.by === name && kept.found === null)) return kept;
  throw new PageProblem(409, 'That was done already.', 'Look at the batch, or reconcile it again.');
}

/** Does work on kept files, and removes the files if the work is refused. */
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

function begin(
  { engine, calls, uploads, reconciliations, words }: Routes,
  { id, file }: BatchAccount,
  entry: KeptReconciliation,
  viewer: Viewer,
): ConsoleCall {
  const kept = { ...entry, by: viewer.name, batch: id };
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
    const wanted = { batch: id, against, rules, replay, ...(source === undefined ? {} : { source }) };
    const asked = { ...options, actor: actorOf(viewer), words, confirm: agreesToReplay };
    const result = await reconciliations.note(
      kept,
      async (onDifferences) => {
        const reconciled = await engine.reconcile({ ...wanted, onDifferences }, asked).result;
        await reconciliations.keepVerdicts(kept.id, reconciled.reconciliation.verdicts);
        return reconciled;
      },
      ({ reconciliation, recordedAs }) => ({
        recordedAs,
        account: reconciliation.account,
        sourceNote: reconciliation.sourceNote,
        comparison: reconciliation.compared?.figures ?? null,
        replay: replayFigures(reconciliation),
      }),
    );
    return { ...result, batches: [] };
  });
}

/** Agrees to a replay, because the person has ticked it on the page that explains it. */
function agreesToReplay({ kind }: Question): boolean {
  return kind === 'replay';
}

function fieldsIn(form: ReadonlyMap<string, string>): ReconcileFields {
  return {
    coversFrom: form.get('covers_from') ?? '',
    coversTo: form.get('covers_to') ?? '',
    replay: form.get('replay') === 'yes',
  };
}

/* The page where a batch is reconciled: with an export or a bank statement of the other side, or without one. */

/** The content of the form. */
interface ReconcilePage {
  readonly batch: BatchAccount;
  /** The kept request of a session that has ended, if it was not processed yet; null if none exists. */
  readonly kept: KeptReconciliation | null;
  /** The earlier results, the newest first. */
  readonly earlier: readonly KeptReconciliation[];
}

/** The form of a reconciliation. */
function reconcilePage(frame: Frame, { batch, kept, earlier }: ReconcilePage): Page {
  const { id, file, counts } = batch;
  const { unknown = 0 } = counts;
  const { coversFrom = '', coversTo = '', replay: isReplayed = false } = kept?.fields ?? {};
  const replay =
    unknown === 0
      ? null
      : html`<label class="choice"><input type="checkbox" name="replay" value="yes"${isReplayed ? html` checked` : null}> <span>First send ${countOf(unknown, 'row')} in doubt again, under ${unknown === 1 ? 'its own key' : 'their own keys'}: the API answers as it did the first time, and creates nothing twice.${liveNotice(frame, batch)}</span></label>`;
  return {
    title: `Reconcile ${file}`,
    part: '/batches',
    content: [
      html`<section><h2>Account for every row</h2>
<p>Every row is counted in exactly one status, the file that was uploaded is read again, and every answer is compared with what was sent.</p>
${uploadForm(
  frame,
  `/batches/${id}/reconcile`,
  html`${kept === null ? null : keptFiles(kept)}<div class="field"><label for="files">${kept === null || kept.files.length === 0 ? 'An export of the provider or a bank statement, to compare with' : 'Other files in place of these'}</label>
<p class="hint" id="files-hint">CSV, a workbook, MT940 or camt.053; several files are read as one. Leave it empty to compare with ${kept === null || kept.files.length === 0 ? 'nothing' : 'these'}.</p>
<input type="file" id="files" name="files" multiple aria-describedby="files-hint"></div>
<div class="filter"><div><label for="from">It covers days from</label><input type="date" id="from" name="covers_from" value="${coversFrom}"></div>
<div><label for="to">to</label><input type="date" id="to" name="covers_to" value="${coversTo}"></div></div>
<p class="hint">Say these days if a row that the export lacks is to count as a difference. Without them such rows are not judged.</p>
${replay}
<p class="hint">Its columns are recognised by their names and values, or as was said before for the same header. What is not certain is not compared, and the result says so.</p>
<div class="actions"><button>Reconcile</button> <button class="second" name="do" value="mapping">First say how the export is read</button> <a class="button second" href="/batches/${id}">Back to the batch</a></div>`,
)}</section>`,
      earlier.length === 0 ? null : earlierOnes(earlier),
    ],
  };
}

/**
 * The files that were uploaded before a session ended, or before a person decided how they are read. Nothing was done
 * with them yet.
 */
function keptFiles({ id, files }: KeptReconciliation): Html {
  const names = files.length === 0 ? null : html` Your files: ${files.map(({ name }) => name).join(', ')}.`;
  return html`<input type="hidden" name="kept" value="${id}">
<p role="status"><b>What you sent is kept, and nothing was done yet.</b>${names}</p>
`;
}

function earlierOnes(earlier: readonly KeptReconciliation[]): Html {
  const items = earlier.map(({ id, at, by, batch, files, found }) => {
    const count = found === null ? 0 : countOfDifferences(found.index, null);
    const what = files.length === 0 ? 'alone' : `with ${files.map(({ name }) => name).join(', ')}`;
    return html`<li>${moment(at)}<div><a href="/batches/${batch}/reconcile/${id}">${count === 0 ? 'No difference' : countOf(count, 'difference')}</a> <span class="soft">${what}${by === null ? '' : `, by ${by}`}</span></div></li>`;
  });
  return section('Earlier ones', html`<ol class="events">${items}</ol>`);
}
