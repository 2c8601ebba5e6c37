#!/usr/bin/env node
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { systemClock } from '../job/context.ts';
import { asFailure } from '../job/stop-cause.ts';
import { safeForTerminal } from '../output/terminal-text.ts';
import { appOn } from './app.ts';
import { listenForInterruption, stoppingSentence } from './interruption.ts';
import { printJson, sayFailure } from './print-result.ts';
import { parseCommandLine } from './program.ts';
import { settingsOf } from './settings.ts';
import { giveUpFailingStreams, openTerminal } from './terminal.ts';

/** Runs one command line and returns its exit code. Every expected error has become a sentence by then. */
async function main(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  let isJson = words.includes('--json') || /^(1|true|yes|on)$/i.test(environment['PAYBATCH_JSON'] ?? '');
  const complain = (text: string): void => {
    process.stderr.write(`${safeForTerminal(text, false)}\n`);
  };
  try {
    requireWorkingFolder();
    const call = await parseCommandLine(words, process.stdout.columns ?? 100);
    if ('text' in call) {
      process.stdout.write(`${call.text}\n`);
      return words.length === 0 ? exitCodes.usage : exitCodes.done;
    }
    const settings = settingsOf(call.given, environment);
    isJson = settings.json;
    const terminal = openTerminal(settings, environment);
    const activity = { requests: 0 };
    const interruption = listenForInterruption(
      () => terminal.complain(stoppingSentence(activity.requests, settings.timeout)),
      () => terminal.progress.stop(),
    );
    try {
      const interrupted = interruption.signal;
      const app = appOn(terminal, { settings, environment, clock: systemClock, interrupted, activity });
      const end = await call.work(app);
      if (settings.json) printJson(end);
      return end.exitCode;
    } finally {
      interruption.stop();
    }
  } catch (error) {
    const expected = asFailure(error);
    const failure = expected instanceof Failure ? expected : internalError;
    if (isJson) printJson({ exitCode: failure.exitCode, batches: [], failure });
    sayFailure({ complain }, failure);
    if (failure === internalError) complain(String(error instanceof Error ? error.stack : error));
    return failure.exitCode;
  }
}

/** Whatever is not expected is a bug of ours; the report of it goes to standard error only. */
const internalError = new Failure(
  exitCodes.internalError,
  'internal_error',
  'An internal error, which is a bug of ours.',
  'run the same command again; if it happens again, report it with what stands on standard error',
);

/** Every relative path begins there, and yargs looks for its configuration in it. */
function requireWorkingFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new Failure(
      exitCodes.usage,
      'working_folder_gone',
      'The folder that paybatch was started in is gone, or may not be read.',
      'change to another folder (cd), then run the same command again',
    );
  }
}

/**
 * The program is done, and normally ends by itself. A connection that nobody answers on, or a timer of a library
 * that failed in the middle, must not keep a nightly job waiting for ever.
 */
function endWhateverIsLeft(): void {
  const timer = setTimeout(() => {
    const isWriting = process.stdout.writableLength + process.stderr.writableLength > 0;
    if (isWriting) endWhateverIsLeft();
    else process.exit();
  }, 5_000);
  timer.unref();
}

giveUpFailingStreams();
process.exitCode = await main(process.argv.slice(2), process.env);
endWhateverIsLeft();
