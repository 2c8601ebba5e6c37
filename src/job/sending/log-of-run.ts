import { existsSync } from 'node:fs';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { openRunLog, type RunLog } from '../../output/log/run-log.ts';
import { countOf } from '../../output/words/wording.ts';
import type { HeldBatch } from '../../pipeline/intake/take-in.ts';
import { completeLog, completingEvents } from '../../pipeline/recovery/complete-log.ts';
import { eventsOf } from '../access/batch-logs.ts';
import { runLogPath } from '../files/files-of-batch.ts';
import type { JobContext } from '../running/context.ts';

/** Opens the log of a run, whose place the ledger notes first: whoever works on the batch next looks there. */
export async function openLogOfRun(
  app: JobContext,
  verbs: LedgerVerbs,
  { batch, run }: Pick<HeldBatch, 'batch' | 'run'>,
): Promise<RunLog> {
  const path = runLogPath(app, batch);
  await verbs.noteRunLog(run.id, path);
  return openRunLog(path, { batch: batch.id, now: app.clock.now });
}

/** A log that has all that the ledger knows of earlier runs. */
export interface CompletedLog {
  readonly runLog: RunLog;
  /** Runs whose log lacked, or may have lacked, something. */
  readonly completed: readonly { readonly id: string; readonly startedAt: string }[];
}

/**
 * Opens the log of a run that works on a batch, and writes into it what the ledger knows and no log has: the answers
 * that a killed run had in memory, and everything where the log itself is gone. A ledger that is lost after that is
 * recovered to the same states.
 * @throws OutputError
 */
export async function openCompletedLog(
  app: JobContext,
  verbs: LedgerVerbs,
  own: Pick<HeldBatch, 'batch' | 'run'>,
): Promise<CompletedLog> {
  const { batch, run } = own;
  const path = runLogPath(app, batch);
  const isThere = existsSync(path);
  const unlogged = await verbs.listUnloggedRuns(batch.id, isThere ? null : path);
  const runLog = await openLogOfRun(app, verbs, own);
  const completed = unlogged.filter(({ id }) => id !== run.id);
  const sending = completed.filter(({ hasClaims }) => hasClaims);
  if (sending.length === 0) return { runLog, completed };
  try {
    const answers = verbs.readLoggableAnswers(batch.id, isThere ? sending.map(({ id }) => id) : null);
    const rows = await completeLog(runLog, batch.id, eventsOf(path, completingEvents), answers);
    if (rows > 0) {
      const text = `${batch.fileName}: the run log lacked ${countOf(rows, 'row')} of earlier runs, and has ${rows === 1 ? 'it' : 'them'} now.`;
      app.report({ kind: 'note', text });
    }
    return { runLog, completed };
  } catch (error) {
    await runLog.close().catch(() => {});
    throw error;
  }
}
