/* The lease of a run on its batch, and the heartbeats that extend it. */

import type { ClockPort } from '../call/context.ts';
import { type LeasedBatch, shortBatchId } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** How long a run counts as alive after its last heartbeat. */
export const leaseInMs = 30_000;

/** Number of heartbeats within a lease: if one fails, the next one is still in time. */
const beatsInLease = 3;

/**
 * A request is sent without asking the ledger only while at least this many milliseconds of the lease are left. The time
 * from the check to the request's first byte, including the time to connect, must be shorter.
 */
const marginInMs = leaseInMs / beatsInLease;

export interface Heartbeat {
  /**
   * Whether the run still holds its batch, and will hold it for some seconds. The result comes from memory while the last
   * heartbeat is recent enough. After a pause (the machine slept, the program was suspended) the ledger is asked.
   */
  readonly holds: () => boolean | Promise<boolean>;
  readonly stop: () => void;
}

/**
 * Sends heartbeats at regular intervals, so that no other run takes its rows over. The run must stop if another run has
 * taken over its batch, or if it cannot reach the ledger until its lease has expired.
 */
export function startHeartbeat(options: {
  readonly ledger: Pick<LedgerVerbs, 'prolongRun'>;
  readonly clock: ClockPort;
  readonly runId: string;
  readonly batchId: string;
  readonly onLost: (failure: PaybatchError) => void;
}): Heartbeat {
  const { ledger, clock, runId, batchId, onLost } = options;
  // The commit that began the lease may have been slow, or the last heartbeat may have been earlier. So a part of the lease
  // counts as used up.
  let lastSign = earlier(momentOf(clock), marginInMs);
  let currentBeat: Promise<void> | undefined;
  let beatsMissed = 0;
  let isStopped = false;
  /** The callers that wait for the next heartbeat, or for the end. */
  const waiting: (() => void)[] = [];
  const tellWaiting = (): void => {
    for (const tell of waiting.splice(0)) tell();
  };
  const isSure = (withinInMs: number): boolean => elapsedInMs(lastSign, clock) <= withinInMs;
  const stop = (): void => {
    isStopped = true;
    clearInterval(timer);
    tellWaiting();
  };
  const lose = (message: string): void => {
    // A run that has just been ended sends no more heartbeats. It is not lost.
    if (isStopped) return;
    stop();
    const next = { action: 'resume', batch: shortBatchId(batchId) } as const;
    onLost(new PaybatchError('lease_lost', message, next));
  };
  const beatOnce = async (): Promise<void> => {
    const startedAt = momentOf(clock);
    try {
      if (await ledger.prolongRun(runId, leaseInMs)) lastSign = startedAt;
      else lose(takenOver);
    } catch {
      if (!isSure(leaseInMs)) lose(outOfReach);
    }
  };
  const beat = (): Promise<void> => {
    currentBeat ??= beatOnce().finally(() => {
      currentBeat = undefined;
      beatsMissed = 0;
      tellWaiting();
    });
    return currentBeat;
  };
  const timer = setInterval(() => {
    if (currentBeat === undefined) void beat();
    // A heartbeat that hangs on a dead connection counts as missed.
    else if (++beatsMissed >= beatsInLease && !isSure(leaseInMs)) lose(outOfReach);
  }, leaseInMs / beatsInLease);
  timer.unref();
  const isSafe = (): boolean => isSure(leaseInMs - marginInMs);
  const askUntilSafe = async (): Promise<boolean> => {
    await beat();
    // The ledger may be unreachable for a moment. The next heartbeats decide, until the lease is lost.
    while (!isStopped && !isSafe()) await new Promise<void>((resolve) => waiting.push(resolve));
    return !isStopped;
  };
  const holds = (): boolean | Promise<boolean> => !isStopped && (isSafe() || askUntilSafe());
  return { holds, stop };
}

/** A batch, and the run that holds it. */
type Leased = Pick<LeasedBatch, 'batch' | 'run'>;

/** What heartbeats need. */
interface LeaseContext {
  readonly ledger: Pick<LedgerVerbs, 'prolongRun'>;
  readonly clock: ClockPort;
}

/** The leases of the runs of one call. */
export interface Leases {
  /** Begins the heartbeats of one more run. */
  readonly keep: (own: Leased) => Heartbeat;
  /** Ends the heartbeats of one run whose caller ends it. */
  readonly ended: (runId: string) => void;
  readonly isLost: () => boolean;
  /**
   * Checks that no batch was lost.
   * @throws PaybatchError (`lease_lost`) once another run has taken over a batch
   */
  readonly requireHeld: () => void;
  /** Ends the heartbeats of all runs. */
  readonly stop: () => void;
}

/**
 * Keeps runs alive until `stop`.
 * @param onLost called with each lost run; when absent, `requireHeld` throws for the first one
 */
export function keepLeases(
  { ledger, clock }: LeaseContext,
  onLost: (failure: PaybatchError) => void = () => {},
): Leases {
  const heartbeats = new Map<string, Heartbeat>();
  let lost: PaybatchError | undefined;
  return {
    keep: ({ batch, run }) => {
      const heartbeat = startHeartbeat({
        ledger,
        clock,
        runId: run.id,
        batchId: batch.id,
        onLost: (failure) => {
          lost ??= failure;
          onLost(failure);
        },
      });
      heartbeats.set(run.id, heartbeat);
      return heartbeat;
    },
    ended: (runId) => heartbeats.get(runId)?.stop(),
    isLost: () => lost !== undefined,
    requireHeld: () => {
      if (lost !== undefined) throw lost;
    },
    stop: () => {
      for (const heartbeat of heartbeats.values()) heartbeat.stop();
    },
  };
}

/**
 * Keeps the runs of leased batches alive during long work that sends nothing, for example planning, or a question to a
 * person.
 * @throws PaybatchError (`lease_lost`) when another run has taken over a batch meanwhile
 */
export async function whileLeased<Result>(
  context: LeaseContext,
  held: readonly Leased[],
  work: () => Promise<Result>,
): Promise<Result> {
  const leases = keepLeases(context);
  for (const own of held) leases.keep(own);
  try {
    const result = await work();
    leases.requireHeld();
    return result;
  } finally {
    leases.stop();
  }
}

const takenOver = 'Another run took this batch over, because this one gave no sign of life.';

const outOfReach = 'The ledger could not be reached for so long that another run may take this batch over.';

/** A point in time on both clocks. */
export interface Moment {
  readonly monotonicInMs: number;
  readonly calendarInMs: number;
}

export function momentOf(clock: ClockPort): Moment {
  return { monotonicInMs: clock.monotonicInMs(), calendarInMs: clock.now().getTime() };
}

/** The point in time that is `byInMs` milliseconds before another. */
function earlier({ monotonicInMs, calendarInMs }: Moment, byInMs: number): Moment {
  return { monotonicInMs: monotonicInMs - byInMs, calendarInMs: calendarInMs - byInMs };
}

/**
 * Milliseconds since a moment, by the clock that shows more time. The monotonic clock does not run while a machine sleeps,
 * and the calendar clock may be set back.
 */
export function elapsedInMs(since: Moment, clock: ClockPort): number {
  const now = momentOf(clock);
  return Math.max(now.monotonicInMs - since.monotonicInMs, now.calendarInMs - since.calendarInMs);
}
