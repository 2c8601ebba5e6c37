import type { Timing } from './timing.ts';

/**
 * Grants requests one after the other. A port: within one process the clock is enough, and several
 * machines that share a rate ask their database.
 */
export interface RateLimiter {
  /** Comes back when one request may start, or at once when the signal is aborted. */
  readonly acquire: (signal: AbortSignal) => Promise<void>;
}

/** For runs without `--rate`. */
export const unlimitedRate: RateLimiter = { acquire: () => Promise.resolve() };

/**
 * Evenly spaced grants: time that nobody used is lost, so there is no burst at the start or after a pause.
 *
 * @param requestsPerSecond above 0; fractions are possible
 */
export function createRateLimiter(requestsPerSecond: number, timing: Timing): RateLimiter {
  const spacingInMs = 1000 / requestsPerSecond;
  let nextGrantAtInMs = Number.NEGATIVE_INFINITY;
  return {
    async acquire(signal) {
      const nowInMs = timing.monotonicInMs();
      const grantAtInMs = Math.max(nowInMs, nextGrantAtInMs);
      nextGrantAtInMs = grantAtInMs + spacingInMs;
      if (grantAtInMs > nowInMs) await timing.sleep(grantAtInMs - nowInMs, signal);
    },
  };
}
