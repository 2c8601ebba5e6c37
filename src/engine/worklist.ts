/* What needs a person today, over all batches. */

import { failedRunsOf } from '../account/read-accounts.ts';
import type { CallResult } from '../account/result.ts';
import { mayBeSent, type WorkSections, workSections } from '../account/worklist.ts';
import { keyLifetimeFor } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { readHaltInForce } from '../controls/halt-in-force.ts';
import type { ApprovalStanding, FailedRun } from '../domain/batches/batch-facts.ts';
import type { HaltInForce } from '../domain/controls/controls.ts';
import type { OpenWork } from '../ledger/after-sending/worklist.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** What needs a person. */
export interface Worklist extends CallResult, WorkSections {
  /** The stop of everything that is in force; null where there is none. */
  readonly halt: HaltInForce | null;
  /** Runs that failed without a batch. */
  readonly failedRuns: readonly FailedRun[];
}

/** Maximum of batches with open rows that are checked. */
const mostBatches = 500;

/** Maximum of those that are checked for missing approvals. */
const mostApprovals = 100;

/**
 * Returns what needs a person. Read only: nothing is sent or written.
 * @param request the number of lines in each section
 */
export async function worklistOf(app: CallContext, request: { readonly limit: number }): Promise<Worklist> {
  const told = { outcome: 'done', batches: [], failure: null } as const;
  const { limit } = request;
  const made = { limit, now: app.clock.now() };
  if (!app.connections.isLedgerThere()) {
    return { ...told, ...workSections(nothingOpen, new Map(), made), halt: null, failedRuns: [] };
  }
  const { verbs } = await app.connections.ledgerToRead();
  const work = await verbs.readOpenWork({
    batches: mostBatches,
    doubts: limit,
    keyLifetimeInMs: {
      live: keyLifetimeFor(app, 'live').durationInMs,
      sandbox: keyLifetimeFor(app, 'sandbox').durationInMs,
    },
  });
  const sections = workSections(work, await approvalsOf(verbs, work), made);
  const halt = await readHaltInForce(app, verbs);
  return { ...told, ...sections, halt, failedRuns: await failedRunsOf(verbs) };
}

const nothingOpen: OpenWork = {
  batches: [],
  isCutShort: false,
  doubts: [],
  moreDoubts: 0,
  runs: new Map(),
};

/** What the policy requires of the batches that have rows to send. */
async function approvalsOf(
  verbs: Pick<LedgerVerbs, 'readApprovals'>,
  { batches }: OpenWork,
): Promise<ReadonlyMap<string, ApprovalStanding>> {
  const asked = batches.filter(mayBeSent).slice(0, mostApprovals);
  return asked.length === 0 ? new Map() : verbs.readApprovals(asked.map(({ id }) => id));
}
