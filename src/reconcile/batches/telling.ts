/* Hands the differences of a reconciliation on as they are found, no row in doubt twice. */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { Account } from '../../domain/batches/reconciliation.ts';
import type { TakeDifferences } from '../../domain/rows/difference.ts';
import type { RowAdvice } from '../../domain/rows/ledger-row.ts';
import type { AccountWatch } from '../account.ts';
import {
  answerDifference,
  contradictionDifference,
  sourceDifference,
  undecidedDifference,
} from '../differences.ts';

/** Tells whoever asked for them what the steps of one reconciliation find. */
export interface Telling {
  readonly watch: AccountWatch;
  readonly contradictions: (account: Pick<Account, 'contradictions'>) => Promise<void>;
  readonly compared: TakeDifferences;
  readonly undecided: (rows: readonly RowAdvice[]) => Promise<void>;
}

/** The telling of one reconciliation; nothing where nobody wants to know. */
export function tellingOf(take: TakeDifferences | undefined, batch: BatchRecord): Telling | undefined {
  if (take === undefined) return undefined;
  const { id, header, fileName } = batch;
  // As many as there are rows in doubt that the other side has, which the comparison remembers too.
  const toldInDoubt = new Set<number>();
  return {
    watch: {
      source: (row) => take([sourceDifference(row, header, fileName)]),
      answer: (answer) => take([answerDifference(answer)]),
    },
    contradictions: async ({ contradictions }) => {
      if (contradictions.length > 0)
        await take(contradictions.map((each) => contradictionDifference(each, id)));
    },
    compared: async (found) => {
      for (const { row, status } of found) {
        if (row !== null && (status === 'unknown' || status === 'held')) toldInDoubt.add(row);
      }
      await take(found);
    },
    undecided: async (rows) => {
      const untold = rows.filter(({ row }) => !toldInDoubt.has(row));
      if (untold.length > 0) await take(untold.map(undecidedDifference));
    },
  };
}
