/* The file of a run log: how it ends, and whether it is still the file under its name. */

import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { ChainTip } from '../../domain/batches/run-log.ts';
import { type FileSystem, OutputError } from '../file-system.ts';
import { parseRunEvent } from './run-event.ts';
import { eventNameOf, linkedLine, noHash } from './run-head.ts';

/** Lines that are about to be written, and the tip of the chain behind each. */
interface LinkedLines {
  readonly lines: readonly string[];
  readonly tips: readonly ChainTip[];
}

/**
 * The lines of one writer. They are numbered and hashed only when they are written, since a line that was written only in
 * part is written again behind that piece.
 */
export class ChainWriter {
  #tip: ChainTip;
  #hasBegun = false;

  /** @param linesBefore number of lines that the log has already: numbering continues from there */
  constructor(linesBefore: number, chain: string = randomBytes(4).toString('hex')) {
    this.#tip = { chain, line: linesBefore, hash: noHash, claims: 0 };
  }

  get chain(): string {
    return this.#tip.chain;
  }

  /** The last line that was written; null before the first. */
  get tip(): ChainTip | null {
    return this.#hasBegun ? this.#tip : null;
  }

  /**
   * Gives lines their numbers and hashes. The state changes only when `written` says how many of them are in the file.
   * @param after the last lines of other chains, to be named by the first line
   */
  link(texts: readonly string[], after: readonly ChainTip[]): LinkedLines {
    const [lines, tips]: [string[], ChainTip[]] = [[], []];
    let { hash, line, claims, chain } = this.#tip;
    for (const [at, text] of texts.entries()) {
      const isNaming = at === 0 && (after.length > 0 || !this.#hasBegun);
      line += 1;
      const linked = linkedLine(text, { before: hash, chain, line }, isNaming ? after : null);
      hash = linked.hash;
      claims = (claims ?? 0) + (eventNameOf(text) === 'claim.made' ? 1 : 0);
      lines.push(linked.line);
      tips.push({ chain, line, hash, claims });
    }
    return { lines, tips };
  }

  written(tip: ChainTip): void {
    this.#tip = tip;
    this.#hasBegun = true;
  }
}

const NEWLINE = 0x0a;
const TAIL_BYTES = 64 * 1024;

/**
 * Lines in a file that was deleted, moved or replaced are on disk, but no reader finds them.
 * @throws OutputError when the log's name does not lead to this file any more
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
 * Number of lines that are completely within a number of bytes. Lines are ASCII; a line that lacks only its newline is
 * whole, and the next writer ends it.
 */
export function completeLines(lines: readonly string[], bytes: number): number {
  let end = 0;
  const cut = lines.findIndex((line) => {
    end += line.length;
    return end - 1 > bytes;
  });
  return cut < 0 ? lines.length : cut;
}

/** Whether the next write begins a line: another worker, or an earlier run, may have left a piece of one. */
export async function endsInLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}

/** How a log ends: with whole lines, a whole line that lacks its newline, or something that is not an event. */
export async function endOf(handle: FileHandle, size: number): Promise<'line' | 'event' | 'piece'> {
  if (size === 0) return 'line';
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  await handle.read(tail, 0, tail.length, size - tail.length);
  const text = tail.toString('latin1');
  const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
  if (parseRunEvent(lastLine) === null) return 'piece';
  return text.endsWith('\n') ? 'line' : 'event';
}

/** The log was cut, or replaced by an older copy, while a run writes it. */
export function shortened(path: string): OutputError {
  return new OutputError(
    'run_log_gone',
    `The run log ${path} was shortened while it was being written.`,
    'leave it alone while a run is under way: the next run writes what it lacks',
  );
}
