/* The rows of a closed batch that were never sent. */

import type { LedgerVerbs } from '../../ledger/verbs.ts';

/**
 * Takes all rows of a closed batch that were never sent out of what is to be sent. A second call completes what a crash
 * has left undone. If the batch is not closed, no row is moved.
 * @returns how many rows were moved
 */
export async function closeUnsentRows(
  verbs: Pick<LedgerVerbs, 'closeUnsentRows'>,
  batchId: string,
): Promise<number> {
  let moved = 0;
  let afterRow: number | null = 0;
  while (afterRow !== null) {
    const page: Awaited<ReturnType<LedgerVerbs['closeUnsentRows']>> = await verbs.closeUnsentRows(
      batchId,
      afterRow,
    );
    moved += page.rows;
    afterRow = page.lastRow;
  }
  return moved;
}
