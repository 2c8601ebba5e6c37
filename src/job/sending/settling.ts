import { existsSync } from 'node:fs';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { openRunLog } from '../../output/log/run-log.ts';
import type { HeldBatch } from '../../pipeline/intake/take-in.ts';
import { settleFamilies } from '../../pipeline/sending/families.ts';
import type { LedgerAccess } from '../access/ledger-access.ts';
import { runLogPath } from '../files/files-of-batch.ts';
import type { JobContext } from '../running/context.ts';
import { whileHeld } from './planning.ts';

/** Keeps the rows of held batches apart from their corrections and other readings, before any of them is judged or sent. */
export function settleHeld(app: JobContext, access: LedgerAccess, held: readonly HeldBatch[]): Promise<void> {
  return whileHeld(app, access, held, async () => {
    for (const { batch } of held) await settleBatch(app, access.verbs, batch.id);
  });
}

/**
 * The same for one batch. What is superseded stands in the log of its own batch before its correction is sent: a ledger that
 * is lost after that, and recovered from this log alone, does not send it either.
 */
export function settleBatch(app: JobContext, verbs: LedgerVerbs, batchId: string): Promise<void> {
  return settleFamilies(verbs, batchId, (id, rows) => logSuperseded(app, verbs, id, rows));
}

async function logSuperseded(
  app: JobContext,
  verbs: LedgerVerbs,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  const batch = await verbs.findBatch(batchId);
  if (batch === undefined) throw new Error('a batch of a family is not there');
  const logged = await verbs.findRowsToLog(batchId, rows);
  const paths = new Set([runLogPath(app, batch), ...(await verbs.listRunLogs(batchId))]);
  for (const path of [...paths].filter((each) => existsSync(each))) {
    const runLog = await openRunLog(path, { batch: batchId, now: app.clock.now });
    try {
      runLog.append(logged.map((row) => ({ event: 'row.final', ...row, id: null, code: 'superseded' })));
      await runLog.flush();
    } finally {
      await runLog.close();
    }
  }
}
