import { expect, it } from 'vitest';
import { EntryToken, SessionsOfProcess, sessionLimits } from '../../../src/console/access/sessions.ts';

it('ends a session that was idle for too long, and every one after its longest time', async () => {
  let now = 0;
  const sessions = new SessionsOfProcess(() => now);
  const { idleInMs, longestInMs } = sessionLimits;
  const idle = await sessions.begin({ name: 'amina' });
  now += idleInMs + 1;
  expect(await sessions.find(idle)).toBeNull();
  const busy = await sessions.begin({ name: 'amina' });
  const began = now;
  while (now - began + idleInMs <= longestInMs) {
    now += idleInMs;
    expect(await sessions.find(busy)).toEqual({ name: 'amina' });
  }
  now = began + longestInMs + 1;
  expect(await sessions.find(busy)).toBeNull();
});

it('ends a session that was left, and knows no made-up one', async () => {
  const sessions = new SessionsOfProcess();
  const token = await sessions.begin({ name: 'amina' });
  await sessions.end(token);
  expect(await sessions.find(token)).toBeNull();
  expect(await sessions.find('A'.repeat(43))).toBeNull();
});

it('lets the entry token in once', () => {
  const entry = new EntryToken();
  expect(entry.use('')).toBe(false);
  expect(entry.use(entry.text)).toBe(true);
  expect(entry.use(entry.text)).toBe(false);
});
