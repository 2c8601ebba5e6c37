/* Time and chance, as the sender and its limits ask for them. */

import { setTimeout as delay } from 'node:timers/promises';

/** Time and chance for the sender and its limits: real ones in the program, virtual ones in tests. */
export interface Timing {
  /** Milliseconds of a clock that never jumps; only differences mean something. */
  readonly monotonicInMs: () => number;
  /** The calendar's time, needed to read a `Retry-After` date. */
  readonly now: () => Date;
  /** A number from 0 (inclusive) to 1. */
  readonly random: () => number;
  /** Waits, or comes back at once, without an error, when the signal is or becomes aborted. */
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
