import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type FileSystem,
  makeDirectory,
  OutputError,
  realFileSystem,
  syncDirectoryOf,
  writeError,
  writeFully,
} from '../files/file-system.ts';
import { parseRunEvent, type RunEvent, runEventLines } from './run-event.ts';

const NEWLINE = 0x0a;
const TAIL_BYTES = 64 * 1024;
/** Reading and appending, made if missing, and no symbolic link followed (where the system has such: not on Windows). */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

interface RunLogOptions {
  /** The batch's whole id: a log belongs to one batch. */
  readonly batch: string;
  readonly now: () => Date;
  readonly files?: FileSystem;
}

/** The run log of one batch, opened for appending. */
export interface RunLog {
  /**
   * Keeps the events in memory, in order, until the next `flush`. Once writing has failed they are dropped: whoever
   * hears of an answer then still records it, and the next `flush` tells of the failure.
   * @param at when they happened, where that was not just now
   */
  append(events: readonly RunEvent[], at?: Date): void;
  /**
   * Resolves when every event appended before the call is on disk, not merely written, and in the file that others
   * find under the log's name. Calls made while the disk is busy share its next turn.
   * @throws OutputError, and from then on every call throws it
   */
  flush(): Promise<void>;
  /** Flushes and closes the file. @throws OutputError */
  close(): Promise<void>;
}

/*
 * Why the lines are not written through pino: a key has to be on disk before its request leaves, and pino's
 * destination cannot promise that. With a buffer, its `flush` may call back after a write that was already
 * under way, while later lines still wait in memory; without one, it calls back at once; and a full disk is
 * an event on the side, not the failure of the flush that somebody waits for.
 */
class RunLogFile implements RunLog {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #files: FileSystem;
  readonly #batch: string;
  readonly #now: () => Date;
  #lines: string[] = [];
  #failure: OutputError | null = null;
  #turnUnderWay: Promise<void> = Promise.resolve();
  #nextTurn: Promise<void> | null = null;

  constructor(path: string, handle: FileHandle, options: RunLogOptions) {
    this.#path = path;
    this.#handle = handle;
    this.#files = options.files ?? realFileSystem;
    this.#batch = options.batch;
    this.#now = options.now;
  }

  append(events: readonly RunEvent[], at = this.#now()): void {
    // All of them, or none where one is refused.
    const lines = runEventLines(events, at, this.#batch);
    if (this.#failure !== null) return;
    for (const line of lines) this.#lines.push(line);
  }

  flush(): Promise<void> {
    if (this.#nextTurn === null) {
      const turn = this.#turnUnderWay.then(() => {
        this.#nextTurn = null;
        return this.#writeLines();
      });
      this.#nextTurn = turn;
      this.#turnUnderWay = turn.catch(() => {});
    }
    return this.#nextTurn;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#handle.close();
    }
  }

  async #writeLines(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const lines = this.#lines;
    this.#lines = [];
    try {
      let written = 0;
      while (written < lines.length) written += await this.#writeSome(lines.slice(written));
      if (lines.length > 0) await this.#handle.sync();
      // Last, so that what is on disk now is also where others look for it.
      await requireInPlace(this.#files, this.#handle, this.#path);
    } catch (error) {
      // After a failed sync nobody knows what is on disk, and a second one may wrongly succeed.
      this.#failure = writeError(this.#path, error);
      throw this.#failure;
    }
  }

  /**
   * Writes lines in one go. Where the disk takes only a part of them, the line that was cut off is to be written
   * again, whole: another worker of the batch may have gone on behind the piece.
   * @returns how many lines are written
   */
  async #writeSome(lines: readonly string[]): Promise<number> {
    const begin = (await endsInLine(this.#handle)) ? '' : `\n${mendedLine(this.#now(), this.#batch)}`;
    const bytes = Buffer.from(begin + lines.join(''), 'ascii');
    const { bytesWritten } = await this.#handle.write(bytes, 0, bytes.length);
    if (bytesWritten === bytes.length) return lines.length;
    return completeLines(lines, bytesWritten - begin.length);
  }
}

/**
 * Lines that are written to a file which was deleted, moved or replaced are on disk and found by nobody.
 * @throws OutputError when the file is not the one under the log's name any more
 */
async function requireInPlace(files: FileSystem, handle: FileHandle, path: string): Promise<void> {
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

/** How many lines lie completely within so many bytes (lines are ASCII, and end with their newline). */
function completeLines(lines: readonly string[], bytes: number): number {
  let end = 0;
  const cut = lines.findIndex((line) => {
    end += line.length;
    return end > bytes;
  });
  return cut < 0 ? lines.length : cut;
}

/** Whether what is written next begins a line: another worker, or an earlier run, may have left a piece of one. */
async function endsInLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}

function mendedLine(now: Date, batch: string): string {
  return runEventLines([{ event: 'log.mended' }], now, batch).join('');
}

/**
 * What has to stand at the end of the log before it can go on: nothing, the newline that its last line
 * lacks, or, where that line is only a piece of an event, `log.mended` as well.
 */
async function mending(handle: FileHandle, size: number, options: RunLogOptions): Promise<string> {
  if (size === 0) return '';
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  await handle.read(tail, 0, tail.length, size - tail.length);
  const text = tail.toString('utf8');
  const newline = text.endsWith('\n') ? '' : '\n';
  const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
  if (parseRunEvent(lastLine) !== null) return newline;
  return newline + mendedLine(options.now(), options.batch);
}

/**
 * Opens the run log at `path`, or makes it (0600, its folder 0700). One that others may read, a copy from a
 * backup for example, is taken from them first; a symbolic link is refused, since it would have us write into
 * a file that somebody else chose. A last line that a crash has cut off is
 * ended first, and the event `log.mended` put behind it, so that later lines stay whole and a reader can
 * tell the piece from damage.
 *
 * @throws OutputError
 */
export async function openRunLog(path: string, options: RunLogOptions): Promise<RunLog> {
  const { files = realFileSystem } = options;
  let handle: FileHandle | null = null;
  try {
    await makeDirectory(files, dirname(path));
    handle = await files.open(path, APPENDING, 0o600);
    const { size, mode } = await handle.stat();
    if ((mode & constants.S_IFMT) === constants.S_IFREG && (mode & 0o077) !== 0) await handle.chmod(0o600);
    await writeFully(handle, Buffer.from(await mending(handle, size, options), 'ascii'));
    await handle.sync();
    await syncDirectoryOf(files, path);
    return new RunLogFile(path, handle, options);
  } catch (error) {
    await handle?.close().catch(() => {});
    throw writeError(path, error);
  }
}
