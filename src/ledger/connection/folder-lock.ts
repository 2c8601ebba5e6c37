/* The lock file of an embedded ledger's folder, for one process at a time, and whether the process that owns it is alive. */

import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunOwner } from '../../domain/batches/run.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';

/**
 * A lock without content, and a guard, exist for microseconds. One that stays this long was left behind: by a power cut,
 * after which a file may exist without its content, or by a process that was killed in that time.
 */
const staleAfterInMs = 5_000;

const betweenTriesInMs = 20;

/** Enough to see that several in a row are stale. Tries are counted: a busy machine may leave time for few. */
const mostTries = (2 * staleAfterInMs + 1_000) / betweenTriesInMs;

/**
 * Keeps a second process out of the embedded ledger's folder: PostgreSQL compiled to WebAssembly has no
 * lock of its own, and two processes would corrupt the data. The lock file names its holder; the lock of a
 * dead process is taken over.
 * @returns a function that releases the lock
 * @throws PaybatchError (`busy`) that names the holder
 */
export async function lockFolder(directory: string): Promise<() => void> {
  const path = join(directory, 'ledger.lock');
  const me = JSON.stringify(thisOwner());
  const ageInMs = agesOfFiles();
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (createExclusively(path, me)) return () => releaseIfMine(path, me);
    const holder = readHolder(path);
    if (holder === 'gone') continue;
    if (holder !== 'unreadable' && mayBeAlive(holder)) throw heldBy(directory, path, holder);
    removeStale(path, holder, ageInMs);
    await sleep(betweenTriesInMs);
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

/**
 * Written beside, on disk, and then linked: neither a process killed in between nor a power cut leaves a lock that does
 * not name its holder.
 */
function createExclusively(path: string, content: string): boolean {
  const written = `${path}.${process.pid}`;
  writeToDisk(written, content);
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

function writeToDisk(path: string, content: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** For file systems without links. */
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

/** Only one process at a time may examine and remove a stale lock, so that it does not remove its successor's. */
function removeStale(path: string, seen: RunOwner | 'unreadable', ageInMs: AgeInMs): void {
  const guard = `${path}.takeover`;
  try {
    mkdirSync(guard);
  } catch {
    if (ageInMs(guard) > staleAfterInMs) removeAbandoned(guard);
    return;
  }
  try {
    const now = readHolder(path);
    const isSame = JSON.stringify(now) === JSON.stringify(seen);
    // A file without content may still be in writing: it counts as abandoned only when it stays empty.
    const isAbandoned = now !== 'unreadable' || ageInMs(path) > staleAfterInMs;
    if (isSame && isAbandoned) rmSync(path, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

function removeAbandoned(guard: string): void {
  try {
    rmdirSync(guard);
  } catch {
    // The owner, or another waiting process, was faster.
  }
}

/** How old a file or folder is, in milliseconds; 0 where it is missing. */
type AgeInMs = (path: string) => number;

/** By its own time, or by how long this process saw it: after a power cut a clock may be behind the time of a file. */
function agesOfFiles(): AgeInMs {
  const seen = new Map<string, { readonly inode: number; readonly since: number }>();
  return (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 0;
    const known = seen.get(path);
    const since = known?.inode === found.ino ? known.since : performance.now();
    seen.set(path, { inode: found.ino, since });
    return Math.max(Date.now() - found.mtimeMs, performance.now() - since);
  };
}

function releaseIfMine(path: string, me: string): void {
  try {
    if (readFileSync(path, 'utf8') === me) rmSync(path, { force: true });
  } catch {
    // It was removed by hand: there is nothing left to release.
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/* The owner of a run: host and process, and whether such a process may still be alive. */

/** This program as an owner: process ids are reused, so its start and the machine's boot are included. */
export function thisOwner(): RunOwner {
  return { host: hostname(), process: identityOf(process.pid) };
}

/** Whether an owner may still be running. It only speeds up takeovers; leases decide. */
export function mayBeAlive(owner: RunOwner): boolean {
  return whereaboutsOf(owner) !== 'gone';
}

/**
 * Whether an owner is running on this host. It is not known for another host, nor for another container of this host,
 * whose process ids are unrelated; otherwise its process has to exist, and be the same one.
 */
export function whereaboutsOf(owner: RunOwner): 'here' | 'gone' | 'elsewhere' {
  if (owner.host !== hostname()) return 'elsewhere';
  const [pid, , boot, namespace] = owner.process.split(' ');
  const [, , thisBoot, thisNamespace] = identityOf(process.pid).split(' ');
  if (boot === thisBoot && namespace !== thisNamespace) return 'elsewhere';
  const number = Number(pid);
  if (!Number.isInteger(number) || number <= 0) return 'elsewhere';
  if (!isRunning(number)) return 'gone';
  const found = identityOf(number);
  // A system that hides other users' processes does not show which one it is.
  return found === String(number) || found === owner.process ? 'here' : 'gone';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * `PID START BOOT NAMESPACE` where the system reports them (Linux), else the process id alone. Only ids of
 * this program's own namespace are checked.
 */
function identityOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in brackets and may hold spaces; the start time is the 20th field after it.
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${pid} ${afterName[19] ?? ''} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return String(pid);
  }
}
