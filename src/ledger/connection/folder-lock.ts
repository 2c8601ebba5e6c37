/*
 * The lock file of an embedded ledger's folder, and the test whether the process that owns it is alive. Only one process may
 * use the folder at a time.
 */

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
 * How long a lock without content, or a guard, may exist. Normally it exists for microseconds. An older one was left behind
 * by a power cut, after which a file may exist without its content, or by a process that was killed in that time.
 */
const staleAfterInMs = 5_000;

const betweenTriesInMs = 20;

/**
 * Enough tries to recognise several stale locks in a row. Tries are counted instead of time, because a busy machine may
 * allow few tries within a time limit.
 */
const mostTries = (2 * staleAfterInMs + 1_000) / betweenTriesInMs;

/**
 * Keeps a second process out of the embedded ledger's folder. PostgreSQL compiled to WebAssembly has no lock of its own, and
 * two processes would corrupt the data. The lock file names its holder. The lock of a dead process is taken over.
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
 * Writes the content to a second file and syncs it to disk before it links the lock to that file. So neither a killed
 * process nor a power cut leaves a lock without its holder's name.
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

/** For file systems without hard links. */
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

/**
 * Only one process at a time may examine and remove a stale lock. Otherwise a process could remove the lock of its
 * successor.
 */
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
    // Another process may just be writing a file without content. The file counts as abandoned only if it stays empty.
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
    // The owner, or another waiting process, has removed it already.
  }
}

/** The age of a file or folder, in milliseconds; 0 if it does not exist. */
type AgeInMs = (path: string) => number;

/**
 * The age follows from the file's own time, or from the time since this process first saw the file. After a power cut, the
 * clock may be behind the file's time.
 */
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
    // It was removed by hand, so there is nothing left to release.
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/* The owner of a run: host and process, and whether such a process may still be alive. */

/**
 * This program as an owner. Process ids are reused, so the owner includes the process's start time and the machine's boot.
 */
export function thisOwner(): RunOwner {
  return { host: hostname(), process: identityOf(process.pid) };
}

/** Whether an owner may still be running. This only makes takeovers faster; correctness depends on leases. */
export function mayBeAlive(owner: RunOwner): boolean {
  return whereaboutsOf(owner) !== 'gone';
}

/**
 * Whether an owner is running on this host. This is unknown for another host, and for another container of this host, whose
 * process ids are unrelated. Otherwise the process has to exist and be the same one.
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
  // On a system that hides the processes of other users, only the process id can be compared.
  return found === String(number) || found === owner.process ? 'here' : 'gone';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
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
    // The command's name is in brackets and may contain spaces. The start time is the 20th field after it.
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${pid} ${afterName[19] ?? ''} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return String(pid);
  }
}
