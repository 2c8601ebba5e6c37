import type { RowsToClaim } from '../../domain/rows/ledger-row.ts';
import { type PrepareContext, prepareRows } from '../requests/prepare.ts';

/**
 * With so many rows ready that nobody has claimed, no more are prepared: that takes time of the thread that answers
 * wait for as well, and spread over the sending it delays few of them.
 */
const enoughRowsAhead = 2_000;

/** What the preparation of a batch's rows needs beside the sending of those that are ready. */
export interface PreparationContext extends Omit<PrepareContext, 'runId' | 'stopSignal' | 'onPrepared'> {
  readonly run: { readonly id: string };
  /** Aborted here when the preparation fails, as by a failure of the sending. */
  readonly halt: AbortController;
  /** Which rows are sent; nothing is prepared for those in doubt. */
  readonly rows?: RowsToClaim;
}

/** The preparation of rows beside the sending of those that are ready. */
export interface PreparationUnderWay {
  /** Is told how many rows the sending has claimed. */
  readonly claimed: (rows: number) => void;
  /** Resolves once more rows are ready than at the last call: true; or once no more will be: false. */
  readonly isMoreToClaim: () => Promise<boolean>;
  /** Resolves at its end, however it ended. */
  readonly ended: Promise<void>;
  /** @throws what the preparation failed with */
  readonly throwFailure: () => void;
}

/** Prepares rows, some way ahead of their claims. A preparation that fails stops the run. */
export function startPreparation(context: PreparationContext): PreparationUnderWay {
  const { halt } = context;
  let rowsAhead = 0;
  let hasMore = false;
  let isAwaited = false;
  let hasEnded = context.rows === 'in_doubt';
  let failure: { readonly error: unknown } | null = null;
  let tellSending = (): void => {};
  let goOn = (): void => {};

  // Other runs of the batch may claim what is ready here: that the sending waits counts for more than any number.
  const isWanted = (): boolean => rowsAhead < enoughRowsAhead || isAwaited || halt.signal.aborted;

  const onPrepared = async (ready: number): Promise<void> => {
    rowsAhead += ready;
    hasMore = true;
    isAwaited = false;
    tellSending();
    if (isWanted()) return;
    await new Promise<void>((resolve) => {
      goOn = () => {
        if (isWanted()) resolve();
      };
    });
  };

  const prepare = async (): Promise<void> => {
    const stop = (): void => goOn();
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
      goOn();
    },
    isMoreToClaim: async () => {
      if (!hasMore && !hasEnded) {
        isAwaited = true;
        goOn();
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
