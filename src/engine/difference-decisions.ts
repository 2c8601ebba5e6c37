/*
 * People's decisions about the differences that a reconciliation has found: accepting them, assigning them to somebody,
 * reopening them.
 */

import { type CallResult, noBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import {
  type DecisionRecord,
  DecisionsInForce,
  decidedDifferences,
  fingerprintOf,
  type GivenDecision,
  mostFingerprints,
  needsVerdict,
} from '../domain/batches/difference-decisions.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { FoundDifference } from '../domain/rows/row-state.ts';
import type { DecidedGroup } from '../ledger/after-sending/reconciliations.ts';
import * as reconciliations from '../ledger/after-sending/reconciliations.ts';

/** One decision about differences of a batch, with the values that the person saw. */
interface DecideDifferencesRequest extends GivenDecision {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly differences: readonly FoundDifference[];
}

/** A decision that is recorded. */
interface DecideDifferencesResult extends CallResult {
  readonly decided: number;
}

const longestText = 500;
const differencesOfALine = 1_000;

/**
 * Records one decision, with one note, about all of these differences.
 * @throws PaybatchError (`decision_invalid`) for no difference or too many differences, if a difference about a row in
 *   doubt is to be accepted, if an acceptance has no note, and if an assignment has no name
 */
export async function decideDifferences(
  app: CallContext,
  request: DecideDifferencesRequest,
): Promise<DecideDifferencesResult> {
  const verbs = (await app.connections.ledger()).verbsWith(reconciliations);
  const { id } = await findNamedBatch(verbs, request.batch);
  const { decision, differences } = request;
  const note = request.note.trim();
  const assignedTo = request.assignedTo?.trim() ?? null;
  requireWhole({ ...request, note, assignedTo });
  const groups: DecidedGroup[] = [];
  const inForce = new DecisionsInForce(await verbs.listDifferenceDecisions(id));
  const before = (fingerprint: string): number =>
    decision === 'accepted' ? inForce.acceptedOf(fingerprint) : 0;
  const decided = decidedDifferences(differences, before);
  const seen = new Map(differences.map((each) => [fingerprintOf(each), each.values]));
  for (let from = 0; from < decided.length; from += differencesOfALine) {
    const part = decided.slice(from, from + differencesOfALine);
    const shown = part.map(({ fingerprint, kind, row }) => ({ kind, row, values: seen.get(fingerprint) }));
    groups.push({ differences: part, shown: JSON.stringify(shown) });
  }
  const by = { name: app.actor.name, channel: app.actor.channel };
  await verbs.addDifferenceDecisions(id, { decision, assignedTo, note }, by, groups);
  return { ...noBatches, decided: differences.length };
}

function requireWhole({ decision, assignedTo, note, differences }: DecideDifferencesRequest): void {
  if (differences.length === 0) throw invalid('No difference was named.', 'choose some');
  if (differences.length > mostFingerprints) {
    throw invalid(
      `More than ${mostFingerprints} differences would be decided about at once.`,
      'look for their common cause: the export may be read in another way',
    );
  }
  if (decision === 'accepted' && note === '')
    throw invalid('A difference is accepted with a note that says why.', 'write one');
  if ((decision === 'assigned') !== (assignedTo !== null && assignedTo !== ''))
    throw invalid('It takes a name to give a difference to somebody.', 'write one');
  if (note.length > longestText || (assignedTo?.length ?? 0) > longestText)
    throw invalid(`A note has at most ${longestText} characters.`, 'write a shorter one');
  const doubtful = decision === 'accepted' ? differences.find(needsVerdict) : undefined;
  if (doubtful === undefined) return;
  throw invalid(
    `Row ${doubtful.row} is in doubt: accepting a difference would not settle whether its object exists.`,
    'decide about the row',
  );
}

function invalid(message: string, text: string): PaybatchError {
  return new PaybatchError('decision_invalid', `${message} Nothing was changed.`, { action: 'advice', text });
}

/** The decisions about a batch's differences. */
interface DifferenceDecisionsResult extends CallResult {
  /** The oldest first. */
  readonly decisions: readonly DecisionRecord[];
}

/** The decisions about differences of a batch. */
export async function differenceDecisions(
  app: CallContext,
  request: { readonly batch: string },
): Promise<DifferenceDecisionsResult> {
  const verbs = (await app.connections.ledger()).verbsWith(reconciliations);
  const { id } = await findNamedBatch(verbs, request.batch);
  const decisions = await verbs.listDifferenceDecisions(id);
  return { ...noBatches, decisions };
}
