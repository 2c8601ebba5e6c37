import { beforeEach, describe, expect, it } from 'vitest';
import type { RunStop } from '../../src/domain/sending/stops.ts';
import {
  created,
  lost,
  namesOf,
  notFound,
  notSent,
  path,
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

describe('a stopping answer', () => {
  it.each([
    [reply(401), 'credentials'],
    [reply(403), 'credentials'],
    [reply(404, '<html>', { contentType: 'text/html' }), 'not_the_api'],
  ])('that is conclusive stops the run and leaves the row as it was', async (answer, reason) => {
    const result = await bench.sendScript([answer]);
    expect(result.stop).toMatchObject({ name: 'RunStop', reason });
    expect(result.conclusion).toMatchObject({ state: 'ready', code: reason });
    expect(result.attempts).toHaveLength(1);
  });

  it.each([
    [reply(302), 'redirect'],
    [reply(307), 'redirect'],
    [reply(200, '<html>', { contentType: 'text/html' }), 'not_the_api'],
    [reply(201, '<!doctype html>'), 'not_the_api'],
  ])(
    'that says nothing about the request stops the run and leaves the row in doubt',
    async (answer, reason) => {
      const result = await bench.sendScript([answer]);
      expect(result.stop).toMatchObject({ name: 'RunStop', reason });
      expect(result.conclusion).toMatchObject({ state: 'unknown', code: reason });
      expect(result.attempts).toMatchObject([{ outcome: 'unknown', reason }]);
    },
  );

  it('keeps the row unknown if an earlier try is unknown', async () => {
    expect((await bench.sendScript([lost, reply(401)])).conclusion).toMatchObject({
      state: 'unknown',
      code: 'connection_lost',
    });
  });

  it('lets what is in flight finish and starts nothing more', async () => {
    bench.api.scripts.set('row 0', [reply(401)]);
    bench.api.scripts.set('row 1', [lost]);
    bench.api.scripts.set('row 2', [refused]);
    const results = await bench.sendAll(bench.sender(), namesOf(50), 4);
    expect(bench.api.received).toHaveLength(4);
    expect(results.slice(0, 6).map(stateOf)).toEqual([
      'credentials: ready',
      'credentials: unknown',
      'rejected',
      'created',
      'credentials: ready',
      'credentials: ready',
    ]);
  });
});

describe('the user’s stop', () => {
  it('ends a wait at once and concludes the row in its present state', async () => {
    const sending = bench.sendScript([reply(429, '', { retryAfter: '600' })]);
    await bench.wait(150);
    bench.stop.abort();
    const { conclusion } = await sending;
    expect(conclusion).toMatchObject({ state: 'ready' });
    expect(bench.elapsedInMs()).toBe(150);
  });

  it('lets a try in flight get its answer', async () => {
    const sending = bench.sendScript([created]);
    await bench.wait(50);
    bench.stop.abort();
    expect((await sending).conclusion).toMatchObject({ state: 'created' });
  });

  it('starts no try after it', async () => {
    bench.stop.abort();
    expect((await bench.sendScript([created])).conclusion).toMatchObject({ state: 'ready', attempts: [] });
    expect(bench.api.received).toEqual([]);
  });
});

describe('an API that is down', () => {
  it.each([lost, notSent, reply(500), reply(503)])(
    'stops the run after some tens of requests',
    async (answer) => {
      bench.api.fallback = answer;
      const results = await bench.sendAll(bench.sender(), namesOf(1000));
      expect(bench.api.received.length).toBeLessThan(60);
      const expected = answer.kind === 'not_sent' ? 'unavailable: ready' : 'unavailable: unknown';
      expect(stateOf(results[0])).toBe(expected);
      expect(stateOf(results.at(-1))).toBe('unavailable: ready');
    },
  );

  it('is reported at the end of a run without any answer, even if it had few rows', async () => {
    bench.api.fallback = lost;
    const sender = bench.sender();
    const results = await bench.sendAll(sender, namesOf(4), 4);
    expect(bench.api.received).toHaveLength(20);
    expect(new Set(results.map(stateOf))).toEqual(new Set(['unknown']));
    expect(sender.silence()).toMatchObject({ reason: 'unavailable' });
  });

  it('is not reported if the rows are too few to prove it', async () => {
    bench.api.fallback = lost;
    const sender = bench.sender();
    await bench.sendAll(sender, namesOf(3), 4);
    expect(sender.silence()).toBeNull();
  });

  it('does not stop a run for one row that always fails among others', async () => {
    bench.api.scripts.set('row 3', [reply(500)]);
    const results = await bench.sendAll(bench.sender(), namesOf(200), 2);
    expect(results.filter((result) => stateOf(result) === 'created')).toHaveLength(199);
    expect(stateOf(results[3])).toBe('unknown');
  });
});

describe('an API that fails now and then', () => {
  it('gets its retries put off rather than dropped', async () => {
    for (const name of namesOf(300)) bench.api.scripts.set(name, [lost, reply(502), created]);
    // A row in between that succeeds at once keeps the breaker quiet.
    const names = namesOf(300).flatMap((name, index) => [name, `fine ${index}`]);
    const results = await bench.sendAll(bench.sender(), names);
    expect(new Set(results.map(stateOf))).toEqual(new Set(['created']));
    // 600 retries against an initial 20 and a fifth of 1,200 requests: the others come at ten a second.
    expect(bench.elapsedInMs()).toBeGreaterThan(30_000);
  });
});

describe('a 404', () => {
  it('to every first request stops the run and leaves the rows as they were', async () => {
    bench.api.fallback = notFound;
    const results = await bench.sendAll(bench.sender(), namesOf(500));
    expect(new Set(results.map(stateOf))).toEqual(new Set(['wrong_path: ready']));
    expect(bench.api.received.length).toBeLessThanOrEqual(16);
    expect((results[0] as RunStop).message).toContain(path);
  });

  it.each([1, 2, 4])('stops the run also when only %i requests are under way', async (concurrency) => {
    bench.api.fallback = notFound;
    const results = await bench.sendAll(bench.sender(), namesOf(30), concurrency);
    expect(new Set(results.map(stateOf))).toEqual(new Set(['wrong_path: ready']));
    expect(bench.api.received).toHaveLength(concurrency);
  });

  it('ten times over stops the run even while other requests are open', async () => {
    const sender = bench.sender();
    bench.api.slowRows.set('slow', 60_000);
    const slow = sender.send(requestOf('slow'), row, () => {});
    for (const name of namesOf(10)) bench.api.scripts.set(name, [notFound]);
    const results = await bench.sendAll(sender, namesOf(10));
    expect(new Set(results.map(stateOf))).toEqual(new Set(['wrong_path: ready']));
    expect(bench.elapsedInMs()).toBe(100);
    expect(await slow).toMatchObject({ state: 'created' });
  });

  it('waits for what is under way, and is decided when that ends without proof', async () => {
    const sender = bench.sender({ maxAttempts: 1 });
    bench.api.scripts.set('slow', [lost]);
    bench.api.slowRows.set('slow', 60_000);
    const slow = sender.send(requestOf('slow'), row, () => {});
    const { stop: stopped } = await bench.sendScript([notFound], {}, sender);
    expect(stopped).toMatchObject({ reason: 'wrong_path' });
    expect(bench.elapsedInMs()).toBe(60_000);
    expect(await slow).toMatchObject({ state: 'unknown' });
  });

  it('among other conclusive answers is a refusal, the first one too', async () => {
    for (const name of ['row 0', 'row 1', 'row 9']) bench.api.scripts.set(name, [notFound]);
    bench.api.scripts.set('row 5', [reply(503), created]);
    const results = await bench.sendAll(bench.sender(), namesOf(20), 4);
    expect(results.map(stateOf).flatMap((state, index) => (state === 'rejected' ? [index] : []))).toEqual([
      0, 1, 9,
    ]);
    expect(results[0]).toMatchObject({ code: 'http_404' });
  });

  it.each([refused, reply(409), reply(400), reply(200, '{}')])(
    'counts once the path gave another answer',
    async (other) => {
      const sender = bench.sender();
      await bench.sendScript([other], {}, sender);
      expect((await bench.sendScript([notFound], {}, sender)).conclusion).toMatchObject({
        state: 'rejected',
      });
    },
  );

  it('does not count after a page under a 2xx', async () => {
    const sender = bench.sender();
    const page = reply(200, '<html>', { contentType: 'text/html' });
    await bench.sendScript([page], {}, sender);
    expect((await bench.sendScript([notFound], {}, sender)).stop).toMatchObject({ reason: 'not_the_api' });
  });

  it.each([reply(500), lost, notSent, reply(429)])(
    'does not count after an answer that proves nothing',
    async (other) => {
      const sender = bench.sender();
      await bench.sendScript([other], {}, sender);
      expect((await bench.sendScript([notFound], {}, sender)).stop).toMatchObject({ reason: 'wrong_path' });
    },
  );

  it('is judged path by path', async () => {
    const sender = bench.sender();
    await bench.sendScript([created], {}, sender);
    bench.api.fallback = notFound;
    const results = await bench.sendAll(sender, ['other'], 1, '/v1/customers');
    expect(results.map(stateOf)).toEqual(['wrong_path: ready']);
  });

  it('counts at once on a path that an earlier run proved', async () => {
    const sender = bench.sender({ isPathProven: (asked) => asked === path });
    expect((await bench.sendScript([notFound], {}, sender)).conclusion).toMatchObject({ state: 'rejected' });
  });

  it('that waits for its verdict does not outlast the user’s stop', async () => {
    const sender = bench.sender();
    bench.api.scripts.set('slow', [reply(429, '', { retryAfter: '600' })]);
    const slow = sender.send(requestOf('slow'), row, () => {});
    const waiting = bench.sendScript([notFound], {}, sender);
    await bench.wait(150);
    bench.stop.abort();
    expect((await waiting).conclusion).toMatchObject({ state: 'ready', code: 'http_404' });
    expect(await slow).toMatchObject({ state: 'ready' });
  });
});

describe('a confirmation that names an error', () => {
  it('leaves its row unknown with what the API says, and neither repeats its request nor stops the run', async () => {
    const named = reply(200, '{"id":"object-1","error":{"code":"kyc_pending","message":"not yet"}}');
    for (const name of namesOf(30)) bench.api.scripts.set(name, [named]);
    const results = await bench.sendAll(bench.sender(), namesOf(40), 1);
    expect(bench.api.received).toHaveLength(40);
    expect(results[0]).toMatchObject({ state: 'unknown', code: 'kyc_pending' });
    expect(results.map(stateOf).filter((state) => state === 'created')).toHaveLength(10);
  });
});

describe('a conflict', () => {
  it('after a try without an answer leaves the row unknown: a later run asks again', async () => {
    const result = await bench.sendScript([lost, reply(409)]);
    expect(result.conclusion).toMatchObject({ state: 'unknown', code: 'conflict' });
    expect(result.attempts).toHaveLength(5);
  });
});

describe('confirmations without an id', () => {
  const withoutId = reply(201, '{"customer_number":"17"}');

  it('stop the run after a few, and leave the rows in doubt', async () => {
    for (const name of namesOf(50)) bench.api.scripts.set(name, [withoutId, withoutId]);
    const results = await bench.sendAll(bench.sender(), namesOf(50), 1);
    expect(bench.api.received.length).toBeLessThanOrEqual(6);
    expect(results.slice(0, 4).map(stateOf)).toEqual([
      'unknown',
      'unknown',
      'no_id: unknown',
      'no_id: ready',
    ]);
  });

  it('do not stop a run that has found ids before', async () => {
    const names = namesOf(50);
    for (const name of names.slice(1)) bench.api.scripts.set(name, [withoutId, withoutId]);
    const results = await bench.sendAll(bench.sender(), names, 1);
    expect(results.map(stateOf).filter((state) => state === 'unknown')).toHaveLength(49);
  });
});
