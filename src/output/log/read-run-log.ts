import { createReadStream } from 'node:fs';
import { OutputError } from '../files/file-system.ts';
import { type LoggedRunEvent, parseRunEvent } from './run-event.ts';

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
      'Check the path; a run log is called NAME.BATCH.run.jsonl and stands beside the result files.',
      error,
    );
  }
  if (rest !== '') yield { text: rest, ended: rest.length > longestLine };
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

/** Whether a line is one whole event of a name that nobody asked for, as far as its looks tell. */
function isOfOther({ text }: Line, events: ReadonlySet<string> | undefined): boolean {
  if (events === undefined) return false;
  const name = nameOfEvent.exec(text)?.[1];
  return name !== undefined && name !== 'log.mended' && !events.has(name);
}
