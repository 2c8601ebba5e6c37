import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';

/** What has not failed again for so many days is a matter of the past. */
const shown = { days: 14, limit: 50 } as const;

/**
 * Runs that failed without a batch to tell it, and that no later run has made good, the last ones first. A file that was
 * refused and is not there any more, as far as this machine can tell, needs nobody.
 */
export async function failedRunsOf(
  verbs: Pick<LedgerVerbs, 'listFailedRuns'>,
): Promise<readonly FailedRun[]> {
  return (await verbs.listFailedRuns(shown)).filter((run) => !isGone(run));
}

function isGone({ file, host }: FailedRun): boolean {
  return file !== null && isAbsolute(file) && host === hostname() && !existsSync(file);
}
