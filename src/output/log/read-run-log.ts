/* Reads a run log: its events, and what they say about each row. */

import { createReadStream, existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { temporaryPrefix } from '../../domain/machine/temporary-name.ts';
import { linesOf as linesIn } from '../../domain/text/lines.ts';
import { OutputError } from '../files/file-system.ts';
import { type LoggedRunEvent, parseRunEvent } from './run-event.ts';

/** Rows of one file: as many as are asked for at once. */
const rowsPerFile = 1_024;

/** So many characters wait in memory before they go to their files. */
const charactersHeld = 2 * 1024 * 1024;

/**
 * Events of rows, brought from the order of a log into that of rows: in files of some rows each, in a folder that
 * only its owner can read. What is in them stands in the run log too: keys and ids, and nothing personal.
 */
export class RowEventFiles<Event extends { readonly row: number }> {
  readonly #folder: string;
  readonly #waiting = new Map<number, string>();
  #characters = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws PaybatchError (`usage`) when there is no place for the folder */
  static async create<Event extends { readonly row: number }>(): Promise<RowEventFiles<Event>> {
    return new RowEventFiles(
      await orFailure(() =>
        mkdtemp(join(tmpdir(), temporaryPrefix({ host: hostname(), processId: process.pid }))),
      ),
    );
  }

  /** @throws PaybatchError (`usage`) when there is no room */
  async add(event: Event): Promise<void> {
    const line = `${JSON.stringify(event)}\n`;
    const file = Math.floor(event.row / rowsPerFile);
    this.#waiting.set(file, (this.#waiting.get(file) ?? '') + line);
    this.#characters += line.length;
    if (this.#characters >= charactersHeld) await this.#write();
  }

  /** The events of some rows, those of one row in the order in which they were added. */
  async *read(firstRow: number, lastRow: number): AsyncGenerator<Event> {
    await this.#write();
    for (let file = Math.floor(firstRow / rowsPerFile); file * rowsPerFile <= lastRow; file += 1) {
      if (!existsSync(this.#pathOf(file))) continue;
      for await (const line of linesIn(createReadStream(this.#pathOf(file), 'utf8'))) {
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

/** A line of more characters is none of ours. */
const longestLine = 4 * 1024 * 1024;

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

/** The beginning of every event. It cannot occur within one, where each quotation mark has a backslash before it. */
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

/** How a run log is read. */
interface ReadingOptions {
  /** Called for each piece that was passed over, with the number of its line. */
  readonly onTorn?: (lineNumber: number) => void;
  /** Only events of these names are given; the lines of others are not looked into. All of them when absent. */
  readonly events?: ReadonlySet<LoggedRunEvent['event']>;
  /** Whether damaged lines are passed over: for somebody who looks for what stands in the others. */
  readonly passesOverDamage?: boolean;
}

/**
 * The events of a run log, in order. A piece of a line is passed over where a crash, a full disk or a cut can have
 * left it: at the end, without a newline; before `log.mended`; directly before a whole event, on its line; and as the
 * first line of a log whose beginning was cut off. Anything else that is not an event is damage.
 *
 * @throws OutputError `run_log_damaged`, `file_not_found`
 */
export async function* readRunLog(
  path: string,
  { onTorn = () => {}, events, passesOverDamage = false }: ReadingOptions = {},
): AsyncGenerator<LoggedRunEvent> {
  let lineNumber = 0;
  let unreadable: number | null = null;
  let ended = true;
  for await (const line of linesOf(path)) {
    lineNumber += 1;
    ended = line.ended;
    const found = isOfOther(line, events) ? nothingWanted : eventsOf(line.text);
    if (found === null) {
      unreadable ??= lineNumber;
      continue;
    }
    if (unreadable !== null) {
      const isCutOff = (unreadable === 1 && lineNumber === 2) || found.events[0]?.event === 'log.mended';
      if (!isCutOff && !passesOverDamage) throw damagedLine(path, unreadable);
      onTorn(unreadable);
      unreadable = null;
    }
    for (let torn = 0; torn < found.torn; torn += 1) onTorn(lineNumber);
    for (const event of found.events) if (events?.has(event.event) !== false) yield event;
  }
  if (unreadable === null) return;
  if (ended && !passesOverDamage) throw damagedLine(path, unreadable);
  onTorn(unreadable);
}

const nameOfEvent = /^\{"time":"[^"]{20,30}","event":"([a-z.]{1,30})","batch":"[^{]*\}$/;

const nothingWanted = { events: [], torn: 0 };

/** Whether a line appears to be one whole event of a name that was not asked for. */
function isOfOther({ text }: Line, events: ReadonlySet<string> | undefined): boolean {
  if (events === undefined) return false;
  const name = nameOfEvent.exec(text)?.[1];
  return name !== undefined && name !== 'log.mended' && !events.has(name);
}
