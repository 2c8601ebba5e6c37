import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { RunRecord } from '../../src/domain/batches/run.ts';
import type { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { type Heartbeat, keepLeases, leaseInMs, startHeartbeat } from '../../src/send/lease.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(prolongRun: () => Promise<boolean>): { lost: PaybatchError[] } & Heartbeat {
  const lost: PaybatchError[] = [];
  const heartbeat = startHeartbeat({
    ledger: { prolongRun },
    clock: { now: () => new Date(), monotonicInMs: () => performance.now() },
    runId: 'run',
    batchId: 'abcdef01-2345-8678-9abc-def012345678',
    onLost: (failure) => lost.push(failure),
  });
  return { lost, ...heartbeat };
}

describe('the heartbeat of a run', () => {
  it('prolongs the lease several times before it can run out', async () => {
    const prolong = vi.fn(async () => true);
    const { lost } = start(prolong);
    await vi.advanceTimersByTimeAsync(leaseInMs);
    expect(prolong.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(prolong).toHaveBeenCalledWith('run', leaseInMs);
    expect(lost).toEqual([]);
  });

  it('says once that the run was taken over, and beats no more', async () => {
    const prolong = vi.fn(async () => false);
    const { lost } = start(prolong);
    await vi.advanceTimersByTimeAsync(leaseInMs * 3);
    expect(prolong).toHaveBeenCalledTimes(1);
    expect(lost).toMatchObject([
      { kind: 'stopped', code: 'lease_lost', remedies: [{ action: 'resume', batch: 'abcdef01' }] },
    ]);
  });

  it('survives a ledger that is away for a moment, but not for longer than the lease lasts', async () => {
    let isAway = true;
    const { lost } = start(async () => {
      if (isAway) throw new Error('away');
      return true;
    });
    await vi.advanceTimersByTimeAsync(leaseInMs * 0.9);
    isAway = false;
    await vi.advanceTimersByTimeAsync(leaseInMs);
    expect(lost).toEqual([]);
    isAway = true;
    await vi.advanceTimersByTimeAsync(leaseInMs * 2);
    expect(lost).toMatchObject([{ kind: 'stopped', code: 'lease_lost' }]);
  });

  it('trusts a lease that it has not prolonged yet for less long, since its age is not known', async () => {
    let answer: (isAlive: boolean) => void = () => {};
    const { holds } = start(() => new Promise((resolve) => (answer = resolve)));
    await vi.advanceTimersByTimeAsync(leaseInMs * 0.3);
    expect(holds()).toBe(true);
    await vi.advanceTimersByTimeAsync(leaseInMs * 0.1);
    const asked = holds();
    expect(asked).toBeInstanceOf(Promise);
    answer(true);
    expect(await asked).toBe(true);
    await vi.advanceTimersByTimeAsync(leaseInMs * 0.2);
    expect(holds()).toBe(true);
  });

  it('does not treat as lost the run that it was stopped for, or one that has just ended', async () => {
    let answer: (isAlive: boolean) => void = () => {};
    const { lost, stop } = start(() => new Promise((resolve) => (answer = resolve)));
    await vi.advanceTimersByTimeAsync(leaseInMs / 2);
    stop();
    answer(false);
    await vi.advanceTimersByTimeAsync(leaseInMs * 2);
    expect(lost).toEqual([]);
  });
});

describe('the leases of a call', () => {
  const batch = { id: 'abcdef01-2345-8678-9abc-def012345678' } as BatchRecord;

  it('do not treat a run as lost that has ended while another continues', async () => {
    const ended = new Set<string>();
    const leases = keepLeases({
      ledger: { prolongRun: async (run) => !ended.has(run) },
      clock: { now: () => new Date(), monotonicInMs: () => performance.now() },
    });
    for (const id of ['first', 'second']) leases.keep({ batch, run: { id } as RunRecord });
    ended.add('first');
    leases.ended('first');
    await vi.advanceTimersByTimeAsync(leaseInMs * 2);
    expect(leases.requireHeld).not.toThrow();
    ended.add('second');
    await vi.advanceTimersByTimeAsync(leaseInMs);
    expect(leases.requireHeld).toThrow('Another run took this batch over');
    leases.stop();
  });
});
