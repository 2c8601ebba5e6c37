#!/usr/bin/env node
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { type Answered, type Call, parseCommandLine } from './program.ts';
import { giveUpFailingStreams } from './terminal/failing-streams.ts';

/**
 * Runs one command line and returns its exit code. What runs a command is loaded when there is one to run:
 * `--help` waits for none of it.
 */
async function main(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const isJson = words.includes('--json') || /^(1|true|yes|on)$/i.test(environment['PAYBATCH_JSON'] ?? '');
  let call: Call | Answered;
  try {
    requireWorkingFolder();
    call = await parseCommandLine(words, process.stdout.columns ?? 100);
  } catch (error) {
    const { sayError } = await import('./run-call.ts');
    return sayError(error, isJson);
  }
  if ('text' in call) {
    process.stdout.write(`${call.text}\n`);
    return words.length === 0 ? exitCodes.usage : exitCodes.done;
  }
  const { runCall } = await import('./run-call.ts');
  return runCall(call, environment, isJson);
}

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
