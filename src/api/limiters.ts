/*
 * The limits of a run, each on its own: an even rate of requests, a gate that is closed during pauses, a budget of retries,
 * and the number of requests in flight, which falls and rises with the API's answers.
 */

import { setTimeout as delay } from 'node:timers/promises';

/** Time and random numbers for the sender and its limits: real ones in the program, virtual ones in tests. */
export interface Timing {
  /** Milliseconds of a clock that never jumps. Only differences are meaningful. */
  readonly monotonicInMs: () => number;
  /** The calendar time, which is needed for a date in `Retry-After`. */
  readonly now: () => Date;
  /** A number from 0 (inclusive) to 1 (exclusive). */
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
 * Permits requests one after the other. Within one process this needs only the clock. Several processes that share a rate
 * reserve their intervals in the database.
 */
export interface RateLimiter {
  /** Resolves when one request may start, or at once when the signal is aborted. */
  readonly acquire: (signal: AbortSignal) => Promise<void>;
}

/** Timers fire a little late. Without this tolerance, a high rate would never be reached. */
const timerLagInMs = 2;

/**
 * Reserves the next interval of a rate that several processes share.
 * @returns the time until the interval begins, in milliseconds
 */
export type ReserveInterval = (durationInMs: number) => Promise<number>;

/** Length of an interval: long enough that reserving costs little, and short enough that an unused interval is no loss. */
const intervalInMs = 250;

/** Larger than the rounding error of the added spacings. */
const roundingInMs = 0.001;

/**
 * Permits requests at even spacings. Unused time is lost, so no burst occurs at the start or after a pause.
 *
 * @param requestsPerSecond above 0; fractions are possible. If several processes share the rate, it is their total
 * @param reserve for a rate that several processes share. Each process reserves an interval of time and spaces its requests
 *   within it. An unused interval is lost
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
    // The whole spacing of a request has to be within the interval, since the time after it belongs to another process.
    if (reserve !== undefined && grantAtInMs + spacingInMs > intervalEndsAtInMs + roundingInMs) {
      const startsInMs = await reserve(ownInMs);
      grantAtInMs = timing.monotonicInMs() + startsInMs;
      intervalEndsAtInMs = grantAtInMs + ownInMs;
    }
    await timing.sleep(grantAtInMs - timing.monotonicInMs(), signal);
    // If the timer fired late, the next spacing counts from that time. Otherwise the requests that waited while the program
    // was suspended would be sent at once.
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

/** Maximum time over which waiting rows are spread after the gate opens, so that they do not all reach the API at once. */
const longestSpreadInMs = 1000;

/** The gate that every request of a run has to pass. It is closed while the API requests a pause. */
export function createGate(timing: Timing) {
  let opensAtInMs = Number.NEGATIVE_INFINITY;
  let spreadInMs = 0;
  const isClosed = () => timing.monotonicInMs() < opensAtInMs;
  return {
    isClosed,
    /** Closes the gate for this time from now. Never shortens a longer pause. */
    closeFor(durationInMs: number): void {
      const untilInMs = timing.monotonicInMs() + durationInMs;
      if (untilInMs <= opensAtInMs) return;
      opensAtInMs = untilInMs;
      spreadInMs = Math.min(durationInMs, longestSpreadInMs);
    },
    /** Waits until the gate is open, also if it is closed again meanwhile. Returns at once on abort. */
    async pass(signal: AbortSignal): Promise<void> {
      while (isClosed() && !signal.aborted) {
        const waitInMs = opensAtInMs - timing.monotonicInMs() + timing.random() * spreadInMs;
        await timing.sleep(waitInMs, signal);
      }
    },
  };
}

/** Number of retries that a run may make at its start, before it has earned any. */
const initialRetries = 20;
/** Retries earned per request: one retry for five requests. */
const retriesPerRequest = 0.2;
/** Retries earned per second, so that the last rows of a run with many failures do not wait for ever. */
const retriesPerSecond = 10;
/** Maximum of retries that can be saved up. */
const mostRetries = 100;

/**
 * Prevents a run's retries from multiplying the load on a failing API. A retry beyond the budget is delayed, not dropped.
 * If it were dropped, rows would stay `unknown` although one more try might have decided them.
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

/** Limits how many requests may be in flight: additive increase, multiplicative decrease (AIMD). */
export interface ConcurrencyLimit {
  readonly current: () => number;
  /** Called when the API has answered without an overload. */
  readonly onAnswer: () => void;
  /**
   * Called when the API is overloaded (429, 503). Halves the limit, only once for all requests that were in flight at the
   * same time.
   *
   * @param span the beginning and end of the try, both from the monotonic clock
   */
  readonly onCongestion: (span: { readonly startedAtInMs: number; readonly endedAtInMs: number }) => void;
  /**
   * Allows only one request at a time while the run tests whether the API is down. Afterwards the previous limit applies.
   */
  readonly onDoubt: (isProbing: boolean) => void;
}

interface ConcurrencySettings {
  /** The limit that the user has set. It is the initial value, and is never exceeded. */
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
      // A request that was in flight at the last halving reports the load before that halving.
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
