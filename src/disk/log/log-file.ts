/*
 * The file of a run log: opens it for appending, determines how it ends, and checks that its path still leads to the same
 * file.
 */

import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FileSystem, makeDirectory, OutputError, writeFully } from '../file-system.ts';
import { parseRunEvent } from './run-event.ts';

/**
 * Flags to open a file for reading and appending. A missing file is created. Symbolic links are not followed (except on
 * Windows, which does not support this flag).
 */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

const TAIL_BYTES = 64 * 1024;
const bytesAtOnce = 1024 * 1024;

/** The file of a run log, opened for reading and appending. Its methods throw the file system's errors. */
export class LogFile {
  readonly path: string;
  /** Size in bytes when the file was opened. */
  readonly size: number;
  readonly #files: FileSystem;
  readonly #handle: FileHandle;

  private constructor(path: string, size: number, files: FileSystem, handle: FileHandle) {
    this.path = path;
    this.size = size;
    this.#files = files;
    this.#handle = handle;
  }

  /**
   * Opens the file, or creates it with permissions 0600 and its folder with 0700. If other users may read it, their
   * permissions are removed.
   */
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

  /**
   * Writes bytes once.
   * @returns how many of the bytes were written
   */
  async write(bytes: Buffer): Promise<number> {
    return (await this.#handle.write(bytes, 0, bytes.length)).bytesWritten;
  }

  /** Adds the missing newline of the last line. */
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
   * Checks that the path still leads to this file. If the file was deleted, moved or replaced, its lines are on disk, but
   * no reader finds them.
   * @throws OutputError when the path leads to another file, or to none
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

  /**
   * The current size. The file is opened again for this: opening makes a network file system query its server; otherwise it
   * may answer from memory.
   */
  async sizeNow(): Promise<number> {
    const there = await this.#files.open(this.path, 'r');
    try {
      return (await there.stat()).size;
    } finally {
      await there.close();
    }
  }

  /** Whether the next write begins a line. Another worker, or an earlier run, may have left a piece of a line. */
  async endsInLine(): Promise<boolean> {
    const { size } = await this.#handle.stat();
    return size === 0 || (await this.textBefore(size, 1)) === '\n';
  }

  /**
   * How the file ended when it was opened: with a whole line, with a whole line that lacks its newline (`event`), or with
   * something else (`piece`).
   */
  async end(): Promise<'line' | 'event' | 'piece'> {
    if (this.size === 0) return 'line';
    const text = await this.textBefore(this.size, TAIL_BYTES);
    const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
    if (parseRunEvent(lastLine) === null) return 'piece';
    return text.endsWith('\n') ? 'line' : 'event';
  }

  /** The bytes before a position, at most `most` of them. Each byte becomes one character. */
  async textBefore(position: number, most: number): Promise<string> {
    const bytes = Buffer.alloc(Math.min(position, most));
    await this.#handle.read(bytes, 0, bytes.length, position - bytes.length);
    return bytes.toString('latin1');
  }

  /**
   * Reads the lines between two positions.
   * @returns where the last whole line ends, and the incomplete line after it
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
      // Lines are ASCII. In `latin1`, a damaged byte is one character as well, so positions stay right.
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
 * Number of lines that are whole within the first `bytes` bytes. Lines are ASCII. A line that lacks only its newline counts
 * as whole, since the next writer adds the newline.
 */
export function completeLines(lines: readonly string[], bytes: number): number {
  let end = 0;
  const cut = lines.findIndex((line) => {
    end += line.length;
    return end - 1 > bytes;
  });
  return cut < 0 ? lines.length : cut;
}

/** The error for a log that was truncated, or replaced by an older copy, while a run writes it. */
export function shortened(path: string): OutputError {
  return new OutputError(
    'run_log_gone',
    `The run log ${path} was shortened while it was being written.`,
    'leave it alone while a run is under way: the next run writes what it lacks',
  );
}
