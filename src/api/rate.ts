/* When the next request may be sent under a limit of requests per second, for one process or for several that share it. */

import { setTimeout as delay } from 'node:timers/promises';

/* Time and random numbers, as the sender and its limits need them. */

/** Time and random numbers for the sender and its limits: real ones in the program, virtual ones in tests. */
export interface Timing {
  /** Milliseconds of a clock that never jumps; only differences have a meaning. */
  readonly monotonicInMs: () => number;
  /** The calendar's time, needed to read a `Retry-After` date. */
  readonly now: () => Date;
  /** A number from 0 (inclusive) to 1. */
  readonly random: () => number;
  /** Waits; returns early, without an error, when the signal is or becomes aborted. */
  readonly sleep: (durationInMs: number, signal: AbortSignal) => Promise<void>;
}

export const systemTiming: Timing = {
  monotonicInMs: () => performance.now(),
  now: () => new Date(),
  random: () => Math.random(),
  sleep: async (durationInMs, signal) => {
    if (durationInMs <= 0 || signal.aborted) return;
    await delay(Math.ceil(durationInMs), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
};

/**
 * Grants requests one after the other. A port: within one process the clock is enough, and several machines that share a
 * rate use their database.
 */
export interface RateLimiter {
  /** Resolves when one request may start, or at once when the signal is aborted. */
  readonly acquire: (signal: AbortSignal) => Promise<void>;
}

/** Timers fire a little late; without some tolerance a high rate would never be reached. */
const timerLagInMs = 2;

/**
 * Evenly spaced grants: unused time is lost, so there is no burst at the start or after a pause.
 *
 * @param requestsPerSecond above 0; fractions are possible
 */
export function createRateLimiter(requestsPerSecond: number, timing: Timing): RateLimiter {
  const spacingInMs = 1000 / requestsPerSecond;
  let nextGrantAtInMs = Number.NEGATIVE_INFINITY;
  let turn: Promise<void> = Promise.resolve();
  const grant = async (signal: AbortSignal): Promise<void> => {
    const grantAtInMs = Math.max(timing.monotonicInMs(), nextGrantAtInMs);
    await timing.sleep(grantAtInMs - timing.monotonicInMs(), signal);
    // Counted from the time when the timer fired, if that was late: while the program was suspended, many may have
    // waited.
    nextGrantAtInMs = Math.max(grantAtInMs, timing.monotonicInMs() - timerLagInMs) + spacingInMs;
  };
  return {
    acquire(signal) {
      turn = turn.then(() => grant(signal));
      return turn;
    },
  };
}

/**
 * Reserves the next interval of a rate that several processes share.
 * @returns the time until the interval begins, in milliseconds
 */
export type ReserveInterval = (durationInMs: number) => Promise<number>;

/** Long enough that reserving costs little, short enough that an unused interval is no loss. */
const intervalInMs = 250;

/** Larger than the error of adding spacings up. */
const roundingInMs = 0.001;

/**
 * Evenly spaced grants of a rate that all processes share: each reserves an interval of time and spaces its own requests
 * within it. An unused interval is not made up for.
 *
 * @param requestsPerSecond of all processes together; above 0
 */
export function createSharedRateLimiter(
  requestsPerSecond: number,
  timing: Timing,
  reserve: ReserveInterval,
): RateLimiter {
  const spacingInMs = 1000 / requestsPerSecond;
  const grantsPerInterval = Math.max(1, Math.floor(intervalInMs / spacingInMs));
  const ownInMs = grantsPerInterval * spacingInMs;
  let nextGrantAtInMs = 0;
  let intervalEndsAtInMs = 0;
  let turn: Promise<void> = Promise.resolve();
  const grant = async (signal: AbortSignal): Promise<void> => {
    let grantAtInMs = Math.max(nextGrantAtInMs, timing.monotonicInMs());
    // Each grant needs the whole of its spacing: the time after the interval belongs to another process.
    if (grantAtInMs + spacingInMs > intervalEndsAtInMs + roundingInMs) {
      const startsInMs = await reserve(ownInMs);
      grantAtInMs = timing.monotonicInMs() + startsInMs;
      intervalEndsAtInMs = grantAtInMs + ownInMs;
    }
    await timing.sleep(grantAtInMs - timing.monotonicInMs(), signal);
    nextGrantAtInMs = Math.max(grantAtInMs, timing.monotonicInMs() - timerLagInMs) + spacingInMs;
  };
  return {
    acquire(signal) {
      const granted = turn.then(() => grant(signal));
      // A failed reservation fails only its own request; the next one reserves again.
      turn = granted.catch(() => {});
      return granted;
    },
  };
}
