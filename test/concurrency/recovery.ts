import type { LeasedBatch } from '../../src/domain/batches/batch.ts';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import { referencesIn } from '../../src/kinds/request.ts';
import type * as restoring from '../../src/ledger/after-sending/restore.ts';
import type { VerbsWith } from '../../src/ledger/verbs.ts';
import { restedAt } from '../../src/recover/logged-rows.ts';
import { restoreBatch } from '../../src/recover/restore.ts';
import { type BatchHistory, readHistory } from '../../src/recover/run-history.ts';
import { rowEventsInMemory } from '../recover/row-events-in-memory.ts';
import { judged } from './batch-plan.ts';
import type { World } from './world.ts';

/** The records of the batch in the run log of all programs. */
export function historyOf(world: World): Promise<BatchHistory> {
  return readHistory(
    (async function* () {
      yield* world.log;
    })(),
    rowEventsInMemory(),
  );
}

/** The rows as `recover` judges them: one with a key was valid when it was sent, whatever today's list says. */
export async function recoverRows({ plan, api }: World, history: BatchHistory): Promise<StagedRow[]> {
  const { rows, resting } = await history.between(0, Number.MAX_SAFE_INTEGER);
  return plan.rows.map((row) => {
    if (rows.has(row.row)) return { ...row, state: 'staged', sameAs: null };
    const now = judged(row, api.banks);
    const rested = resting.get(row.row);
    if (rested === undefined || now.state !== 'staged') return now;
    return { ...now, ...restedAt(row.row, rested) };
  });
}

export async function restoreAll(
  verbs: VerbsWith<typeof restoring>,
  held: readonly LeasedBatch[],
  history: BatchHistory,
): Promise<readonly LeasedBatch[]> {
  for (const { batch, run } of held) {
    await restoreBatch({
      ledger: verbs,
      references: referencesIn(verbs, batch.environmentId, []),
      batchId: batch.id,
      runId: run.id,
      history,
      isLedgerWhole: false,
    });
  }
  return held;
}
