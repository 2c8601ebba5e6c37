import { type Failure, FilesRefused } from '../../domain/failure.ts';
import { repeatedOptions } from '../../job/files/files-of-batch.ts';
import { documentOf, type JobResult, type WrittenBatches } from '../../job/running/result.ts';
import { batchSummary } from '../../output/terminal/summary.ts';
import { jsonText } from '../../output/terminal/terminal-text.ts';
import { printable } from '../../output/words/printable.ts';
import type { App } from '../command/app.ts';
import type { OutputStreams } from '../terminal/streams.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Tells a person what became of each batch, and what stopped the run. */
export function printBatches(app: App, { batches, failure, environment }: WrittenBatches): void {
  const { terminal } = app;
  for (const batch of batches) {
    const summary = batchSummary(batch, {
      environment,
      useColour: terminal.useColour,
      commandOptions: repeatedOptions(app, environment),
    });
    terminal.print(`${summary}\n`);
  }
  if (failure !== null) sayFailure(terminal, failure);
}

/** An error in one or two lines: what is wrong, and what to do next. Said even when `--quiet`. */
export function sayFailure(terminal: Pick<Terminal, 'complain'>, failure: Failure): void {
  if (failure instanceof FilesRefused && failure.each.length > 1) {
    terminal.complain(`paybatch: ${failure.each.length} files are refused:`);
    for (const each of failure.each) sayFailure(terminal, each);
    return;
  }
  terminal.complain(`paybatch: ${printable(failure.message)}`);
  if (failure.next !== null) terminal.complain(`  next: ${printable(failure.next)}`);
}

/** The one object of `--json`, on standard output. */
export function printJson(result: JobResult, { stdout }: Pick<OutputStreams, 'stdout'>): void {
  stdout.write(`${jsonText(documentOf(result))}\n`);
}
