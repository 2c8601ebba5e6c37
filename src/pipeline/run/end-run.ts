import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import type { LedgerPort } from '../ports.ts';

/** So often files are written while other runs change the batch; then these others have to write once more. */
const mostWritings = 3;

/**
 * Writes a batch's files and ends the run, once they tell of the batch as it is: another run may record rows, or
 * write the same files, between the reading of the rows and the end. Whoever ends writes, since nobody knows
 * whether another run will live to do so.
 * @param write reads the batch's rows, writes its files, and says how the run is to end
 * @returns the result of the last writing
 */
export async function endWithFiles<Written extends { readonly outcome: CallOutcome }>(
  ledger: Pick<LedgerPort, 'readRevision' | 'endRunWithFiles'>,
  run: { readonly id: string; readonly batchId: string },
  write: (writing: number) => Promise<Written>,
): Promise<Written> {
  for (let writing = 1; ; writing += 1) {
    const revision = await ledger.readRevision(run.batchId);
    const written = await write(writing);
    const end = { id: run.id, batchId: run.batchId, outcome: written.outcome, revision };
    if (await ledger.endRunWithFiles(end, writing >= mostWritings)) return written;
  }
}
