/* The file of a run log: what it ends with, and whether it is still the one that others find under its name. */

import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type FileSystem, OutputError } from '../file-system.ts';
import { parseRunEvent } from './run-event.ts';

const NEWLINE = 0x0a;
const TAIL_BYTES = 64 * 1024;

/**
 * Lines that are written to a file which was deleted, moved or replaced are on disk, and no reader finds them.
 * @throws OutputError when the file is not the one under the log's name any more
 */
export async function requireInPlace(files: FileSystem, handle: FileHandle, path: string): Promise<void> {
  const [own, there] = await Promise.all([handle.stat(), statOf(files, path)]);
  if (there?.dev === own.dev && there.ino === own.ino) return;
  throw new OutputError(
    'run_log_gone',
    `The run log ${path} ${there === null ? 'is not there any more' : 'was replaced by another file'} while it was being written.`,
    'put it back if you have it, and leave it alone while a run is under way: the next run writes what it lacks',
  );
}

async function statOf(files: FileSystem, path: string): Promise<Stats | null> {
  try {
    return await files.lstat(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * How many lines lie completely within a number of bytes. Lines are ASCII; one that lacks nothing but its newline is whole, and
 * the next writer ends it.
 */
export function completeLines(lines: readonly string[], bytes: number): number {
  let end = 0;
  const cut = lines.findIndex((line) => {
    end += line.length;
    return end - 1 > bytes;
  });
  return cut < 0 ? lines.length : cut;
}

/** Whether what is written next begins a line: another worker, or an earlier run, may have left a piece of one. */
export async function endsInLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}

/** What a log ends with: whole lines, a whole line that lacks its newline, or something that is no event. */
export async function endOf(handle: FileHandle, size: number): Promise<'line' | 'event' | 'piece'> {
  if (size === 0) return 'line';
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  await handle.read(tail, 0, tail.length, size - tail.length);
  const text = tail.toString('latin1');
  const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
  if (parseRunEvent(lastLine) === null) return 'piece';
  return text.endsWith('\n') ? 'line' : 'event';
}

/** Somebody has cut the log, or put an older copy in its place, while a run writes it. */
export function shortened(path: string): OutputError {
  return new OutputError(
    'run_log_gone',
    `The run log ${path} was shortened while it was being written.`,
    'leave it alone while a run is under way: the next run writes what it lacks',
  );
}
