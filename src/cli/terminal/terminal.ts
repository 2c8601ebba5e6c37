/* Where a command speaks: results, messages and progress, each on its stream. */

import { pino } from 'pino';
import type { Activity } from '../../call/context.ts';
import type { Speech } from '../options/layered-options.ts';
import { noProgress, type Progress, progressOn } from '../views/progress.ts';
import { widthFor } from '../views/stream-width.ts';
import { folded, safeForTerminal } from '../views/terminal-text.ts';
import type { OutputStream, OutputStreams } from './streams.ts';

/** Where a command speaks: results on standard output, everything on the way on standard error. */
export interface Terminal {
  readonly useColour: boolean;
  /** How wide tables may be: as the terminal, and wide enough for all columns where they go elsewhere. */
  readonly columns: number;
  /** A result: on standard output, unless `--json` has that for itself. */
  readonly print: (text: string) => void;
  /** A result that is no text, as it is, on standard output. */
  readonly printBytes: (bytes: Uint8Array) => void;
  /** What happens on the way; silent with `--quiet`. */
  readonly say: (text: string) => void;
  /** What went wrong; always said. */
  readonly complain: (text: string) => void;
  /** Details for finding a cause, as JSON lines with their time; only with `--verbose`. */
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
      : progressOn({ stream: stderr, inFlight: () => activity.requests });
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
