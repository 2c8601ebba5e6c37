import { beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../src/api/exchange.ts';
import { createRateLimiter } from '../../src/api/limiters.ts';
import {
  created,
  lost,
  namesOf,
  notSent,
  refused,
  reply,
  requestOf,
  row,
  SenderBench,
  stateOf,
} from './sender-bench.ts';

let bench: SenderBench;

beforeEach(() => {
  bench = new SenderBench();
});

describe('one row’s tries', () => {
  it('end with the first conclusive answer', async () => {
    const { conclusion, attempts } = await bench.sendScript([lost, reply(503), notSent, created]);
    expect(conclusion).toMatchObject({ state: 'created', objectId: 'object-1' });
    expect(
      attempts.map(({ number, outcome, reason, httpStatus }) => [number, outcome, reason, httpStatus]),
    ).toEqual([
      [1, 'unknown', 'connection_lost', null],
      [2, 'unknown', 'server_error', 503],
      [3, 'not_sent', 'connection_refused', null],
      [4, 'created', null, 201],
    ]);
    expect(conclusion?.attempts).toEqual(attempts);
    expect(attempts.map(({ durationInMs }) => durationInMs)).toEqual([100, 100, 100, 100]);
    expect(attempts[3]).toMatchObject({ objectId: 'object-1', answer: '{"id":"object-1"}' });
  });

  it('all send the very same bytes, key and path', async () => {
    await bench.sendScript([lost, lost, lost, created]);
    const [first, ...others] = bench.api.received.map(({ request }) => request);
    expect(others).toHaveLength(3);
    for (const other of others) expect(other).toBe(first);
  });

  it('go on counting where earlier claims stopped', async () => {
    const { attempts } = await bench.sendScript([lost, created], { attemptsBefore: 7 });
    expect(attempts.map(({ number }) => number)).toEqual([8, 9]);
  });

  it.each([1, 3, 5])('are no more than %i when that is the limit', async (maxAttempts) => {
    const { conclusion } = await bench.sendScript([lost], {}, bench.sender({ maxAttempts }));
    expect(bench.api.received).toHaveLength(maxAttempts);
    expect(conclusion).toMatchObject({ state: 'unknown', code: 'connection_lost' });
  });

  it('take a refusal for final only when no earlier try is in doubt', async () => {
    expect((await bench.sendScript([notSent, refused])).conclusion).toMatchObject({
      state: 'rejected',
      code: 'bad_iban',
    });
    expect((await bench.sendScript([lost, refused])).conclusion).toMatchObject({
      code: 'contradicting_answers',
    });
    expect((await bench.sendScript([refused], { isEarlierTryUnknown: true })).conclusion).toMatchObject({
      state: 'held',
      code: 'contradicting_answers',
    });
  });

  it('leave a row ready that was never sent, and unknown one that was in doubt before', async () => {
    expect((await bench.sendScript([notSent])).conclusion).toMatchObject({ state: 'ready' });
    expect((await bench.sendScript([notSent], { isEarlierTryUnknown: true })).conclusion).toMatchObject({
      state: 'unknown',
    });
  });

  it('repeat a conflict three times and leave the rest to a person', async () => {
    const { conclusion } = await bench.sendScript([reply(409)]);
    expect(bench.api.received).toHaveLength(4);
    expect(conclusion).toMatchObject({ state: 'held', code: 'conflict' });
  });

  it('wait longer and longer', async () => {
    bench.timing.setRandom(() => 0.999_999);
    bench.api.answerTimeInMs = 0;
    await bench.sendScript([lost]);
    // The first retry comes soon; then the row is set aside for others.
    expect(bench.timing.sleeps).toEqual([500, 2000, 4000, 8000]);
  });

  it('start no more once the key is too old', async () => {
    const resendUntil = bench.timing.monotonicInMs() + 300;
    const { conclusion } = await bench.sendScript([lost], { resendUntil });
    expect(bench.api.received.map(({ atInMs }) => atInMs < resendUntil)).toEqual([true]);
    expect(conclusion).toMatchObject({ state: 'unknown' });
    const late = await bench.sendScript([created], {
      resendUntil: bench.timing.monotonicInMs(),
      isEarlierTryUnknown: true,
    });
    expect(late).toMatchObject({ conclusion: { state: 'unknown', attempts: [] } });
  });

  it('begin even under a key that may never be sent again, since the first one repeats nothing', async () => {
    const resendUntil = bench.timing.monotonicInMs();
    expect((await bench.sendScript([lost], { resendUntil })).conclusion?.attempts).toHaveLength(1);
    const takenOver = { resendUntil, isEarlierTryUnknown: true };
    expect((await bench.sendScript([created], takenOver)).conclusion?.attempts).toEqual([]);
    expect(
      (await bench.sendScript([created], { resendUntil, attemptsBefore: 1 })).conclusion?.attempts,
    ).toEqual([]);
  });

  it('do not hold a row whose conflict had no time for its retries', async () => {
    const { conclusion } = await bench.sendScript([reply(409)], {
      resendUntil: bench.timing.monotonicInMs() + 50,
    });
    expect(conclusion).toMatchObject({ state: 'unknown', code: 'conflict' });
  });

  it('keep no answer as evidence that is cut or huge', async () => {
    const cut: Reply = { ...reply(500), kind: 'answer', body: { state: 'cut' } } as Reply;
    const { attempts } = await bench.sendScript([
      cut,
      reply(201, `{"id":"x","more":"${'y'.repeat(70_000)}"}`),
    ]);
    expect(attempts.map(({ outcome, answer }) => [outcome, answer])).toEqual([
      ['unknown', null],
      ['created', null],
    ]);
  });

  it('end with the error of a listener that cannot keep the attempt', async () => {
    const failure = new Error('the disk is full');
    const sending = bench.sender().send(requestOf('it'), row, () => {
      throw failure;
    });
    await expect(sending).rejects.toBe(failure);
    expect(bench.api.received).toHaveLength(1);
  });
});

describe('a 429', () => {
  it('keeps back every row of the run, also those that did not get it', async () => {
    const sender = bench.sender();
    bench.api.scripts.set('a', [reply(429, '', { retryAfter: '30' }), created]);
    const first = sender.send(requestOf('a'), row, () => {});
    await bench.wait(150);
    const second = sender.send(requestOf('b'), row, () => {});
    expect([(await first).state, (await second).state]).toEqual(['created', 'created']);
    const [, ...later] = bench.arrivalsInMs();
    expect(later).toHaveLength(2);
    for (const atInMs of later) expect(atInMs).toBeGreaterThanOrEqual(30_100);
  });

  it('keeps back a row too that was waiting for the rate when it came', async () => {
    const sender = bench.sender({ rate: createRateLimiter(1, bench.timing) });
    bench.api.scripts.set('row 0', [reply(429, '', { retryAfter: '30' }), created]);
    await bench.sendAll(sender, namesOf(2));
    expect(bench.arrivalsInMs().map((atInMs) => atInMs >= 30_000)).toEqual([false, true, true]);
  });

  it('without a wait still delays all rows, and is reported to the limit and the display', async () => {
    const pauses: number[] = [];
    await bench.sendScript(
      [reply(429), created],
      {},
      bench.sender({ onPause: (waitInMs) => pauses.push(waitInMs) }),
    );
    expect(pauses).toEqual([1000]);
    expect([bench.congestions, bench.answers]).toEqual([1, 1]);
    expect(bench.elapsedInMs()).toBeGreaterThanOrEqual(1000);
  });

  it('counts as a try, and leaves the row as it was', async () => {
    const { conclusion } = await bench.sendScript([reply(429)]);
    expect(bench.api.received).toHaveLength(5);
    expect(conclusion).toMatchObject({ state: 'ready', code: 'throttled' });
  });

  it('never makes the API count as down', async () => {
    bench.api.fallback = reply(429);
    const results = await bench.sendAll(bench.sender(), namesOf(20));
    expect(new Set(results.map(stateOf))).toEqual(new Set(['ready']));
  });

  it('is respected in a 503 too, when that says how long', async () => {
    await bench.sendScript([reply(503, '', { retryAfter: '20' }), created]);
    expect(bench.elapsedInMs()).toBeGreaterThanOrEqual(20_000);
    expect(bench.congestions).toBe(1);
  });
});

describe('the rate', () => {
  it('holds for retries as for first tries', async () => {
    const sender = bench.sender({ rate: createRateLimiter(2, bench.timing) });
    bench.api.answerTimeInMs = 0;
    bench.api.scripts.set('row 0', [lost, lost, created]);
    await bench.sendAll(sender, namesOf(4));
    const starts = bench.arrivalsInMs();
    expect(starts).toHaveLength(6);
    starts.slice(1).forEach((start, index) => {
      expect(start - (starts[index] ?? 0)).toBeGreaterThanOrEqual(500);
    });
  });
});
