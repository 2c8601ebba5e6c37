/* The progress of a step: a line that is redrawn on a terminal, and lines in a log. */

import { addOutcomes, type CallEvent, noOutcomes, type SentOutcomes } from '../../call/context.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { type OutputStream, terminalWidth } from '../views/streams.ts';
import { shortened, textWidth } from '../views/terminal-text.ts';

/** The start of a step. */
interface ProgressStep {
  readonly label: string;
  /** Null where the total is unknown. */
  readonly total: number | null;
  /** Number of rows that earlier runs have finished. */
  readonly done: number;
  /** Whether a log shows its start and end, even if it is short. */
  readonly isLogged: boolean;
}

/** An advance of a step: rows since the last time, and the share of a file that was read so far, from 0 to 1. */
type ProgressAdvance = Omit<Extract<CallEvent, { kind: 'step.advanced' }>, 'kind'>;

/** Shows the progress of a step; one step at a time. */
export interface Progress {
  /** Begins a step. Ends the step before. */
  start(step: ProgressStep): void;
  advance(advance: ProgressAdvance): void;
  /** Shows that the API has asked for a pause of this length. */
  pause(waitInMs: number): void;
  /** Hides the progress line while a message is written, and shows it again afterwards. */
  aside(write: () => void): void;
  /** Removes the line, so that later output begins on an empty line. */
  stop(): void;
}

/** For `--quiet` and `--json`. */
export const noProgress: Progress = {
  start: () => {},
  advance: () => {},
  pause: () => {},
  aside: (write) => write(),
  stop: () => {},
};

