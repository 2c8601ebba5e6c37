import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { watchHalts } from '../../src/send/halt-watch.ts';

const halt = { id: 1, note: 'wrong accounts', by: 'ada', at: '2026-11-27T06:00:00.000Z' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watch(readHalt: () => Promise<typeof halt | null>, isEmbedded = false) {
  const stops: PaybatchError[] = [];
  const clock = { now: () => new Date(), monotonicInMs: () => performance.now() };
  const watched = watchHalts({ ledger: { readHalt }, clock, isEmbedded, onStop: (stop) => stops.push(stop) });
  return { ...watched, stops };
}

it('a run stops within two seconds after everything was halted', async () => {
  let standing: typeof halt | null = null;
  const { stops, maySend } = watch(async () => standing);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([stops.length, maySend()]).toEqual([0, true]);
  standing = halt;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stops).toMatchObject([{ code: 'halted', message: expect.stringContaining('wrong accounts') }]);
  expect(maySend()).toBe(false);
});

it.each([
  ['refuses', () => Promise.reject(new Error('gone'))],
  ['does not answer', () => new Promise<null>(() => {})],
])('a run stops within twenty seconds where the ledger %s', async (_, silent) => {
  let read: () => Promise<typeof halt | null> = async () => null;
  const { stops, maySend } = watch(() => read());
  await vi.advanceTimersByTimeAsync(5_000);
  read = silent;
  await vi.advanceTimersByTimeAsync(15_000);
  expect([stops.length, maySend()]).toEqual([0, true]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(stops).toMatchObject([{ code: 'database_unavailable', kind: 'stopped' }]);
  expect(maySend()).toBe(false);
});

it('after a pause of the program a request waits for the answer of the ledger', async () => {
  let standing: typeof halt | null = null;
  const { maySend } = watch(async () => standing);
  vi.setSystemTime(Date.now() + 60_000);
  expect(await maySend()).toBe(true);
  standing = halt;
  vi.setSystemTime(Date.now() + 60_000);
  expect(await maySend()).toBe(false);
});

it('an embedded ledger may be busy for long', async () => {
  const { stops, maySend } = watch(() => new Promise(() => {}), true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([stops.length, maySend()]).toEqual([0, true]);
});
