import { keepTotals, type OutcomeOfRun, writeBatchFiles } from '../../account/batch-files/files-of-batch.ts';
import {
  finalRowsFirst,
  type ReadAllRows,
  SendingProgress,
} from '../../account/batch-files/rows-of-batch.ts';
import type { CallContext } from '../../call/context.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { LeasedBatch } from '../../domain/batches/batch.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { noteUnsentRows, type StoppingLog } from './log-of-run.ts';

/** One batch's end. */
export interface BatchEnd {
  readonly outcome: CallOutcome;
  readonly account: BatchAccount;
}

/** The files of a batch, a part of which is written while its rows are sent. */
interface FilesUnderWay {
  /** Called with the number of rows that were recorded since the last call. */
  readonly advance: (rows: number) => void;
  /**
   * Writes the files from the current state, once nothing is sent any more.
   * @param writing 1 for the first time
   */
  readonly write: (writing: number) => Promise<BatchEnd>;
  /** Ends the writing, and leaves no half-written file. */
  readonly release: () => Promise<void>;
}

interface FilesUnderWayOptions {
  readonly runLog: Pick<StoppingLog, 'append' | 'flush' | 'seal'>;
  /** ISO 8601. The log may lack rows that ended without a request after this time. */
  readonly unloggedSince: string;
  readonly outcomeOfRun: OutcomeOfRun;
  /** Whether rows that are final may be written while others are sent. */
  readonly isWhileSending: boolean;
}

/** Begins the files of a batch whose rows are about to be sent. */
export async function beginFiles(
  app: CallContext,
  verbs: LedgerVerbs,
  { batch, run }: LeasedBatch,
  { runLog, unloggedSince, outcomeOfRun, isWhileSending }: FilesUnderWayOptions,
): Promise<FilesUnderWay> {
  const isFirstEnd = (await verbs.listRuns(batch.id)).every(({ outcome }) => outcome === null);
  const note = (rows: readonly ResultRow[]): Promise<void> =>
    noteUnsentRows(runLog, rows, isFirstEnd ? '' : unloggedSince);
  const writeAll = (onRows?: typeof note, readAll?: ReadAllRows): Promise<BatchAccount> =>
    writeBatchFiles(app, verbs, batch, { runId: run.id, outcome: outcomeOfRun }, onRows, readAll);
  const progress = new SendingProgress();
  const supersessions = await verbs.readSupersessions(batch.id);
  // If this fails for any reason, the files are written as a whole later.
  const begun = isWhileSending
    ? writeAll(note, (read) => finalRowsFirst(read, progress)).catch(() => null)
    : Promise.resolve(null);
  return {
    advance: (rows) => progress.advance(rows),
    write: async (writing) => {
      progress.end();
      // The files say how the run ends. So check first whether its log still exists, and whether another ledger has
      // written to it.
      await runLog.seal();
      const isFirst = writing === 1;
      const early = isFirst ? await begun : null;
      // Only one thing may have changed for a final row since: that another file corrects it.
      const revision = await verbs.readRevision(batch.id);
      const isOutdated = early !== null && (await verbs.readSupersessions(batch.id)) !== supersessions;
      const account =
        isOutdated || early === null ? await writeAll(isFirst && early === null ? note : undefined) : early;
      // The early files were begun before the last rows were recorded.
      if (account === early) await keepTotals(verbs, account, revision);
      return { outcome: outcomeOfRun(account), account };
    },
    release: async () => {
      progress.giveUp();
      await begun;
    },
  };
}
