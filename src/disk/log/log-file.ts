/* The file of a run log: opened for appending, how it ends, and whether it is still the file under its name. */

import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FileSystem, makeDirectory, OutputError, writeFully } from '../file-system.ts';
import { parseRunEvent } from './run-event.ts';

/**
 * Reading and appending; created if missing; no symbolic link is followed (where the system supports that: not on
 * Windows).
 */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

const TAIL_BYTES = 64 * 1024;
const bytesAtOnce = 1024 * 1024;

/** The file of a run log, opened for reading and appending. Its methods throw the file system's errors. */
export class LogFile {
  readonly path: string;
  /** In bytes, when it was opened. */
  readonly size: number;
  readonly #files: FileSystem;
  readonly #handle: FileHandle;

  private constructor(path: string, size: number, files: FileSystem, handle: FileHandle) {
    this.path = path;
    this.size = size;
    this.#files = files;
    this.#handle = handle;
  }

  /** Opens the file, or creates it (0600, its folder 0700). If others may read it, their permissions are removed. */
  static async open(path: string, files: FileSystem): Promise<LogFile> {
    await makeDirectory(files, dirname(path));
    const handle = await files.open(path, APPENDING, 0o600);
    try {
      const { size, mode } = await handle.stat();
      if ((mode & constants.S_IFMT) === constants.S_IFREG && (mode & 0o077) !== 0) await handle.chmod(0o600);
      return new LogFile(path, size, files, handle);
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
  }

  /** @returns how many of the bytes the disk has taken */
  async write(bytes: Buffer): Promise<number> {
    return (await this.#handle.write(bytes, 0, bytes.length)).bytesWritten;
  }

  /** Ends a line that lacks its newline. */
  async endLine(): Promise<void> {
    await writeFully(this.#handle, Buffer.from('\n'));
  }

  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /**
   * Lines in a file that was deleted, moved or replaced are on disk, but no reader finds them.
   * @throws OutputError when the log's name does not lead to this file any more
   */
  async requireInPlace(): Promise<void> {
    const [own, there] = await Promise.all([this.#handle.stat(), this.#statByName()]);
    if (there?.dev === own.dev && there.ino === own.ino) return;
    throw new OutputError(
      'run_log_gone',
      `The run log ${this.path} ${there === null ? 'is not there any more' : 'was replaced by another file'} while it was being written.`,
      'put it back if you have it, and leave it alone while a run is under way: the next run writes what it lacks',
    );
  }

  async #statByName(): Promise<Stats | null> {
    try {
      return await this.#files.lstat(this.path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      throw error;
    }
  }

  /** Opening a file makes a network file system query its server; otherwise it may answer from memory. */
  async sizeNow(): Promise<number> {
    const there = await this.#files.open(this.path, 'r');
    try {
      return (await there.stat()).size;
    } finally {
      await there.close();
    }
  }

  /** Whether the next write begins a line: another worker, or an earlier run, may have left a piece of one. */
  async endsInLine(): Promise<boolean> {
    const { size } = await this.#handle.stat();
    return size === 0 || (await this.textBefore(size, 1)) === '\n';
  }

  /** How it ended when it was opened: with whole lines, a whole line that lacks its newline, or with no event. */
  async end(): Promise<'line' | 'event' | 'piece'> {
    if (this.size === 0) return 'line';
    const text = await this.textBefore(this.size, TAIL_BYTES);
    const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
    if (parseRunEvent(lastLine) === null) return 'piece';
    return text.endsWith('\n') ? 'line' : 'event';
  }

  /** The bytes before a position, at most this many, each as one character. */
  async textBefore(position: number, most: number): Promise<string> {
    const bytes = Buffer.alloc(Math.min(position, most));
    await this.#handle.read(bytes, 0, bytes.length, position - bytes.length);
    return bytes.toString('latin1');
  }

  /**
   * Reads the lines between two positions.
   * @returns where the last of them ends, and the incomplete line behind it
   */
  async readLines(
    from: number,
    to: number,
    onLine: (text: string) => void,
  ): Promise<{ readonly end: number; readonly piece: string }> {
    const buffer = Buffer.alloc(Math.min(bytesAtOnce, Math.max(0, to - from)));
    let [rest, end, at] = ['', from, from];
    while (at < to) {
      const { bytesRead } = await this.#handle.read(buffer, 0, Math.min(buffer.length, to - at), at);
      if (bytesRead === 0) break;
      at += bytesRead;
      // Lines are ASCII; each damaged byte is one character as well.
      const lines = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        onLine(line);
        end += line.length + 1;
      }
    }
    return { end, piece: rest };
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

/** The log was cut, or replaced by an older copy, while a run writes it. */
export function shortened(path: string): OutputError {
  return new OutputError(
    'run_log_gone',
    `The run log ${path} was shortened while it was being written.`,
    'leave it alone while a run is under way: the next run writes what it lacks',
  );
}
