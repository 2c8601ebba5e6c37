import { clearLine, cursorTo } from 'node:readline';
import { type Options, SingleBar } from 'cli-progress';
import { groupedNumber } from '../words/wording.ts';

/** Shows how far a step is; one step at a time. */
export interface Progress {
  /** Begins a step; `total` is null where nobody knows how much there is. Ends the step before. */
  start(label: string, total: number | null): void;
  advance(by: number): void;
  /** Takes the line away for a message, which so stands on a line of its own; the next frame shows it again. */
  aside(write: () => void): void;
  /** Takes the line away, so that what follows stands on a clean one. */
  stop(): void;
}

/** For logs, pipes and `--quiet`. */
export const noProgress: Progress = {
  start: () => {},
  advance: () => {},
  aside: (write) => write(),
  stop: () => {},
};

const KNOWN_TOTAL = '{label} {bar} {percentage}% | {value} of {total}';
/** Of the terminal (DECSC), as the bar uses it. */
const SAVE_CURSOR = '\u001b7';
const UNKNOWN_TOTAL = '{label} | {value}';

class TerminalProgress implements Progress {
  readonly #stream: NodeJS.WriteStream;
  #bar: SingleBar | null = null;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  start(label: string, total: number | null): void {
    this.stop();
    const options: Options = {
      stream: this.#stream,
      format: total === null ? UNKNOWN_TOTAL : KNOWN_TOTAL,
      barsize: 30,
      clearOnComplete: true,
      hideCursor: true,
      // A message may have taken the line away, also where nothing has moved since.
      forceRedraw: true,
      // Signals belong to the command line, which lets requests in flight come to their end.
      gracefulExit: false,
      formatValue: (value, _options, type) => (type === 'percentage' ? `${value}` : groupedNumber(value)),
    };
    this.#bar = new SingleBar(options);
    this.#bar.start(total ?? 0, 0, { label });
  }

  advance(by: number): void {
    this.#bar?.increment(by);
  }

  aside(write: () => void): void {
    if (this.#bar === null) {
      write();
      return;
    }
    cursorTo(this.#stream, 0);
    clearLine(this.#stream, 0);
    write();
    // At its end the bar goes back to where it began, and that is further down now.
    this.#stream.write(SAVE_CURSOR);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = null;
  }
}

/** A progress line on `stream` if it is a terminal; otherwise nothing is ever written to it. */
export function progressOn(stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? new TerminalProgress(stream) : noProgress;
}
