import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';

/** A failure that has not occurred again for this many days is not shown any more. */
const shown = { days: 14, limit: 50 } as const;

/**
 * Runs that failed without a batch, and that no later run has resolved, the last ones first. A refused file that does not
 * exist any more, as far as this machine can tell, needs no action.
 */
export async function failedRunsOf(
  verbs: Pick<LedgerVerbs, 'listFailedRuns'>,
): Promise<readonly FailedRun[]> {
  return (await verbs.listFailedRuns(shown)).filter((run) => !isGone(run));
}

function isGone({ file, host }: FailedRun): boolean {
  return file !== null && isAbsolute(file) && host === hostname() && !existsSync(file);
}
