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

/**
 * Reserves the next stretch of a rate that several processes share.
 * @returns how long from now, in milliseconds, the stretch begins
 */
export type ReserveStretch = (durationInMs: number) => Promise<number>;

/** Long enough that reserving costs little, short enough that a stretch left unused is no loss. */
const stretchInMs = 250;

/**
 * Evenly spaced grants of a rate that belongs to all processes together: each reserves a stretch of time
 * for itself and spaces its own requests within it. A stretch that is over is not made up for.
 *
 * @param requestsPerSecond of all processes together; above 0
 */
export function createSharedRateLimiter(
  requestsPerSecond: number,
  timing: Timing,
  reserve: ReserveStretch,
): RateLimiter {
  const spacingInMs = 1000 / requestsPerSecond;
  const grantsPerStretch = Math.max(1, Math.floor(stretchInMs / spacingInMs));
  let nextGrantAtInMs = 0;
  let grantsLeft = 0;
  let reserving: Promise<void> = Promise.resolve();
  const takeGrant = async (): Promise<number> => {
    if (grantsLeft === 0 || nextGrantAtInMs < timing.monotonicInMs() - spacingInMs) {
      const startsInMs = await reserve(grantsPerStretch * spacingInMs);
      nextGrantAtInMs = timing.monotonicInMs() + startsInMs;
      grantsLeft = grantsPerStretch;
    }
    const grantAtInMs = nextGrantAtInMs;
    nextGrantAtInMs += spacingInMs;
    grantsLeft -= 1;
    return grantAtInMs;
  };
  return {
    async acquire(signal) {
      const granted = reserving.then(takeGrant);
      reserving = granted.then(
        () => {},
        () => {},
      );
      const grantAtInMs = await granted;
      await timing.sleep(grantAtInMs - timing.monotonicInMs(), signal);
    },
  };
}
