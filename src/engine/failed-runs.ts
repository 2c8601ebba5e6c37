/* Runs that failed without a batch: a person who has seen one puts it away. */

import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import type { FailureToPutAway } from '../ledger/batches/failed-runs.ts';

/** Whether a failure was put away. */
interface PutAway extends CallResult {
  /** False where it was not listed any more. */
  readonly wasListed: boolean;
}

/** Takes a failure off the list. It is listed again if it fails again. */
export async function putAwayFailedRun(app: CallContext, which: FailureToPutAway): Promise<PutAway> {
  const { verbs } = await app.connections.ledger();
  const wasListed = await verbs.putAwayFailedRun(which, app.actor);
  return { outcome: 'done', batches: [], failure: null, wasListed };
}
