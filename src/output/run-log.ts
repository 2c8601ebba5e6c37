import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type FileSystem,
  makeDirectory,
  realFileSystem,
  syncDirectoryOf,
  writeFully,
} from './file-system.ts';
import { OutputError, writeError } from './output-error.ts';
import { type LoggedRunEvent, parseRunEvent, type RunEvent, runEventLines } from './run-event.ts';

const TAIL_BYTES = 64 * 1024;
/** Reading and appending, made if missing, and no symbolic link followed (where the system has such: not on Windows). */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
const LINE_CHARACTERS = 4 * 1024 * 1024;

export interface RunLogOptions {
  /** The batch's whole id: a log belongs to one batch. */
  readonly batch: string;
  readonly now: () => Date;
  readonly files?: FileSystem;
}

/** The run log of one batch, opened for appending. */
export interface RunLog {
  /** Keeps the events in memory, in order, until the next `flush`. @throws OutputError once writing has failed */
  append(events: readonly RunEvent[]): void;
  /**
   * Resolves when every event appended before the call is on disk, not merely written. Calls made while the
   * disk is busy share its next turn. @throws OutputError, and from then on every call throws it
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
  readonly #batch: string;
  readonly #now: () => Date;
  #lines: string[] = [];
  #failure: OutputError | null = null;
  #turnUnderWay: Promise<void> = Promise.resolve();
  #nextTurn: Promise<void> | null = null;

  constructor(path: string, handle: FileHandle, options: RunLogOptions) {
    this.#path = path;
    this.#handle = handle;
    this.#batch = options.batch;
    this.#now = options.now;
  }

  append(events: readonly RunEvent[]): void {
    if (this.#failure !== null) throw this.#failure;
    // All of them, or none where one is refused.
    const lines = runEventLines(events, this.#now(), this.#batch);
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
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(''), 'ascii');
    this.#lines = [];
    try {
      await writeFully(this.#handle, bytes);
      await this.#handle.sync();
    } catch (error) {
      // After a failed sync nobody knows what is on disk, and a second one may wrongly succeed.
      this.#failure = writeError(this.#path, error);
      throw this.#failure;
    }
  }
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
  return newline + runEventLines([{ event: 'log.mended' }], options.now(), options.batch).join('');
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

interface Line {
  readonly text: string;
  /** Whether it ends with a newline. */
  readonly ended: boolean;
}

async function* linesOf(path: string): AsyncGenerator<Line> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_CHARACTERS) break;
      for (const text of lines) yield { text, ended: true };
    }
  } catch (error) {
    throw new OutputError(
      'file_not_found',
      `The run log ${path} cannot be read.`,
      'Check the path; a run log is called NAME.BATCH.run.jsonl and stands beside the result files.',
      error,
    );
  }
  if (rest !== '') yield { text: rest, ended: rest.length > LINE_CHARACTERS };
}

function damagedLine(path: string, lineNumber: number): OutputError {
  return new OutputError(
    'run_log_damaged',
    `Line ${lineNumber} of the run log ${path} is damaged.`,
    'Get the run log from a backup; what it says after that line cannot be relied on.',
  );
}

/**
 * The events of a run log, in order. A piece of a line is passed over where a crash can have left it: at the
 * end, without a newline, and before `log.mended`. Anything else that is not an event is damage.
 *
 * @throws OutputError `run_log_damaged`, `file_not_found`
 */
export async function* readRunLog(path: string): AsyncGenerator<LoggedRunEvent> {
  let lineNumber = 0;
  let unreadable: number | null = null;
  let ended = true;
  for await (const line of linesOf(path)) {
    lineNumber += 1;
    ended = line.ended;
    const event = parseRunEvent(line.text);
    if (event === null) {
      unreadable ??= lineNumber;
      continue;
    }
    if (unreadable !== null && event.event !== 'log.mended') throw damagedLine(path, unreadable);
    unreadable = null;
    yield event;
  }
  if (unreadable !== null && ended) throw damagedLine(path, unreadable);
}
