/* The lock by which one sandbox at a time serves a data folder. */

import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

interface LockContent {
  readonly pid: number;
  /** Distinguishes a living holder from a later process with the same id; null where the system has no /proc. */
  readonly startedAt: string | null;
}

/** The error when another sandbox serves the data folder; its message names the process. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

/**
 * Takes the lock of a data folder, so that two sandboxes never write one journal. The lock of a dead process is taken
 * over.
 * @returns a function that releases the lock
 * @throws DataFolderInUse
 */
export function takeLock(dataDir: string): () => void {
  const path = join(dataDir, 'lock');
  const mine: LockContent = { pid: process.pid, startedAt: statOf(process.pid)?.startedAt ?? null };
  const draft = `${path}.${process.pid}.${threadId}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    while (!tryLink(draft, path)) removeIfStale(path, draft, dataDir);
  } finally {
    unlinkSync(draft);
  }
  return () => unlinkSync(path);
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeIfStale(path: string, draft: string, dataDir: string): void {
  const found = readIfThere(path);
  if (found === undefined) return;
  const holder = parse(found);
  if (holder !== undefined && isAlive(holder)) {
    throw new DataFolderInUse(`the sandbox's data folder ${dataDir} is in use by process ${holder.pid}`);
  }
  // Renaming first ensures that only one of two sandboxes removes the dead lock, and not the other's new one.
  const aside = `${draft}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(aside) !== found) tryLink(aside, path);
  unlinkSync(aside);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(content: string): LockContent | undefined {
  try {
    return JSON.parse(content) as LockContent;
  } catch {
    return undefined;
  }
}

function isAlive(holder: LockContent): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  const found = statOf(holder.pid);
  // A killed process that its parent has not reaped yet (a zombie) no longer holds the lock.
  if (found === undefined || holder.startedAt === null) return true;
  return found.state !== 'Z' && found.startedAt === holder.startedAt;
}

/** The 3rd and the 22nd field of proc(5)'s stat: the state, and clock ticks between boot and start. */
function statOf(pid: number): { state: string; startedAt: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
