/*
 * Deciding about differences on their page: to accept them, to give them to somebody, to open them again, or to turn them
 * into verdicts.
 */

import {
  fingerprintOf,
  type GivenDecision,
  mostFingerprints,
  needsVerdict,
} from '../../domain/batches/difference-decisions.ts';
import { countOf } from '../../domain/money/money.ts';
import type { FoundDifference } from '../../domain/rows/row-state.ts';
import { actorOf, type Viewer } from '../access/sessions.ts';
import { differencesAddress, tickName } from '../pages/differences.ts';
import {
  type DifferenceFilter,
  filteredDifferences,
  type ShownDifference,
} from '../under-way/difference-files.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { FoundByReconciling, KeptReconciliation } from '../under-way/reconciliations.ts';
import { beginCall, callAddress, type Routes } from './context.ts';

type Fields = Readonly<Partial<Record<string, string>>>;

/** A form about differences, and the reconciliation of whose page it is. */
interface DecidedOnPage {
  readonly kept: KeptReconciliation;
  readonly found: FoundByReconciling;
  readonly filter: DifferenceFilter;
  readonly fields: Fields;
  readonly viewer: Viewer;
}

/**
 * Does what a form about differences asks for. A form that is sent twice finds nothing more to do.
 * @returns the address to go to
 * @throws PageProblem for a form that is not complete
 */
export async function decideOnPage(routes: Routes, given: DecidedOnPage): Promise<string> {
  const { kept, filter, fields } = given;
  const { do: wanted = '' } = fields;
  const back = differencesAddress(kept, filter === 'accepted' ? null : filter);
  if (wanted === 'created') return decideAsCreated(routes, given, back);
  const decision = decisionIn(fields);
  const chosen = await chosenOf(routes, given, (shown) => isNew(shown, decision));
  if (chosen.length > 0) {
    const { engine } = routes;
    const call = { actor: actorOf(given.viewer) };
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
 * The differences that a form is about: the ticked ones, or all that its page filters.
 * @throws PageProblem where none is chosen, or too many are
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
  // Those that are ticked may have been decided about since the page was loaded.
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

/** Records that rows in doubt were created, with the ids that the other side has. @returns the address of the call */
async function decideAsCreated(routes: Routes, given: DecidedOnPage, back: string): Promise<string> {
  const { kept, fields, viewer } = given;
  const note = (fields['note'] ?? '').trim();
  const chosen = await chosenOf(routes, given, ({ difference }) => isCertain(difference));
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

/** Whether the other side has the id of a row in doubt for certain. */
function isCertain(difference: FoundDifference): boolean {
  return needsVerdict(difference) && difference.foundId !== null;
}

function incomplete(message: string, field: string | null = null): PageProblem {
  return new PageProblem(422, message, 'Choose what is meant.', field);
}
