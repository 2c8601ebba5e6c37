/*
 * The limits of a run, each by itself: an even rate of requests, the gate that pauses close, the budget of retries, and how
 * many requests are in flight, which falls and rises with the API's answers.
 */

import { setTimeout as delay } from 'node:timers/promises';

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
 * Grants requests one after the other. Within one process the clock is enough; several processes that share a rate reserve
 * their intervals in the database.
 */
export interface RateLimiter {
  /** Resolves when one request may start, or at once when the signal is aborted. */
  readonly acquire: (signal: AbortSignal) => Promise<void>;
}

/** Timers fire a little late; without some tolerance a high rate would never be reached. */
const timerLagInMs = 2;

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
 * Evenly spaced grants: unused time is lost, so there is no burst at the start or after a pause.
 *
 * @param requestsPerSecond above 0; fractions are possible; of all processes together where they share it
 * @param reserve for a rate that several processes share: each reserves an interval of time and spaces its own requests within
 *   it. An unused interval is not made up for
 */
export function createRateLimiter(
  requestsPerSecond: number,
  timing: Timing,
  reserve?: ReserveInterval,
): RateLimiter {
  const spacingInMs = 1000 / requestsPerSecond;
  const ownInMs = Math.max(1, Math.floor(intervalInMs / spacingInMs)) * spacingInMs;
  let nextGrantAtInMs = Number.NEGATIVE_INFINITY;
  let intervalEndsAtInMs = 0;
  let turn: Promise<void> = Promise.resolve();
  const grant = async (signal: AbortSignal): Promise<void> => {
    let grantAtInMs = Math.max(timing.monotonicInMs(), nextGrantAtInMs);
    // Each grant needs the whole of its spacing: the time after the interval belongs to another process.
    if (reserve !== undefined && grantAtInMs + spacingInMs > intervalEndsAtInMs + roundingInMs) {
      const startsInMs = await reserve(ownInMs);
      grantAtInMs = timing.monotonicInMs() + startsInMs;
      intervalEndsAtInMs = grantAtInMs + ownInMs;
    }
    await timing.sleep(grantAtInMs - timing.monotonicInMs(), signal);
    // Counted from the time when the timer fired, if that was late: while the program was suspended, many may have
    // waited.
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

/** Waiting rows are sent spread over this time after the gate opens, so that they do not reach the API all at once. */
const longestSpreadInMs = 1000;

/** The one gate before every request of a run: closed while the API asks for a pause. */
export function createGate(timing: Timing) {
  let opensAtInMs = Number.NEGATIVE_INFINITY;
  let spreadInMs = 0;
  const isClosed = () => timing.monotonicInMs() < opensAtInMs;
  return {
    isClosed,
    /** Holds every try for this long from now; never shortens a longer wait. */
    closeFor(durationInMs: number): void {
      const untilInMs = timing.monotonicInMs() + durationInMs;
      if (untilInMs <= opensAtInMs) return;
      opensAtInMs = untilInMs;
      spreadInMs = Math.min(durationInMs, longestSpreadInMs);
    },
    /** Waits until the gate is open, even if it is closed again meanwhile; returns at once on abort. */
    async pass(signal: AbortSignal): Promise<void> {
      while (isClosed() && !signal.aborted) {
        const waitInMs = opensAtInMs - timing.monotonicInMs() + timing.random() * spreadInMs;
        await timing.sleep(waitInMs, signal);
      }
    },
  };
}

/** Retries that a run may make before it has earned any. */
const initialRetries = 20;
/** Retries earned per request: one for five requests. */
const retriesPerRequest = 0.2;
/** Retries earned per second, so that the last rows of a bad run are not stuck. */
const retriesPerSecond = 10;
/** Maximum of retries that can be saved up. */
const mostRetries = 100;

/**
 * Prevents a run's retries from multiplying the load on a failing API. A retry beyond the budget is delayed, not dropped:
 * otherwise rows would stay `unknown` that one more try would have cleared.
 */
export function createRetryBudget() {
  let balance = initialRetries;
  let creditedAtInMs: number | null = null;
  const credit = (retries: number) => {
    balance = Math.min(mostRetries, balance + retries);
  };
  return {
    earn: () => credit(retriesPerRequest),
    /** Takes one retry and returns how long it has to wait, in milliseconds; 0 while there is budget. */
    spend(nowInMs: number): number {
      credit(((nowInMs - (creditedAtInMs ?? nowInMs)) / 1000) * retriesPerSecond);
      creditedAtInMs = nowInMs;
      balance -= 1;
      return balance >= 0 ? 0 : (-balance / retriesPerSecond) * 1000;
    },
  };
}

/** How many requests may be in flight: additive increase, multiplicative decrease. */
export interface ConcurrencyLimit {
  readonly current: () => number;
  /** The API answered without an overload. */
  readonly onAnswer: () => void;
  /**
   * The API is overloaded (429, 503): halves the limit, once for all the requests that were in flight
   * together.
   *
   * @param span when the try began and ended, by the same monotonic clock
   */
  readonly onCongestion: (span: { readonly startedAtInMs: number; readonly endedAtInMs: number }) => void;
  /** Allows one request at a time while testing whether the API is down, and then as many as before. */
  readonly onDoubt: (isProbing: boolean) => void;
}

interface ConcurrencySettings {
  /** The user's limit: the initial value, which is never exceeded. */
  readonly maximum: number;
  readonly onLimitChange: (limit: number) => void;
}

export function createConcurrencyLimit({ maximum, onLimitChange }: ConcurrencySettings): ConcurrencyLimit {
  let limit = maximum;
  let answersInWindow = 0;
  let halvedAtInMs = Number.NEGATIVE_INFINITY;
  let isProbing = false;
  let announced = maximum;
  const current = (): number => (isProbing ? 1 : limit);
  const announce = (): void => {
    if (current() === announced) return;
    announced = current();
    onLimitChange(announced);
  };
  const change = (next: number) => {
    answersInWindow = 0;
    limit = next;
    announce();
  };
  return {
    current,
    onAnswer() {
      answersInWindow += 1;
      if (answersInWindow >= limit) change(Math.min(maximum, limit + 1));
    },
    onCongestion({ startedAtInMs, endedAtInMs }) {
      answersInWindow = 0;
      // A request that was in flight at the last halving reports the load before it.
      if (startedAtInMs < halvedAtInMs) return;
      halvedAtInMs = endedAtInMs;
      change(Math.max(1, Math.floor(limit / 2)));
    },
    onDoubt(isNow) {
      isProbing = isNow;
      announce();
    },
  };
}
