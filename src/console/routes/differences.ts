/*
 * The page and the CSV file of a reconciliation's differences, and the decisions about them: to accept them, to assign
 * them to a person, to open them again, or to turn them into verdicts.
 */

import { Readable } from 'node:stream';
import { differenceRecords } from '../../account/reconciliation/comparison.ts';
import {
  type DecisionRecord,
  fingerprintOf,
  type GivenDecision,
  mostFingerprints,
  needsVerdict,
} from '../../domain/batches/difference-decisions.ts';
import { countOf } from '../../domain/money/money.ts';
import { differenceKinds, type FoundDifference } from '../../domain/rows/row-state.ts';
import { actorOf, type Viewer } from '../access/sessions.ts';
import { differencesAddress, differencesOfAPage, differencesPage, tickName } from '../pages/differences.ts';
import { pageStepNames } from '../pages/page-words.ts';
import {
  type DifferenceFilter,
  type DifferenceIndex,
  differencesNow,
  filteredDifferences,
  type ShownDifference,
} from '../under-way/difference-files.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { FoundByReconciling, KeptReconciliation } from '../under-way/reconciliations.ts';
import {
  type At,
  batchOf,
  beginCall,
  callAddress,
  csvType,
  type Fields,
  type Routes,
  sendFile,
  viewerOf,
} from './context.ts';

/** The pages of the differences that a reconciliation has found. */
export function differenceRoutes(routes: Routes): void {
  const { app, show, engine, reconciliations } = routes;

  app.get<At<'batch' | 'found'>>('/batches/:batch/reconcile/:found', async (request, reply) => {
    const { kept, found } = await ended(routes, request.params);
    const { file } = await batchOf(engine, kept.batch);
    const [filter, page] = [filterIn(request.query['kind']), pageIn(request.query['page'])];
    const from = (page - 1) * differencesOfAPage;
    const { decisions } = await engine.differenceDecisions({ batch: kept.batch }).result;
    const folder = reconciliations.folderOf(kept.id);
    const asked = { filter, from, most: differencesOfAPage };
    const now = await differencesNow(folder, found.index, decisions, asked);
    const beside = await reconciliations.beside(kept);
    const people = await peopleFor(routes, decisions);
    return show(request, reply, (frame) =>
      differencesPage(frame, { kept, found, file, filter, page, now, beside, people, decisions }),
    );
  });

  app.post<At<'batch' | 'found'>>('/batches/:batch/reconcile/:found/decide', async (request, reply) => {
    const { kept, found } = await ended(routes, request.params);
    const { body: fields } = request;
    const onPage = { kept, found, filter: filterIn(fields['kind']), fields, viewer: viewerOf(request) };
    return reply.redirect(await decideOnPage(routes, onPage), 303);
  });

  app.get<At<'batch' | 'found'>>(
    '/batches/:batch/reconcile/:found/differences.csv',
    async (request, reply) => {
      const { kept, found } = await ended(routes, request.params);
      const { file } = await batchOf(engine, kept.batch);
      const filter = filterIn(request.query['kind']);
      const { decisions } = await engine.differenceDecisions({ batch: kept.batch }).result;
      const name = `${file.replace(/\.[^.]*$/, '')}.differences.csv`;
      const folder = reconciliations.folderOf(kept.id);
      const differences = filteredDifferences(folder, found.index, decisions, filter);
      return sendFile(reply, name, csvType, Readable.from(linesOf(found.index, differences)));
    },
  );
}

/** The users who are not locked, and other people to whom differences of the batch were assigned before. */
async function peopleFor(
  { engine }: Routes,
  decisions: readonly DecisionRecord[],
): Promise<readonly string[]> {
  const { users } = await engine.listUsers({}).result;
  const names = users.flatMap(({ name, state }) => (state === 'locked' ? [] : [name]));
  const others = decisions.flatMap(({ assignedTo }) => (assignedTo === null ? [] : [assignedTo]));
  return [...new Set([...names, ...others])].sort();
}

