import { expect, it } from 'vitest';
import { EntryToken, SessionsOfProcess } from '../../../src/console/access/sessions.ts';
import { sessionLimits } from '../../../src/domain/controls/sign-in.ts';

const amina = { name: 'amina', role: 'owner' } as const;

it('ends a session that was idle for too long, and every one after its longest time', async () => {
  let now = 0;
  const sessions = new SessionsOfProcess(() => now);
  const { idleInMs, longestInMs } = sessionLimits;
  const idle = await sessions.begin(amina);
  now += idleInMs + 1;
  expect(await sessions.find(idle, true)).toEqual({ viewer: null, isTimedOut: true });
  const busy = await sessions.begin(amina);
  const began = now;
  while (now - began + idleInMs <= longestInMs) {
    now += idleInMs;
    expect(await sessions.find(busy, true)).toEqual({ viewer: amina, isTimedOut: false });
  }
  now = began + longestInMs + 1;
  expect((await sessions.find(busy, true)).viewer).toBeNull();
});

it('is not kept alive by a page that asks by itself', async () => {
  let now = 0;
  const sessions = new SessionsOfProcess(() => now);
  const token = await sessions.begin(amina);
  now += sessionLimits.idleInMs;
  expect((await sessions.find(token, false)).viewer).toEqual(amina);
  now += 1;
  expect((await sessions.find(token, true)).viewer).toBeNull();
});

it('ends a session that was left, and knows no made-up one', async () => {
  const sessions = new SessionsOfProcess();
  const token = await sessions.begin(amina);
  await sessions.end(token);
  expect((await sessions.find(token, true)).viewer).toBeNull();
  expect(await sessions.find('A'.repeat(43), true)).toEqual({ viewer: null, isTimedOut: false });
});

it('lets the entry token in once', () => {
  const entry = new EntryToken();
  expect(entry.use('')).toBe(false);
  expect(entry.use(entry.text)).toBe(true);
  expect(entry.use(entry.text)).toBe(false);
});
