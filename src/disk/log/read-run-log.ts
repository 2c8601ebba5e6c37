/*
 * Reads a run log: its events, whether its lines are those that were written, and the events of rows in the order of rows.
 */

import { createReadStream, existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogProof } from '../../domain/batches/run.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { temporaryPrefix } from '../../domain/machine/temporary-name.ts';
import { linesOf } from '../../domain/text/characters.ts';
import { OutputError } from '../file-system.ts';
import { ChainCheck, type KnownOfLog } from './chain-check.ts';
import { type LoggedRunEvent, parseRunEvent } from './run-event.ts';
import { linkOf } from './run-head.ts';

/** Maximum number of characters in a line that paybatch writes. */
const longestLine = 4 * 1024 * 1024;

interface Line {
  readonly text: string;
  /** Whether the line ends with a newline. */
  readonly ended: boolean;
}

async function* readLines(path: string): AsyncGenerator<Line> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, 'latin1')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) break;
      for (const text of lines) yield { text, ended: true };
    }
  } catch (error) {
    throw new OutputError(
      'file_not_found',
      `The run log ${path} cannot be read.`,
      'check the path: a run log is called NAME.BATCH.run.jsonl and is beside the result files',
      error,
    );
  }
  if (rest !== '') yield { text: rest, ended: rest.length > longestLine };
}

function damagedLine(path: string, lineNumber: number): OutputError {
  return new OutputError(
    'run_log_damaged',
    `Line ${lineNumber} of the run log ${path} is damaged.`,
    'get the run log from a backup: what it says after that line cannot be relied on',
  );
}

/**
 * The beginning of every event. It cannot occur inside an event, since quotation marks in its texts are escaped with a
 * backslash.
 */
const EVENT_START = '{"time":"';

/** The text of a whole event, and its content; the content is null if events of this name were not requested. */
interface Part {
  readonly text: string;
  readonly event: LoggedRunEvent | null;
}

/**
 * The events of a line. If two workers write to one log while its disk is full, a line may begin with a piece of another
 * line. Such pieces are skipped. Null if the line does not end with an event.
 */
