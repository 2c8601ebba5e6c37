import { describe, expect, it } from 'vitest';
import {
  createConcurrencyLimit,
  createGate,
  createRateLimiter,
  createRetryBudget,
  systemTiming,
} from '../../src/api/limiters.ts';
import { createVirtualTiming } from './virtual-timing.ts';

const never = new AbortController().signal;

describe('the gate', () => {
  it('lets everybody through while it is open', async () => {
    const timing = createVirtualTiming();
    await createGate(timing).pass(never);
    expect(timing.sleeps).toEqual([]);
  });

  it('keeps everybody back until its time, then lets them go one after the other', async () => {
    const timing = createVirtualTiming();
    let draw = 0;
    timing.setRandom(() => {
      draw += 0.25;
      return draw;
    });
    const gate = createGate(timing);
    gate.closeFor(2000);
    const startInMs = timing.monotonicInMs();
    const leave = async () => {
      await gate.pass(never);
      return timing.monotonicInMs() - startInMs;
    };
    expect(await Promise.all([leave(), leave(), leave()])).toEqual([2250, 2500, 2750]);
    expect(gate.isClosed()).toBe(false);
  });

  it('never opens earlier because of a later, shorter wait, and waits again when closed anew', async () => {
    const timing = createVirtualTiming(() => 0);
    const gate = createGate(timing);
    const startInMs = timing.monotonicInMs();
    gate.closeFor(5000);
    gate.closeFor(100);
    const passed = gate.pass(never).then(() => timing.monotonicInMs() - startInMs);
    gate.closeFor(9000);
    expect(await passed).toBe(9000);
  });

  it('holds no request once the run stops', async () => {
    const timing = createVirtualTiming();
    const stop = new AbortController();
    const gate = createGate(timing);
    gate.closeFor(600_000);
    const startInMs = timing.monotonicInMs();
    const passed = gate.pass(stop.signal);
    stop.abort();
    await passed;
    expect(timing.monotonicInMs()).toBe(startInMs);
  });
});

describe('the rate limiter', () => {
  it('spaces requests evenly from the very first one', async () => {
    const timing = createVirtualTiming();
    const rate = createRateLimiter(4, timing);
    const startInMs = timing.monotonicInMs();
    const grants = await Promise.all(
      Array.from({ length: 5 }, async () => {
        await rate.acquire(never);
        return timing.monotonicInMs() - startInMs;
      }),
    );
    expect(grants).toEqual([0, 250, 500, 750, 1000]);
  });

  it('saves nothing up during a pause', async () => {
    const timing = createVirtualTiming();
    const rate = createRateLimiter(10, timing);
    await rate.acquire(never);
    await timing.sleep(60_000, never);
    timing.sleeps.length = 0;
    await Promise.all([rate.acquire(never), rate.acquire(never), rate.acquire(never)]);
    expect(timing.sleeps).toEqual([100, 100]);
  });
});

describe('the retry budget', () => {
  /** How long each of these retries has to wait. */
  const waits = (budget: ReturnType<typeof createRetryBudget>, retries: number, nowInMs: number): number[] =>
    Array.from({ length: retries }, () => budget.spend(nowInMs));

  it('gives its first retries at once and puts off the others', () => {
    expect(waits(createRetryBudget(), 22, 0)).toEqual([...new Array(20).fill(0), 100, 200]);
  });

  it('earns one retry with every few requests', () => {
    const budget = createRetryBudget();
    waits(budget, 20, 0);
    for (let request = 0; request < 5; request += 1) budget.earn();
    expect(waits(budget, 2, 0)).toEqual([0, 100]);
  });

  it('earns with time, and saves no more than its capacity', () => {
    const budget = createRetryBudget();
    budget.spend(0);
    expect(waits(budget, 101, 3_600_000)).toEqual([...new Array(100).fill(0), 100]);
  });
});

describe('the concurrency limit', () => {
  const observe = (maximum: number) => {
    const changes: number[] = [];
    const limit = createConcurrencyLimit({ maximum, onLimitChange: (next) => changes.push(next) });
    return { limit, changes };
  };
  const overloaded = (startedAtInMs: number, endedAtInMs: number) => ({ startedAtInMs, endedAtInMs });

  it('halves once for all requests that were in flight together', () => {
    const { limit, changes } = observe(16);
    limit.onCongestion(overloaded(0, 100));
    limit.onCongestion(overloaded(10, 101));
    limit.onCongestion(overloaded(99, 180));
    expect(changes).toEqual([8]);
    limit.onCongestion(overloaded(150, 200));
    expect(changes).toEqual([8, 4]);
  });

  it('never goes below one', () => {
    const { limit, changes } = observe(3);
    for (let round = 0; round < 4; round += 1) limit.onCongestion(overloaded(round * 10, round * 10 + 5));
    expect(changes).toEqual([1]);
    expect(limit.current()).toBe(1);
  });

  it('recovers by one for each window of answers, up to what was asked for', () => {
    const { limit, changes } = observe(4);
    limit.onCongestion(overloaded(0, 5));
    for (let answer = 0; answer < 2; answer += 1) limit.onAnswer();
    expect(changes).toEqual([2, 3]);
    for (let answer = 0; answer < 2; answer += 1) limit.onAnswer();
    expect(changes).toEqual([2, 3]);
    for (let answer = 0; answer < 50; answer += 1) limit.onAnswer();
    expect(changes).toEqual([2, 3, 4]);
  });

  it('is one while the API is in doubt, and then what it was', () => {
    const { limit, changes } = observe(16);
    limit.onCongestion(overloaded(0, 5));
    limit.onDoubt(true);
    limit.onCongestion(overloaded(10, 15));
    limit.onDoubt(true);
    limit.onDoubt(false);
    expect(changes).toEqual([8, 1, 4]);
  });
});

describe('the system’s sleep', () => {
  it('ends at once, without an error, when the signal aborts or is aborted already', async () => {
    const stop = new AbortController();
    const asleep = systemTiming.sleep(600_000, stop.signal);
    stop.abort();
    await asleep;
    await systemTiming.sleep(600_000, stop.signal);
  });
});