interface ProgressOptions {
  /** The stream: a terminal or a log. */
  readonly stream: OutputStream;
  /** Requests in flight at this moment. */
  readonly inFlight: () => number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

const redrawEveryMs = 200;

const logEveryMs = 30_000;

/** The period over which the rate is measured. It is long enough for a stable rate, and short enough to show a change. */
const rateOverMs = 15_000;

/**
 * Minimum time before the remaining time is shown. The first answers take longest, and would lead to an estimate of hours.
 */
const leastForTimeLeftInMs = 3_000;

interface Sample {
  readonly atInMs: number;
  readonly done: number;
  readonly share: number | null;
}

/**
 * Shows progress. On a terminal, a line is redrawn. Elsewhere, one line is written at the start, one every 30 seconds, and
 * one at the end.
 */
export class ShownProgress implements Progress {
  readonly #options: ProgressOptions;
  readonly #now: () => number;
  #step: ProgressStep | null = null;
  #done = 0;
  #outcomes = noOutcomes;
  #fileShare: number | null = null;
  #samples: Sample[] = [];
  #startedAtInMs = 0;
  #pauseEndsAtInMs = 0;
  #timer: NodeJS.Timeout | null = null;
  /** The text on the terminal's last line. */
  #shown = '';

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  start(step: ProgressStep): void {
    this.stop();
    this.#step = step;
    this.#done = step.done;
    this.#outcomes = noOutcomes;
    this.#startedAtInMs = this.#now();
    this.#fileShare = null;
    this.#samples = [{ atInMs: this.#startedAtInMs, done: step.done, share: this.#share(step) }];
    if (this.#isTerminal) this.#draw();
    else if (step.isLogged) this.#log();
    const show = (): void => (this.#isTerminal ? this.#draw() : this.#log());
    this.#timer = setInterval(show, this.#isTerminal ? redrawEveryMs : logEveryMs);
    this.#timer.unref();
  }

  advance({ rows, share, outcomes = noOutcomes }: ProgressAdvance): void {
    if (this.#step === null) return;
    this.#done += rows;
    this.#fileShare = share ?? this.#fileShare;
    this.#outcomes = addOutcomes(this.#outcomes, outcomes);
  }

  pause(waitInMs: number): void {
    this.#pauseEndsAtInMs = Math.max(this.#pauseEndsAtInMs, this.#now() + waitInMs);
  }

  aside(write: () => void): void {
    this.#clear();
    write();
    if (this.#step !== null && this.#isTerminal) this.#draw();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#clear();
    const tookInMs = this.#now() - this.#startedAtInMs;
    if (this.#step !== null && !this.#isTerminal && (this.#step.isLogged || tookInMs >= logEveryMs)) {
      this.#log(`, after ${durationText(tookInMs / 1000)}`);
    }
    this.#step = null;
  }

  get #isTerminal(): boolean {
    return this.#options.stream.isTTY === true;
  }

  get #columns(): number {
    return terminalWidth(this.#options.stream);
  }

  /** The finished share, from 0 to 1; null if it is unknown. */
  #share({ total }: ProgressStep): number | null {
    return total === null ? this.#fileShare : total === 0 ? null : Math.min(1, this.#done / total);
  }

  #state(step: ProgressStep): ProgressState {
    const nowInMs = this.#now();
    const share = this.#share(step);
    const samples = this.#samples;
    // The measured period begins at the newest sample that is older than it.
    while (samples[1] !== undefined && nowInMs - samples[1].atInMs > rateOverMs) samples.shift();
    samples.push({ atInMs: nowInMs, done: this.#done, share });
    const [oldest] = samples;
    const elapsedInMs = oldest === undefined ? 0 : nowInMs - oldest.atInMs;
    const rows = this.#done - (oldest?.done ?? this.#done);
    const gained = (share ?? 0) - (oldest?.share ?? 0);
    const isTooSoon = elapsedInMs < 1000;
    return {
      label: step.label,
      total: step.total,
      done: this.#done,
      share,
      outcomes: this.#outcomes,
      secondsLeft:
        share === null || elapsedInMs < leastForTimeLeftInMs || gained <= 0 || share >= 1
          ? null
          : ((1 - share) * elapsedInMs) / gained / 1000,
      rowsPerSecond: isTooSoon || rows === 0 ? null : (rows * 1000) / elapsedInMs,
      inFlight: this.#options.inFlight(),
      pauseInMs: Math.max(0, this.#pauseEndsAtInMs - nowInMs),
    };
  }

  #draw(): void {
    if (this.#step === null) return;
    // Some terminals move to the next line after the last column, and show Ctrl-C as `^C` after the line.
    const columns = Math.max(10, this.#columns - 3);
    const text = progressText(this.#state(this.#step), columns);
    this.#options.stream.write(`${this.#back()}${text}`);
    this.#shown = text;
  }

  #log(end = ''): void {
    if (this.#step === null) return;
    const text = progressText(this.#state(this.#step), Number.POSITIVE_INFINITY);
    this.#options.stream.write(`${text}${end}\n`);
  }

  #clear(): void {
    if (this.#shown === '') return;
    this.#options.stream.write(this.#back());
    this.#shown = '';
  }

  /** Returns to the line's start and clears what follows, since a terminal that became narrower has wrapped it. */
  #back(): string {
    if (this.#shown === '') return '';
    const linesAbove = Math.ceil(textWidth(this.#shown) / this.#columns) - 1;
    return `\r${linesAbove > 0 ? `\u001b[${linesAbove}A` : ''}\u001b[J`;
  }
}

/** The progress of a step, and the results of its rows so far. */
export interface ProgressState {
  readonly label: string;
  /** Null where the total is unknown. */
  readonly total: number | null;
  /** Number of finished rows, including those of earlier runs. */
  readonly done: number;
  /** The finished share from 0 to 1, of the total or of a file whose rows are not counted yet; null if unknown. */
  readonly share: number | null;
  /** Null until it can be estimated. */
  readonly secondsLeft: number | null;
  /** Null until it can be estimated. */
  readonly rowsPerSecond: number | null;
  readonly outcomes: SentOutcomes;
  /** Requests in flight. */
  readonly inFlight: number;
  /** The rest of the pause that the API has asked for; 0 for none. */
  readonly pauseInMs: number;
}

/**
 * The state in one line. If it does not fit, the least important parts are left out, and the label is cut or left
 * out.
 */
export function progressText(state: ProgressState, columns: number): string {
  const [first = '', ...others] = partsOf(state);
  const room = columns - textWidth(first) - 2;
  let text = room < fewestOfLabel ? first : `${shortened(state.label, room)}: ${first}`;
  for (const part of others) {
    const longer = `${text} · ${part}`;
    if (textWidth(longer) <= columns) text = longer;
  }
  return shortened(text, columns);
}

/** Minimum width of a label. A shorter label is meaningless. */
const fewestOfLabel = 10;

/** The parts of the line, the most important first. */
function partsOf(state: ProgressState): string[] {
  const { total, done, share, secondsLeft, rowsPerSecond, outcomes, inFlight, pauseInMs } = state;
  const { created, refused, waiting, inDoubt } = outcomes;
  const percent = share === null ? '' : ` (${Math.floor(share * 100)}%)`;
  const rows = total === null ? countOf(done, 'row') : `${groupedNumber(done)} of ${countOf(total, 'row')}`;
  const ended = [
    ...(created > 0 ? [`${groupedNumber(created)} created`] : []),
    ...(refused > 0 ? [`${groupedNumber(refused)} refused`] : []),
    ...(waiting > 0 ? [`${groupedNumber(waiting)} waiting`] : []),
    ...(inDoubt > 0 ? [`${groupedNumber(inDoubt)} in doubt`] : []),
  ];
  return [
    `${rows}${percent}`,
    ...(pauseInMs > 0 ? [`the API asks to wait ${Math.ceil(pauseInMs / 1000)} s`] : []),
    ...(secondsLeft === null ? [] : [`${durationText(secondsLeft)} left`]),
    ...(ended.length === 0 ? [] : [ended.join(', ')]),
    ...(rowsPerSecond === null ? [] : [`${rateText(rowsPerSecond)} rows/s`]),
    ...(inFlight === 0 ? [] : [`${groupedNumber(inFlight)} in flight`]),
  ];
}

function rateText(rowsPerSecond: number): string {
  return rowsPerSecond < 10 ? rowsPerSecond.toFixed(1) : groupedNumber(Math.round(rowsPerSecond));
}

/** `45 s`, `12 min`, `3 h 20 min`. */
function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
