#!/usr/bin/env node
/* The program: runs the command line, and ends with its exit code. */
import { runCommandLine } from './run-command-line.ts';
import { giveUpFailingStreams } from './views/streams.ts';

/**
 * Ends the process when the program is done, in case it does not end by itself. A connection without an answer, or a
 * timer of a failed library, must not keep a nightly job waiting forever.
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