function partsOf(line: string): { readonly parts: readonly Part[]; readonly torn: number } | null {
  const only = parseRunEvent(line);
  if (only !== null) return { parts: [{ text: line, event: only }], torn: 0 };
  const starts = [...line.matchAll(/\{"time":"/g)].map(({ index }) => index);
  const texts = [0, ...starts.filter((start) => start > 0)].map((start, at, all) =>
    line.slice(start, all[at + 1]),
  );
  const parts = texts.map((text) => ({ text, event: parseRunEvent(text) }));
  if (parts.length < 2 || parts.at(-1)?.event === null || !texts.every(isBegun)) return null;
  const whole = parts.filter(({ event }) => event !== null);
  return { parts: whole, torn: parts.length - whole.length };
}

function isBegun(part: string): boolean {
  return part.startsWith(EVENT_START) || EVENT_START.startsWith(part);
}

/** Options for reading a run log. */
export interface ReadingOptions {
  /** Called for each piece of a line that was skipped, with the number of its line. */
  readonly onTorn?: (lineNumber: number) => void;
  /** Only events of these names are returned, and the lines of other events are not parsed. All events when absent. */
  readonly events?: ReadonlySet<LoggedRunEvent['event']>;
  /** Whether damaged lines in a log of an earlier version are skipped, for readers that need the other lines. */
  readonly passesOverDamage?: boolean;
  /** Knowledge about the log from other sources. When absent, only the log itself shows what is missing. */
  readonly known?: KnownOfLog;
  /** Called at the end with what the log proves. */
  readonly onProof?: (proof: LogProof) => void;
}

/** An event of a log, and the number of its line in the file. */
interface LoggedLine {
  readonly event: LoggedRunEvent;
  readonly line: number;
}

/**
 * The events of a run log, in order. Events of lines that were changed, or that follow missing lines, are left out, since
 * they prove nothing; they are reported to `onProof`. In a log of an earlier version, lines have no hashes, so all events
 * are returned. A piece of a line is skipped if a crash, a full disk or a truncation can have left it. Such a piece is at
 * the end, without a newline; before `log.mended`; directly before a whole event, on the same line; or in the first line of
 * an earlier version's log whose beginning was cut off.
 *
 * @throws OutputError `file_not_found`; `run_log_damaged` for any other line of an earlier version's log that is not an
 *   event
 */
export async function* readRunLogLines(
  path: string,
  { onTorn = () => {}, events, passesOverDamage = false, known = unknown, onProof }: ReadingOptions = {},
): AsyncGenerator<LoggedLine> {
  const check = new ChainCheck(known);
  let lineNumber = 0;
  let unreadable: number | null = null;
  let ended = true;
  const passOver = (from: number, to: number, isLinked: boolean): void => {
    if (isLinked) {
      check.unreadable(from, to);
      return;
    }
    if (!passesOverDamage) throw damagedLine(path, from);
    onTorn(from);
  };
  for await (const line of readLines(path)) {
    lineNumber += 1;
    ended = line.ended;
    check.begin(line.text, lineNumber);
    const found = isOfOther(line, events) ? notLookedInto(line) : partsOf(line.text);
    if (found === null) {
      unreadable ??= lineNumber;
      continue;
    }
    const [first] = found.parts;
    if (unreadable !== null) {
      const isLinked = check.isLinked || (first !== undefined && linkOf(first.text) !== null);
      const isCutOff = unreadable === 1 && lineNumber === 2 && !isLinked;
      if (isCutOff || first?.event?.event === 'log.mended') onTorn(unreadable);
      else passOver(unreadable, lineNumber - 1, isLinked);
      unreadable = null;
    }
    for (let torn = 0; torn < found.torn; torn += 1) onTorn(lineNumber);
    for (const { text, event } of found.parts) {
      const trust = check.event(text, lineNumber);
      if (trust === 'suspect' || event === null || events?.has(event.event) === false) continue;
      yield { event, line: lineNumber };
    }
  }
  if (unreadable !== null) {
    if (ended) passOver(unreadable, lineNumber, check.isLinked);
    else onTorn(unreadable);
  }
  onProof?.(check.end());
}

const unknown: KnownOfLog = { head: 'missing', kept: [] };

/** The events of a run log, as `readRunLogLines` returns them, without line numbers. */
export async function* readRunLog(
  path: string,
  options: ReadingOptions = {},
): AsyncGenerator<LoggedRunEvent> {
  for await (const { event } of readRunLogLines(path, options)) yield event;
}

const nameOfEvent = /^\{"time":"[^"]{20,30}","event":"([a-z.]{1,30})","batch":"[^{]*\}$/;

function notLookedInto({ text }: Line): NonNullable<ReturnType<typeof partsOf>> {
  return { parts: [{ text, event: null }], torn: 0 };
}

/** Whether a line seems to be a single whole event with a name that was not requested. */
function isOfOther({ text }: Line, events: ReadonlySet<string> | undefined): boolean {
  if (events === undefined) return false;
  const name = nameOfEvent.exec(text)?.[1];
  return name !== undefined && name !== 'log.mended' && !events.has(name);
}

/* Sorts events of rows by row, for logs of any size. */

/** Number of rows whose events are in one file, and are read at once. */
const rowsPerFile = 1_024;

/** Number of characters that are collected in memory before they are written to the files. */
const charactersHeld = 2 * 1024 * 1024;

/**
 * Sorts events of rows from the order of a log into the order of rows. The events are written to files, each for a range of
 * rows, in a folder that only its owner can read. The files contain keys and ids, as the run log does, and no personal
 * data.
 */
export class RowEventFiles<Event extends { readonly row: number }> {
  readonly #folder: string;
  readonly #waiting = new Map<number, string>();
  #characters = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Creates the folder for the files.
   * @throws PaybatchError (`usage`) when the folder cannot be created
   */
  static async create<Event extends { readonly row: number }>(): Promise<RowEventFiles<Event>> {
    return new RowEventFiles(
      await orFailure(() =>
        mkdtemp(join(tmpdir(), temporaryPrefix({ host: hostname(), processId: process.pid }))),
      ),
    );
  }

  /**
   * Adds an event.
   * @throws PaybatchError (`usage`) when the disk is full
   */
  async add(event: Event): Promise<void> {
    const line = `${JSON.stringify(event)}\n`;
    const file = Math.floor(event.row / rowsPerFile);
    this.#waiting.set(file, (this.#waiting.get(file) ?? '') + line);
    this.#characters += line.length;
    if (this.#characters >= charactersHeld) await this.#write();
  }

  /** The events of a range of rows. The events of one row are in the order in which they were added. */
  async *read(firstRow: number, lastRow: number): AsyncGenerator<Event> {
    await this.#write();
    for (let file = Math.floor(firstRow / rowsPerFile); file * rowsPerFile <= lastRow; file += 1) {
      if (!existsSync(this.#pathOf(file))) continue;
      for await (const line of linesOf(createReadStream(this.#pathOf(file), 'utf8'))) {
        const event = JSON.parse(line) as Event;
        if (event.row >= firstRow && event.row <= lastRow) yield event;
      }
    }
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #write(): Promise<void> {
    for (const [file, lines] of this.#waiting) {
      await orFailure(() => appendFile(this.#pathOf(file), lines, { mode: 0o600 }));
    }
    this.#waiting.clear();
    this.#characters = 0;
  }

  #pathOf(file: number): string {
    return join(this.#folder, `${file}.jsonl`);
  }
}

async function orFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new PaybatchError(
      'temporary_folder',
      `The system's folder for temporary files, ${tmpdir()}, cannot be used (${code}).`,
      'set TMPDIR to a folder with room that you may write to',
    );
  }
}
