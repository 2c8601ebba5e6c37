#!/usr/bin/env node
/* The program: runs the command line, and ends with its exit code. */
import { runCommandLine } from './run-command-line.ts';
import { giveUpFailingStreams } from './terminal/streams.ts';

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
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, process);
endWhateverIsLeft();
