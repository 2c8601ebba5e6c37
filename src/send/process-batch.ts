/* Processes one batch: prepares its rows and sends them at the same time. */

import type { PipelineEvent } from '../disk/log/run-event.ts';
import type { RowConclusion } from '../domain/rows/ledger-row.ts';
import { resultStatus } from '../domain/rows/row-state.ts';
import { type RefusedAlike, RefusedAlikeStop } from '../domain/sending/stops.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type PrepareContext, prepareRows } from './prepare.ts';
import { type SubmitContext, submitRows } from './submit.ts';

/** Everything that is needed to process one batch. */
export interface ProcessBatchContext
  extends Omit<SubmitContext, 'ledger' | 'onRecorded' | 'onClaimed' | 'onNothingToClaim'>,
    Omit<PrepareContext, 'ledger' | 'runId' | 'stopSignal' | 'onPrepared'> {
  readonly ledger: PrepareContext['ledger'] &
    SubmitContext['ledger'] &
    Pick<LedgerVerbs, 'takeOverExpired' | 'holdExpiredKeys' | 'explainOtherCredentials'>;
  /** Called with rows that were recorded. */
  readonly onProgress: (conclusions: readonly RowConclusion[]) => void;
}

/**
 * Processes a staged batch. Rows of lost workers become unknown. Rows whose keys are too old are held. Requests are
 * written, and ready rows are sent while the requests of later rows are still being written.
 * @throws RefusedAlikeStop when the batch was stopped because all its rows were refused for one reason, in this run or an
 *   earlier one; after an earlier stop, only rows in doubt were sent
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

/** Whether no more requests will be sent under the row's key. */
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
 * No more rows are prepared while this many are ready and unclaimed. Preparation uses the thread that handles answers. If
 * it is spread over the time of sending, it delays only few answers.
 */
const enoughRowsAhead = 2_000;

/**
 * Prepares rows ahead of their claims; prepares none where only rows in doubt are sent. A failed preparation stops the run.
 */
function startPreparation(context: ProcessBatchContext) {
  const { halt } = context;
  let rowsAhead = 0;
  let hasMore = false;
  let isAwaited = false;
  let hasEnded = context.rows === 'in_doubt';
  let failure: { readonly error: unknown } | null = null;
  let tellSending = (): void => {};
  let continuePreparing = (): void => {};

  // Other runs of the batch may claim the rows that are ready here. So rows are prepared whenever sending waits for rows,
  // whatever the count is.
  const isWanted = (): boolean => rowsAhead < enoughRowsAhead || isAwaited || halt.signal.aborted;

  const onPrepared = async (ready: number): Promise<void> => {
    rowsAhead += ready;
    hasMore = true;
    isAwaited = false;
    tellSending();
    if (isWanted()) return;
    await new Promise<void>((resolve) => {
      continuePreparing = () => {
        if (isWanted()) resolve();
      };
    });
  };

  const prepare = async (): Promise<void> => {
    const stop = (): void => continuePreparing();
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
    /** Resolves when the preparation has ended, with or without failure. */
    ended,
    /** Called with how many rows were claimed. */
    claimed: (rows: number): void => {
      rowsAhead -= rows;
      continuePreparing();
    },
    /** Resolves with true once more rows are ready than at the last call, or with false once no more will be. */
    isMoreToClaim: async (): Promise<boolean> => {
      if (!hasMore && !hasEnded) {
        isAwaited = true;
        continuePreparing();
        await new Promise<void>((resolve) => {
          tellSending = resolve;
        });
      }
      const isMore = hasMore;
      hasMore = false;
      return isMore;
    },
    /**
     * Rethrows a failure of the preparation.
     * @throws the failure
     */
    throwFailure: (): void => {
      if (failure !== null) throw failure.error;
    },
  };
}
