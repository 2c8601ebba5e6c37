import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { ClockPort, LedgerPort } from './ports.ts';

/** A run is trusted to live for so long without a sign of life. */
export const leaseInMs = 30_000;

/** One may fail, and the next one still comes in time. */
const beatsInLease = 3;

export interface Heartbeat {
  /**
   * Whether the run still holds its batch. Answered from memory while its last sign of life is young enough;
   * after a pause longer than the lease (a machine that slept, a suspended program) the ledger is asked.
   */
  readonly holds: () => boolean | Promise<boolean>;
  readonly stop: () => void;
}

/**
 * Shows at regular intervals that the run is alive, so that no other run takes its rows over. When it was
 * taken for lost all the same, or cannot reach the ledger until its lease has run out, it must stop.
 */
export function startHeartbeat(options: {
  readonly ledger: Pick<LedgerPort, 'prolongRun'>;
  readonly clock: ClockPort;
  readonly runId: string;
  readonly batchId: string;
  readonly onLost: (failure: Failure) => void;
}): Heartbeat {
  const { ledger, clock, runId, batchId, onLost } = options;
  let lastSign = clock.monotonicInMs();
  let beating: Promise<void> | undefined;
  let beatsMissed = 0;
  let isStopped = false;
  const isSure = (): boolean => clock.monotonicInMs() - lastSign <= leaseInMs;
  const stop = (): void => {
    isStopped = true;
    clearInterval(timer);
  };
  const lose = (message: string): void => {
    // A run that has just been ended gives no sign of life any more, and is not lost.
    if (isStopped) return;
    stop();
    onLost(new Failure(exitCodes.stopped, 'lease_lost', message, `paybatch resume ${batchId.slice(0, 8)}`));
  };
  const beatOnce = async (): Promise<void> => {
    const startedAt = clock.monotonicInMs();
    try {
      if (await ledger.prolongRun(runId, batchId, leaseInMs)) lastSign = startedAt;
      else lose(takenOver);
    } catch {
      if (!isSure()) lose(outOfReach);
    }
  };
  const beat = (): Promise<void> => {
    beating ??= beatOnce().finally(() => {
      beating = undefined;
      beatsMissed = 0;
    });
    return beating;
  };
  const timer = setInterval(() => {
    if (beating === undefined) void beat();
    // A sign of life that hangs, on a connection that is dead and does not say so, is none.
    else if (++beatsMissed >= beatsInLease && !isSure()) lose(outOfReach);
  }, leaseInMs / beatsInLease);
  timer.unref();
  const holds = (): boolean | Promise<boolean> => isSure() || beat().then(isSure);
  return { holds, stop };
}

const takenOver = 'Another run took this batch over, because this one gave no sign of life.';
const outOfReach = 'The ledger could not be reached for so long that another run may take this batch over.';
