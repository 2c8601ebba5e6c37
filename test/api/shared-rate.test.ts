import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../src/api/limiters.ts';
import { createVirtualTiming, type VirtualTiming } from './virtual-timing.ts';

const never = new AbortController().signal;

/** A reservation book as the ledger keeps it, on the tests' clock. */
function book(timing: VirtualTiming): { reserve: (durationInMs: number) => Promise<number>; calls: number } {
  let reservedUntilInMs = 0;
  const kept = {
    calls: 0,
    reserve: async (durationInMs: number): Promise<number> => {
      kept.calls += 1;
      const startInMs = Math.max(reservedUntilInMs, timing.monotonicInMs());
      reservedUntilInMs = startInMs + durationInMs;
      return startInMs - timing.monotonicInMs();
    },
  };
  return kept;
}

/** When this number of requests had been granted, in milliseconds from now. */
async function grants(
  timing: VirtualTiming,
  limiter: { acquire: (signal: AbortSignal) => Promise<void> },
  count: number,
): Promise<number[]> {
  const startInMs = timing.monotonicInMs();
  const granted = Array.from({ length: count }, async () => {
    await limiter.acquire(new AbortController().signal);
    return Math.round(timing.monotonicInMs() - startInMs);
  });
  return Promise.all(granted);
}

const gaps = (times: readonly number[]): number[] =>
  times.slice(1).map((time, at) => time - (times[at] ?? 0));

describe('the rate that several processes share', () => {
  it('spaces the requests of one process evenly, from interval to interval', async () => {
    const timing = createVirtualTiming();
    const limiter = createRateLimiter(20, timing, book(timing).reserve);
    expect(gaps(await grants(timing, limiter, 13))).toEqual(Array.from({ length: 12 }, () => 50));
  });

  it('gives all processes together no more than the rate', async () => {
    const timing = createVirtualTiming();
    const { reserve } = book(timing);
    const limiters = Array.from({ length: 3 }, () => createRateLimiter(20, timing, reserve));
    const all = (await Promise.all(limiters.map((limiter) => grants(timing, limiter, 20))))
      .flat()
      .sort((a, b) => a - b);
    expect(all).toHaveLength(60);
    expect(Math.min(...gaps(all))).toBeGreaterThanOrEqual(49);
    expect(all.at(-1)).toBeGreaterThanOrEqual(59 * 50 - 1);
  });

  it('asks the ledger once for many requests when the rate is high, and for each one when it is low', async () => {
    const timing = createVirtualTiming();
    const often = book(timing);
    await grants(timing, createRateLimiter(200, timing, often.reserve), 100);
    expect(often.calls).toBe(2);
    const seldom = book(timing);
    await grants(timing, createRateLimiter(1, timing, seldom.reserve), 5);
    expect(seldom.calls).toBe(5);
  });

  it('does not make up for a pause with a burst', async () => {
    const timing = createVirtualTiming();
    const limiter = createRateLimiter(20, timing, book(timing).reserve);
    await grants(timing, limiter, 2);
    for (const pauseInMs of [60, 99, 120, 199, 240, 60_000]) {
      await timing.sleep(pauseInMs, never);
      expect(Math.min(...gaps(await grants(timing, limiter, 4)))).toBeGreaterThanOrEqual(50);
    }
  });

  it('ends every wait at once when the run stops', async () => {
    const timing = createVirtualTiming();
    const limiter = createRateLimiter(1, timing, book(timing).reserve);
    const stop = new AbortController();
    await limiter.acquire(never);
    const startInMs = timing.monotonicInMs();
    const waiting = limiter.acquire(stop.signal);
    stop.abort();
    await waiting;
    expect(timing.monotonicInMs()).toBe(startInMs);
  });

  it('gives the failure of the ledger to each request that waits, and asks again for the next', async () => {
    const timing = createVirtualTiming();
    let isAway = true;
    const limiter = createRateLimiter(10, timing, async () => {
      if (isAway) throw new Error('away');
      return 0;
    });
    await expect(limiter.acquire(never)).rejects.toThrow('away');
    isAway = false;
    await limiter.acquire(never);
  });
});
