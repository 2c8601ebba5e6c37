/* Moving one batch on: preparing rows and sending them side by side. */

import type { PipelineEvent } from '../disk/log/run-event.ts';
import type { RunLogPort } from '../disk/log/run-log.ts';
import { type RefusedAlike, RefusedAlikeStop } from '../domain/batches/batch-facts.ts';
import type { RowConclusion, RowsToClaim } from '../domain/rows/ledger-row.ts';
import { resultStatus } from '../domain/rows/row-state.ts';
import type { ReferencePort } from '../kinds/request.ts';
import { type PrepareContext, prepareRows } from './prepare.ts';
import type { LedgerPort, SenderPort } from './send-ports.ts';
import { type SubmitContext, submitRows } from './submit.ts';

/** What moves one batch on, as far as it goes by itself. */
export interface ProcessBatchContext
  extends Omit<SubmitContext, 'ledger' | 'onRecorded' | 'onClaimed' | 'onNothingToClaim'> {
  readonly ledger: LedgerPort;
  readonly references: ReferencePort;
  readonly sender: SenderPort;
  readonly runLog: RunLogPort;
  readonly newKey: () => string;
  /** Told of rows that were recorded. */
  readonly onProgress: (conclusions: readonly RowConclusion[]) => void;
  /** How long a row that was refused for what time mends is left alone; not at all when absent. */
  readonly waitingDelayInMs?: number;
}

/**
 * Brings a staged batch forward: rows of lost workers become unknown, keys that are too old are held,
 * requests are written, and what is ready is sent, while the requests of later rows are still being written.
 * @throws RefusedAlikeStop when the batch was stopped since its rows are all refused for one reason, now or by an
 *   earlier run; then only rows in doubt were sent
 */
export async function processBatch(context: ProcessBatchContext): Promise<void> {
  const { ledger, batchId } = context;
  await ledger.takeOverExpired(batchId);
  await ledger.holdExpiredKeys(batchId, context.keyLifetimeInMs);
  await ledger.explainOtherCredentials(batchId, context.credential);
  const refused = await whyStopped(context);
  if (refused !== null) {
    if (context.rows !== 'fresh') await prepareAndSubmit({ ...context, rows: 'in_doubt' });
    throw new RefusedAlikeStop(refused);
  }
  await prepareAndSubmit(context);
}

async function whyStopped({
  ledger,
  batchId,
  refusedAlike,
  rows,
}: ProcessBatchContext): Promise<RefusedAlike | null> {
  if (refusedAlike === undefined || rows === 'in_doubt') return null;
  const verdict = await ledger.stopIfRefusedAlike(batchId, refusedAlike);
  return verdict === 'some_created' ? null : verdict;
}

async function prepareAndSubmit(context: ProcessBatchContext): Promise<void> {
  const preparation = startPreparation(context);
  try {
    await submitRows({
      ...context,
      onRecorded: (conclusions) => {
        context.runLog.append(conclusions.filter(isConclusive).map(finalEvent));
        context.onProgress(conclusions);
      },
      onClaimed: preparation.claimed,
      onNothingToClaim: preparation.isMoreToClaim,
    });
  } finally {
    await preparation.ended;
  }
  preparation.throwFailure();
}

/** Whether nothing more will be sent under the row's key. */
function isConclusive({ conclusion: { state } }: RowConclusion): boolean {
  return state !== 'ready' && state !== 'unknown';
}

function finalEvent({ row, idempotencyKey, conclusion }: RowConclusion): PipelineEvent {
  return {
    event: 'row.final',
    row,
    key: idempotencyKey,
    attempt: conclusion.attempts.at(-1)?.number ?? 0,
    status: resultStatus(conclusion.state),
    id: conclusion.objectId,
    code: conclusion.code,
  };
}

/**
 * No more rows are prepared while this many are ready and unclaimed. Preparing takes time of the thread that handles
 * answers; spread over the sending, it delays few of them.
 */
const enoughRowsAhead = 2_000;

/** What the preparation of a batch's rows needs beside the sending of those that are ready. */
interface PreparationContext extends Omit<PrepareContext, 'runId' | 'stopSignal' | 'onPrepared'> {
  readonly run: { readonly id: string };
  /** Aborted here when the preparation fails, as by a failure of the sending. */
  readonly halt: AbortController;
  /** Which rows are sent; nothing is prepared for those in doubt. */
  readonly rows?: RowsToClaim;
}

/** The preparation of rows beside the sending of those that are ready. */
interface PreparationUnderWay {
  /** Called with how many rows were claimed. */
  readonly claimed: (rows: number) => void;
  /** Resolves with true once more rows are ready than at the last call, or with false once no more will be. */
  readonly isMoreToClaim: () => Promise<boolean>;
  /** Resolves when it has ended, in whatever way. */
  readonly ended: Promise<void>;
  /** @throws what the preparation failed with */
  readonly throwFailure: () => void;
}

/** Prepares rows, some way ahead of their claims. A preparation that fails stops the run. */
function startPreparation(context: PreparationContext): PreparationUnderWay {
  const { halt } = context;
  let rowsAhead = 0;
  let hasMore = false;
  let isAwaited = false;
  let hasEnded = context.rows === 'in_doubt';
  let failure: { readonly error: unknown } | null = null;
  let tellSending = (): void => {};
  let continueBatches = (): void => {};

  // Other runs of the batch may claim the rows that are ready here, so rows are prepared whenever sending waits,
  // whatever the count says.
  const isWanted = (): boolean => rowsAhead < enoughRowsAhead || isAwaited || halt.signal.aborted;

  const onPrepared = async (ready: number): Promise<void> => {
    rowsAhead += ready;
    hasMore = true;
    isAwaited = false;
    tellSending();
    if (isWanted()) return;
    await new Promise<void>((resolve) => {
      continueBatches = () => {
        if (isWanted()) resolve();
      };
    });
  };

  const prepare = async (): Promise<void> => {
    const stop = (): void => continueBatches();
    halt.signal.addEventListener('abort', stop);
    try {
      if (!hasEnded) {
        await prepareRows({ ...context, runId: context.run.id, stopSignal: halt.signal, onPrepared });
      }
    } catch (error) {
      failure = { error };
      halt.abort();
    } finally {
      halt.signal.removeEventListener('abort', stop);
    }
    hasEnded = true;
    tellSending();
  };

  const ended = prepare();
  return {
    ended,
    claimed: (rows) => {
      rowsAhead -= rows;
      continueBatches();
    },
    isMoreToClaim: async () => {
      if (!hasMore && !hasEnded) {
        isAwaited = true;
        continueBatches();
        await new Promise<void>((resolve) => {
          tellSending = resolve;
        });
      }
      const isMore = hasMore;
      hasMore = false;
      return isMore;
    },
    throwFailure: () => {
      if (failure !== null) throw failure.error;
    },
  };
}
