/* Runs the command of a command line, from its options to its exit code. */

import { readSettings } from '../call/settings.ts';
import { asKnownFailure, internalError } from '../call/start.ts';
import { exitCodes } from '../disk/log/exit-codes.ts';
import { traceOf } from '../domain/failures/paybatch-error.ts';
import type { Settings } from '../domain/settings/definitions.ts';
import { Engine } from '../engine/engine.ts';
import { appOn } from './command/app.ts';
import { callOptionsOf } from './options/layered-options.ts';
import { machineSettingsIn } from './options/option-definitions.ts';
import { failureLines, printJson } from './print-result.ts';
import type { ParsedCall } from './program.ts';
import { doorWords } from './remedies/remedy-text.ts';
import { boundUsualHeapGrowth } from './terminal/heap-growth.ts';
import { listenForInterruption, stoppingSentence } from './terminal/interruption.ts';
import type { SaidNote } from './terminal/show-events.ts';
import type { OutputStreams } from './terminal/streams.ts';
import { openTerminal } from './terminal/terminal.ts';
import { widthFor } from './views/stream-width.ts';
import { folded, safeForTerminal } from './views/terminal-text.ts';

/**
 * Runs a parsed command line and returns the exit code. Expected errors are printed as sentences.
 * @param isJsonAsked whether `--json` was found before the options are merged
 */
export async function runCall(
  call: ParsedCall,
  environment: NodeJS.ProcessEnv,
  isJsonAsked: boolean,
  streams: OutputStreams,
): Promise<number> {
  let isJson = isJsonAsked;
  let settings: Settings | null = null;
  const notes: SaidNote[] = [];
  boundUsualHeapGrowth();
  try {
    const options = callOptionsOf(call.given, environment);
    const { speech } = options;
    settings = options.settings;
    const { timeout } = settings.sending;
    isJson = speech.json;
    const activity = { requests: 0 };
    const terminal = openTerminal(speech, environment, streams, activity);
    const interruption = listenForInterruption(
      () => terminal.complain(stoppingSentence(activity.requests, timeout)),
      () => terminal.progress.stop(),
    );
    const interrupted = interruption.signal;
    const engine = Engine.withSettings(options.given, machineSettingsIn(environment));
    try {
      const app = appOn(terminal, { engine, speech, interrupted, activity, notes });
      const end = await call.work(app);
      if (speech.json) printJson({ ...end, notes }, app.words, streams);
      return exitCodes[end.outcome];
    } finally {
      await engine.close();
      interruption.stop();
    }
  } catch (error) {
    return sayError(error, isJson, streams, { settings, notes });
  }
}

interface SaidBefore {
  readonly settings: Settings | null;
  readonly notes: readonly SaidNote[];
}

/**
 * Prints an error in the call's form: as sentences, or as one JSON object. Returns the exit code.
 * @param said the settings of the call, null where it failed before it had any, and its notes
 */
export function sayError(
  error: unknown,
  isJson: boolean,
  streams: OutputStreams,
  { settings, notes }: SaidBefore = { settings: null, notes: [] },
): number {
  const complain = (text: string): void => {
    const columns = widthFor(streams.stderr, Number.POSITIVE_INFINITY);
    streams.stderr.write(`${safeForTerminal(folded(text, columns), false)}\n`);
  };
  const known = asKnownFailure(error);
  const words = doorWords({ settings: settings ?? readSettings({}) });
  if (isJson) printJson({ outcome: known.kind, batches: [], failure: known, notes }, words, streams);
  for (const line of failureLines(known, words)) complain(line);
  if (known === internalError) complain(traceOf(error));
  return exitCodes[known.kind];
}