/** A complete reconciliation. @throws PageProblem if it does not exist or is not complete */
async function ended(
  { reconciliations }: Routes,
  { batch, found: id }: At<'batch' | 'found'>['Params'],
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

/** @throws PageProblem */
function filterIn(text: string | undefined): DifferenceFilter {
  if (text === undefined || text === '') return null;
  if (text === 'accepted') return text;
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

/** Differences as CSV. */
async function* linesOf(
  index: DifferenceIndex,
  differences: AsyncIterable<ShownDifference>,
): AsyncGenerator<string> {
  const records = differenceRecords(index.names, pageStepNames);
  yield records.header;
  for await (const { difference } of differences) yield records.line(difference);
}

/* Deciding about differences. */

/** A form about differences, and the reconciliation whose page has the form. */
interface DecidedOnPage {
  readonly kept: KeptReconciliation;
  readonly found: FoundByReconciling;
  readonly filter: DifferenceFilter;
  readonly fields: Fields;
  readonly viewer: Viewer;
}

/**
 * Carries out the decision in a form about differences. A form that is sent twice changes nothing the second time.
 * @returns the address to go to
 * @throws PageProblem for an incomplete form
 */
async function decideOnPage(routes: Routes, onPage: DecidedOnPage): Promise<string> {
  const { kept, filter, fields } = onPage;
  const { do: wanted = '' } = fields;
  const back = differencesAddress(kept, filter === 'accepted' ? null : filter);
  if (wanted === 'created') return decideAsCreated(routes, onPage, back);
  const decision = decisionIn(fields);
  const chosen = await chosenOf(routes, onPage, (shown) => isNew(shown, decision));
  if (chosen.length > 0) {
    const { engine } = routes;
    const call = { actor: actorOf(onPage.viewer) };
    await engine.decideDifferences({ batch: kept.batch, ...decision, differences: chosen }, call).result;
  }
  return back;
}

/** @throws PageProblem */
function decisionIn({ do: wanted, note = '', to = '' }: Fields): GivenDecision {
  const [reason, name] = [note.trim(), to.trim()];
  if (wanted === 'accept') {
    if (reason === '') throw incomplete('A difference is accepted with a note that says why.', 'note');
    return { decision: 'accepted', assignedTo: null, note: reason };
  }
  if (wanted === 'give') {
    if (name === '') throw incomplete('Say who is to look into it.', 'to');
    return { decision: 'assigned', assignedTo: name, note: reason };
  }
  if (wanted === 'reopen') return { decision: 'reopened', assignedTo: null, note: reason };
  throw incomplete('Nothing was chosen.');
}

/** Whether a decision changes anything about a difference. */
function isNew(
  { difference, decision: last }: ShownDifference,
  { decision, ...rest }: GivenDecision,
): boolean {
  if (decision === 'accepted') return !needsVerdict(difference) && last?.decision !== 'accepted';
  if (decision === 'reopened') return last !== null;
  return last?.decision !== decision || last.assignedTo !== rest.assignedTo || last.note !== rest.note;
}

/**
 * The differences to which a form applies: the ticked ones, or all differences under the page's filter.
 * @throws PageProblem if none is chosen, or if too many are chosen
 */
async function chosenOf(
  { engine, reconciliations }: Routes,
  { kept, found, filter, fields }: DecidedOnPage,
  isMeant: (shown: ShownDifference) => boolean,
): Promise<FoundDifference[]> {
  const isAboutAll = fields['which'] === 'all';
  const ticked = (difference: FoundDifference): boolean =>
    isAboutAll || fields[tickName(fingerprintOf(difference))] !== undefined;
  if (!isAboutAll && !Object.keys(fields).some((name) => name.startsWith(tickName(''))))
    throw incomplete('No difference was ticked.');
  const { decisions } = await engine.differenceDecisions({ batch: kept.batch }).result;
  const folder = reconciliations.folderOf(kept.id);
  const chosen: FoundDifference[] = [];
  // A person may have decided about ticked differences since the page was loaded.
  const shown = isAboutAll ? [filter] : ([null, 'accepted'] as const);
  for (const each of shown) {
    for await (const one of filteredDifferences(folder, found.index, decisions, each)) {
      if (!ticked(one.difference) || !isMeant(one)) continue;
      chosen.push(one.difference);
      if (chosen.length > mostFingerprints)
        throw incomplete(`These are more than ${mostFingerprints} differences.`);
    }
  }
  return chosen;
}

/** Records that rows in doubt were created, with the ids from the other side. @returns the address of the call */
async function decideAsCreated(routes: Routes, onPage: DecidedOnPage, back: string): Promise<string> {
  const { kept, fields, viewer } = onPage;
  const note = (fields['note'] ?? '').trim();
  const chosen = await chosenOf(routes, onPage, ({ difference }) => isCertain(difference));
  const rows = new Set(chosen.flatMap(({ row }) => (row === null ? [] : [row])));
  if (rows.size === 0) throw incomplete('None of these has an id that is certain.');
  const { engine, reconciliations } = routes;
  const subject = {
    title: `Deciding about ${countOf(rows.size, 'row')}`,
    back: { address: back, name: 'Back to the differences' },
    next: `/batches/${kept.batch}`,
  };
  const verdicts = { file: reconciliations.verdictsOf(kept.id), found: { rows, note } };
  return callAddress(
    beginCall(routes, { viewer }, subject, (asked) => engine.resolve({ batch: kept.batch, verdicts }, asked)),
  );
}

/** Whether a row in doubt needs a verdict, and the other side has its id for certain. */
function isCertain(difference: FoundDifference): boolean {
  return needsVerdict(difference) && difference.foundId !== null;
}

function incomplete(message: string, field: string | null = null): PageProblem {
  return new PageProblem(422, message, 'Choose what is meant.', field);
}
