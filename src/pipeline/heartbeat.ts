import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { ClockPort, LedgerPort } from './ports.ts';

/** A run is trusted to live for so long without a sign of life. */
export const leaseInMs = 30_000;

export interface Heartbeat {
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
  let isBeating = false;
  let isStopped = false;
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
  const beat = async (): Promise<void> => {
    if (isBeating) return;
    isBeating = true;
    const startedAt = clock.monotonicInMs();
    try {
      if (await ledger.prolongRun(runId, batchId, leaseInMs)) lastSign = startedAt;
      else lose('Another run took this batch over, because this one gave no sign of life.');
    } catch {
      if (clock.monotonicInMs() - lastSign > leaseInMs) {
        lose('The ledger could not be reached for so long that another run may take this batch over.');
      }
    } finally {
      isBeating = false;
    }
  };
  const timer = setInterval(() => void beat(), leaseInMs / 3);
  timer.unref();
  return { stop };
}
