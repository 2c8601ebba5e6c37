import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type FileSystem,
  makeDirectory,
  realFileSystem,
  syncDirectoryOf,
  writeFully,
} from '../files/file-system.ts';
import { OutputError, writeError } from '../files/output-error.ts';
import { type LoggedRunEvent, parseRunEvent, type RunEvent, runEventLines } from './run-event.ts';

const NEWLINE = 0x0a;
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
    const lines = this.#lines;
    this.#lines = [];
    try {
      let written = 0;
      while (written < lines.length) written += await this.#writeSome(lines.slice(written));
      await this.#handle.sync();
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

/** Where every event begins. Within one it cannot stand: there each quotation mark has a backslash before it. */
const EVENT_START = '{"time":"';

/**
 * The events of a line. Two workers that write to one log while its disk is full may leave a piece of a line with
 * a whole one behind it: the pieces are cut off. Null when the line does not end with an event.
 */
function eventsOf(line: string): { readonly events: LoggedRunEvent[]; readonly torn: number } | null {
  const only = parseRunEvent(line);
  if (only !== null) return { events: [only], torn: 0 };
  const starts = [...line.matchAll(/\{"time":"/g)].map(({ index }) => index);
  const parts = [0, ...starts.filter((start) => start > 0)].map((start, at, all) =>
    line.slice(start, all[at + 1]),
  );
  const parsed = parts.map(parseRunEvent);
  if (parts.length < 2 || parsed.at(-1) === null || !parts.every(isBegun)) return null;
  const events = parsed.filter((event) => event !== null);
  return { events, torn: parsed.length - events.length };
}

function isBegun(part: string): boolean {
  return part.startsWith(EVENT_START) || EVENT_START.startsWith(part);
}

/**
 * The events of a run log, in order. A piece of a line is passed over where a crash or a full disk can have
 * left it: at the end, without a newline; before `log.mended`; and directly before a whole event, on its
 * line. Anything else that is not an event is damage.
 *
 * @param onTorn called for each piece that was passed over, with the number of its line
 * @throws OutputError `run_log_damaged`, `file_not_found`
 */
export async function* readRunLog(
  path: string,
  onTorn: (lineNumber: number) => void = () => {},
): AsyncGenerator<LoggedRunEvent> {
  let lineNumber = 0;
  let unreadable: number | null = null;
  let ended = true;
  for await (const line of linesOf(path)) {
    lineNumber += 1;
    ended = line.ended;
    const found = eventsOf(line.text);
    if (found === null) {
      unreadable ??= lineNumber;
      continue;
    }
    if (unreadable !== null) {
      if (found.events[0]?.event !== 'log.mended') throw damagedLine(path, unreadable);
      onTorn(unreadable);
      unreadable = null;
    }
    for (let torn = 0; torn < found.torn; torn += 1) onTorn(lineNumber);
    yield* found.events;
  }
  if (unreadable === null) return;
  if (ended) throw damagedLine(path, unreadable);
  onTorn(unreadable);
}
