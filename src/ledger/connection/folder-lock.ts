/* The lock file of an embedded ledger: one process at a time has it open. */

import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunOwner } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { mayBeAlive, thisOwner } from './owner.ts';

/** A guard older than this was left behind by a taker that died within its few microseconds. */
const staleGuardInMs = 5_000;

/**
 * Keeps a second process out of the embedded ledger's folder: PostgreSQL compiled to WebAssembly has no
 * lock of its own, and two processes would corrupt the data. The lock file says who holds it; one of a
 * dead process is taken over.
 * @returns a function that releases the lock
 * @throws PaybatchError (`busy`) that names the holder
 */
export async function lockFolder(directory: string): Promise<() => void> {
  const path = join(directory, 'ledger.lock');
  const me = JSON.stringify(thisOwner());
  for (let tries = 0; tries < 50; tries += 1) {
    if (createExclusively(path, me)) return () => releaseIfMine(path, me);
    const holder = readHolder(path);
    if (holder === 'gone') continue;
    if (holder !== 'unreadable' && mayBeAlive(holder)) throw heldBy(directory, path, holder);
    removeStale(path, holder);
    await sleep(20);
  }
  throw new PaybatchError(
    'ledger_locked',
    `The lock of the ledger in ${directory} cannot be read or taken.`,
    `if no run of this program is under way, remove ${path}`,
  );
}

function heldBy(directory: string, path: string, holder: RunOwner): PaybatchError {
  const pid = holder.process.split(' ', 1)[0];
  return new PaybatchError(
    'ledger_locked',
    `The embedded ledger in ${directory} is in use by process ${pid} on ${holder.host}.`,
    [
      { action: 'advice', text: 'wait for it to end', next: { action: 'again' } },
      {
        action: 'set',
        purpose: 'work in parallel on a PostgreSQL server',
        oneOf: [{ setting: 'databaseUrl' }],
      },
      `if ${holder.host} is gone for good, remove ${path}`,
    ],
  );
}

/** Written beside and then linked: a process that is killed in between leaves no lock that does not say whose it is. */
function createExclusively(path: string, content: string): boolean {
  const written = `${path}.${process.pid}`;
  writeFileSync(written, content, { mode: 0o600 });
  try {
    linkSync(written, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (hasCode(error, 'EPERM') || hasCode(error, 'ENOTSUP')) return createWithoutLink(path, content);
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

/** For file systems that have no links. */
function createWithoutLink(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function readHolder(path: string): RunOwner | 'gone' | 'unreadable' {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof holder === 'object' && holder !== null && 'host' in holder && 'process' in holder) {
      return { host: String(holder.host), process: String(holder.process) };
    }
    return 'unreadable';
  } catch (error) {
    return hasCode(error, 'ENOENT') ? 'gone' : 'unreadable';
  }
}

/** Only one process at a time may look at a stale lock and remove it, so that it does not remove its successor's. */
function removeStale(path: string, seen: RunOwner | 'unreadable'): void {
  const guard = `${path}.takeover`;
  try {
    mkdirSync(guard);
  } catch {
    removeAbandoned(guard);
    return;
  }
  try {
    const now = readHolder(path);
    const isSame = JSON.stringify(now) === JSON.stringify(seen);
    // A file without content may just be written: it counts as abandoned only when it stays so.
    const isAbandoned = now !== 'unreadable' || ageInMs(path) > staleGuardInMs;
    if (isSame && isAbandoned) rmSync(path, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

function removeAbandoned(guard: string): void {
  if (ageInMs(guard) <= staleGuardInMs) return;
  try {
    rmdirSync(guard);
  } catch {
    // The owner, or another waiting process, was faster.
  }
}

function ageInMs(path: string): number {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? 0 : Date.now() - changed;
}

function releaseIfMine(path: string, me: string): void {
  try {
    if (readFileSync(path, 'utf8') === me) rmSync(path, { force: true });
  } catch {
    // Somebody removed it by hand: there is nothing left to release.
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
