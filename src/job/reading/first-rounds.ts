import type { FirstRound } from '../../domain/batches/batch-reading.ts';
import { isLedgerThere, openLedger } from '../access/ledger-access.ts';
import type { JobContext } from '../running/context.ts';

/** Finds the batch that the rows of a failed file name; undefined where the ledger does not have it. */
export type FindFirstRound = (batchId: string) => Promise<FirstRound | undefined>;

/**
 * Looks into the ledger before a command has opened it: it is opened only if a file asks, and closed at once. A
 * ledger that is not there yet is not made.
 */
export function firstRoundsOf({ settings, environment }: JobContext): FindFirstRound {
  return async (batchId) => {
    if (!isLedgerThere(settings, environment)) return undefined;
    const { verbs, close } = await openLedger(settings, environment);
    try {
      return await verbs.findFirstRound(batchId);
    } finally {
      await close();
    }
  };
}
