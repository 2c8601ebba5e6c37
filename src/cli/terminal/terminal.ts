/* The output of a command: results, messages and the progress line, each on its stream. */

import { pino } from 'pino';
import type { Activity } from '../../call/context.ts';
import type { Speech } from '../options/given-options.ts';
import { type OutputStream, type OutputStreams, widthFor } from '../views/streams.ts';
import { folded, safeForTerminal } from '../views/terminal-text.ts';
import { noProgress, type Progress, ShownProgress } from './progress.ts';

/** The output of a command: results on standard output, messages and progress on standard error. */
export interface Terminal {
  readonly useColour: boolean;
  /**
   * The width of tables: that of the terminal, or a width that is sufficient for all columns if no terminal is available.
   */
  readonly columns: number;
  /** Prints a result on standard output, unless `--json` uses standard output. */
  readonly print: (text: string) => void;
  /** Prints a binary result unchanged on standard output. */
  readonly printBytes: (bytes: Uint8Array) => void;
  /** Prints a message; silent with `--quiet`. */
  readonly say: (text: string) => void;
  /** Prints an error; never silent. */
  readonly complain: (text: string) => void;
  /** Prints details that help to find a cause, as JSON lines with the time; only with `--verbose`. */
  readonly detail: (text: string, fields?: Readonly<Record<string, string | number | null>>) => void;
  readonly progress: Progress;
}

export function openTerminal(
  options: Speech,
  environment: NodeJS.ProcessEnv,
  { stdout, stderr }: OutputStreams,
  activity: Readonly<Activity> = { requests: 0 },
): Terminal {
  const progress =
    options.quiet || options.json
      ? noProgress
      : new ShownProgress({ stream: stderr, inFlight: () => activity.requests });
  const useColour = stdout.isTTY === true && environment['NO_COLOR'] === undefined;
  const write = (stream: OutputStream, text: string): void => {
    progress.aside(() => stream.write(`${safeForTerminal(text, useColour)}\n`));
  };
  const details = pino(
    {
      level: options.verbose ? 'debug' : 'silent',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => void stderr.write(line) },
  );
  return {
    useColour,
    columns: widthFor(stdout, 200),
    print: (text) => {
      if (!options.json) write(stdout, text);
    },
    printBytes: (bytes) => void stdout.write(bytes),
    say: (text) => {
      if (!options.quiet) write(stderr, folded(text, widthFor(stderr, Number.POSITIVE_INFINITY)));
    },
    complain: (text) => write(stderr, folded(text, widthFor(stderr, Number.POSITIVE_INFINITY))),
    detail: (text, fields = {}) => details.debug(fields, text),
    progress,
  };
}
