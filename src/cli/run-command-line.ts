import { exitCodes } from '../disk/log/exit-codes.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ParsedCall } from './command/command.ts';
import type { Answered } from './program.ts';
import { type OutputStreams, widthFor } from './views/streams.ts';

/**
 * Runs one command line and returns its exit code. The code of a command is loaded only when the command runs, so `--help`
 * does not wait for it.
 */
export async function runCommandLine(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  streams: OutputStreams,
): Promise<number> {
  const isJson = words.includes('--json') || /^(1|true|yes|on)$/i.test(environment['PAYBATCH_JSON'] ?? '');
  let call: ParsedCall | Answered;
  try {
    requireWorkingFolder();
    const { parseCommandLine } = await import('./program.ts');
    call = await parseCommandLine(words, widthFor(streams.stdout, 100));
  } catch (error) {
    const { sayError } = await import('./command/command.ts');
    return sayError(error, isJson, streams);
  }
  if ('text' in call) {
    streams.stdout.write(`${call.text}\n`);
    return words.length === 0 ? exitCodes.usage : exitCodes.done;
  }
  const { runCall } = await import('./command/command.ts');
  return runCall(call, environment, isJson, streams);
}

/** Checks the working folder, since relative paths begin there and yargs reads it when loaded. */
function requireWorkingFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new PaybatchError(
      'working_folder_gone',
      'The folder that paybatch was started in is gone, or may not be read.',
      'change to another folder (cd), then run the same command again',
    );
  }
}
