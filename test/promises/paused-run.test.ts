import type { LimitFunction } from 'p-limit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClaimedRow, RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { type Heartbeat, leaseInMs, startHeartbeat } from '../../src/send/lease.ts';
import { submitRows } from '../../src/send/submit.ts';
import { fakeRunLog, partly } from '../send/fakes.ts';

const batchId = 'abcdef01-2345-8678-9abc-def012345678';

/** A clock that runs while the program does not, as when a machine sleeps. */
interface Pausing {
  readonly heartbeat: Heartbeat;
  readonly lost: string[];
  pause(durationInMs: number): void;
}

function start(prolongRun: () => Promise<boolean>): Pausing {
  let pausedInMs = 0;
  const lost: string[] = [];
  const clock = { now: () => new Date(), monotonicInMs: () => performance.now() + pausedInMs };
  const onLost = ({ code }: { code: string }): void => {
    lost.push(code);
  };
  return {
    heartbeat: startHeartbeat({ ledger: { prolongRun }, clock, runId: 'run', batchId, onLost }),
    lost,
    pause: (durationInMs) => {
      pausedInMs += durationInMs;
    },
  };
}

describe('a run that was paused', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('for half of its lease continues without asking the ledger', async () => {
    const prolong = vi.fn(async () => true);
    const { heartbeat, pause } = start(prolong);
    await vi.advanceTimersByTimeAsync(leaseInMs / 3);
    expect(prolong).toHaveBeenCalledTimes(1);
    pause(leaseInMs / 2);
    expect(await heartbeat.holds()).toBe(true);
    expect(prolong).toHaveBeenCalledTimes(1);
  });

  it('for longer continues only if no other run took it over meanwhile', async () => {
    const kept = start(async () => true);
    kept.pause(leaseInMs + 1);
    expect(await kept.heartbeat.holds()).toBe(true);
    const taken = start(async () => false);
    taken.pause(leaseInMs + 1);
    expect(await taken.heartbeat.holds()).toBe(false);
    expect(taken.lost).toEqual(['lease_lost']);
    const blind = start(() => Promise.reject(new Error('away')));
    blind.pause(leaseInMs + 1);
    expect(await blind.heartbeat.holds()).toBe(false);
    expect(blind.lost).toEqual(['lease_lost']);
  });

  it('in the middle of a sign of life waits for its answer', async () => {
    let answer = (_isAlive: boolean): void => {};
    const { lost, pause } = start(() => new Promise((resolve) => (answer = resolve)));
    await vi.advanceTimersByTimeAsync(leaseInMs / 3);
    pause(leaseInMs * 2);
    await vi.advanceTimersByTimeAsync(leaseInMs / 3);
    answer(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toEqual([]);
  });

  it('stops when a sign of life never comes to its end', async () => {
    const { lost } = start(() => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(leaseInMs * 2);
    expect(lost).toEqual(['lease_lost']);
  });
});

it('a worker that no longer holds its batch sends none of the rows in its hands', async () => {
  const row = (number: number, wasUnknown: boolean): ClaimedRow => ({
    row: number,
    resource: 'customers',
    generation: 1,
    leaseToken: '1',
    idempotencyKey: `key-${number}`,
    path: '/v1/customers',
    body: Buffer.from('{}'),
    preparedBy: 'run',
    attempts: 0,
    wasUnknown,
    keyTimeLeftInMs: 1_000,
  });
  const groups = [[row(2, false), row(3, true), row(4, false)], []];
  const recorded: RowConclusion[] = [];
  const sent: string[] = [];
  const held = [true, false, false];
  await submitRows({
    ledger: partly<LedgerVerbs>({
      claimRows: async () => groups.shift() ?? [],
      recordConclusions: async (_batch, _run, conclusions) => {
        recorded.push(...conclusions);
        return new Set(conclusions.map(({ row: number }) => number));
      },
    }),
    sender: {
      send: async ({ idempotencyKey }, { mayLeave, isEarlierTryUnknown }) => {
        if (!(await mayLeave())) {
          const state = isEarlierTryUnknown ? 'unknown' : 'ready';
          return { state, objectId: null, code: null, message: null, attempts: [] };
        }
        sent.push(idempotencyKey);
        return { state: 'created', objectId: 'object', code: null, message: null, attempts: [] };
      },
      isApiInDoubt: () => false,
    },
    holdsBatch: async () => held.shift() ?? false,
    runLog: fakeRunLog(),
    clock: { now: () => new Date(), monotonicInMs: () => 0 },
    batchId,
    run: { id: 'run', number: 1 },
    leaseInMs,
    credential: 'one',
    keyLifetimeInMs: 1_000,
    approvalId: undefined,
    checkContent: undefined,
    concurrency: 1,
    readAnswer: () => ({ id: undefined, object: undefined }),
    halt: new AbortController(),
    rows: 'all',
    latestRunWasWhole: false,
    waitingCodes: [],
    onRecorded: () => {},
    onClaimed: () => {},
    onNothingToClaim: async () => false,
    onLimiter: (limiter: LimitFunction) => void limiter,
  });
  expect(sent).toEqual(['key-2']);
  expect(recorded.map((each) => [each.row, each.conclusion.state])).toEqual([
    [2, 'created'],
    [3, 'unknown'],
    [4, 'ready'],
  ]);
});
