import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import { resultStatus } from '../../domain/rows/row-state.ts';
import type { LedgerPort, PipelineEvent, ReferencePort, RunLogPort, SenderPort } from '../ports.ts';
import { prepareRows } from '../requests/prepare.ts';
import { type SubmitContext, submitRows } from './submit.ts';

/** What moves one batch on, as far as it goes by itself. */
export interface MoveOnContext extends Omit<SubmitContext, 'ledger' | 'onRecorded'> {
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
 */
export async function moveOn(context: MoveOnContext): Promise<void> {
  const { ledger, batchId } = context;
  await ledger.takeOverExpired(batchId);
  await ledger.holdExpiredKeys(batchId, context.keyLifetimeInMs);
  await ledger.explainOtherCredentials(batchId, context.credential);
  const preparation = startPreparation(context);
  try {
    await submitRows({
      ...context,
      onRecorded: (conclusions) => {
        context.runLog.append(conclusions.filter(isFinal).map(finalEvent));
        context.onProgress(conclusions);
      },
      onNothingToClaim: async () =>
        (await preparation.isMoreToClaim()) || ((await context.onNothingToClaim?.()) ?? false),
    });
  } finally {
    await preparation.ended;
  }
  preparation.throwFailure();
}

/** The preparation of rows beside the sending of those that are ready. */
interface PreparationUnderWay {
  /** Resolves once more rows are ready than at the last call: true; or once no more will be: false. */
  readonly isMoreToClaim: () => Promise<boolean>;
  /** Resolves at its end, however it ended. */
  readonly ended: Promise<void>;
  /** @throws what the preparation failed with */
  readonly throwFailure: () => void;
}

/** A preparation that fails stops the run, as a failure of the sending does. */
function startPreparation(context: MoveOnContext): PreparationUnderWay {
  let hasMore = false;
  let hasEnded = context.rows === 'in_doubt';
  let failure: { readonly error: unknown } | null = null;
  let tell = (): void => {};
  const onPrepared = (): void => {
    hasMore = true;
    tell();
  };
  const prepare = async (): Promise<void> => {
    try {
      const stopSignal = context.halt.signal;
      if (!hasEnded) await prepareRows({ ...context, runId: context.run.id, stopSignal, onPrepared });
    } catch (error) {
      failure = { error };
      context.halt.abort();
    }
    hasEnded = true;
    tell();
  };
  const ended = prepare();
  return {
    ended,
    isMoreToClaim: async () => {
      if (!hasMore && !hasEnded) {
        await new Promise<void>((resolve) => {
          tell = resolve;
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

function isFinal({ conclusion: { state } }: RowConclusion): boolean {
  return state !== 'ready' && state !== 'unknown' && state !== 'waiting';
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
