import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EntryToken, SessionsInFile } from '../../../src/console/access/sessions.ts';
import { sessionLimits } from '../../../src/domain/controls/sign-in.ts';

const amina = { name: 'amina', role: 'owner' } as const;

/** Sessions in a file of their own, with a clock that the test sets. */
async function openSessions(): Promise<{
  readonly clock: { now: number };
  readonly sessions: SessionsInFile;
  readonly path: string;
  readonly again: () => Promise<SessionsInFile>;
}> {
  const path = join(await mkdtemp(join(tmpdir(), 'sessions-')), 'console.sessions');
  const clock = { now: 1_700_000_000_000 };
  const again = (): Promise<SessionsInFile> => SessionsInFile.open(path, amina, () => clock.now);
  return { clock, path, again, sessions: await again() };
}

it('ends a session that was idle for too long, and every one after its longest time', async () => {
  const { clock, sessions } = await openSessions();
  const { idleInMs, longestInMs } = sessionLimits;
  const idle = await sessions.begin();
  clock.now += idleInMs + 1;
  expect(await sessions.find(idle, true)).toEqual({ viewer: null, isTimedOut: true });
  const busy = await sessions.begin();
  const began = clock.now;
  while (clock.now - began + idleInMs <= longestInMs) {
    clock.now += idleInMs;
    expect(await sessions.find(busy, true)).toEqual({ viewer: amina, isTimedOut: false });
  }
  clock.now = began + longestInMs + 1;
  expect((await sessions.find(busy, true)).viewer).toBeNull();
});

it('is not kept alive by a page that asks by itself', async () => {
  const { clock, sessions } = await openSessions();
  const token = await sessions.begin();
  clock.now += sessionLimits.idleInMs;
  expect((await sessions.find(token, false)).viewer).toEqual(amina);
  clock.now += 1;
  expect((await sessions.find(token, true)).viewer).toBeNull();
});

it('ends a session that was left, and knows no made-up one', async () => {
  const { sessions, again } = await openSessions();
  const token = await sessions.begin();
  await sessions.end(token);
  expect((await sessions.find(token, true)).viewer).toBeNull();
  expect((await (await again()).find(token, true)).viewer).toBeNull();
  expect(await sessions.find('A'.repeat(43), true)).toEqual({ viewer: null, isTimedOut: false });
});

describe('a console that is started anew', () => {
  it('knows the sessions of the one before, until they end', async () => {
    const { clock, sessions, path, again } = await openSessions();
    const token = await sessions.begin();
    clock.now += 20 * 60_000;
    await sessions.find(token, true);
    clock.now += 20 * 60_000;
    const second = await again();
    expect(await second.find(token, true)).toEqual({ viewer: amina, isTimedOut: false });
    clock.now += sessionLimits.idleInMs + 1;
    expect(await (await again()).find(token, true)).toEqual({ viewer: null, isTimedOut: true });
    expect(await readFile(path, 'utf8')).not.toContain(token);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{}', '[{"hash":"x"}]', 'no JSON'])('accepts no session if the file has %j', async (text) => {
    const { path, again } = await openSessions();
    await writeFile(path, text);
    const sessions = await again();
    expect((await sessions.find('A'.repeat(43), true)).viewer).toBeNull();
    const token = await sessions.begin();
    expect((await sessions.find(token, true)).viewer).toEqual(amina);
  });
});

it('lets the entry token in once', () => {
  const entry = new EntryToken();
  expect(entry.use('')).toBe(false);
  expect(entry.use(entry.text)).toBe(true);
  expect(entry.use(entry.text)).toBe(false);
});
