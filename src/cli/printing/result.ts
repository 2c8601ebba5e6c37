import { FilesRefused, type PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { repeatedOptions, withNextCommand } from '../../engine/access/repeated-options.ts';
import type { WrittenBatches } from '../../engine/running/result.ts';
import { printable } from '../../output/words/wording.ts';
import type { App } from '../command/app.ts';
import { type CommandEnd, documentOf } from '../json/document.ts';
import type { OutputStreams } from '../terminal/streams.ts';
import { batchSummary } from '../views/summary.ts';
import { jsonText } from '../views/terminal-text.ts';

/** Tells a person what became of each batch, and what stopped the run. */
export function printBatches(app: App, { batches, failure, environment }: WrittenBatches): void {
  const { terminal } = app;
  for (const batch of batches) {
    const summary = batchSummary(batch, {
      environment,
      useColour: terminal.useColour,
      commandOptions: repeatedOptions(app, environment),
      terminalColumns: terminal.columns,
    });
    terminal.print(`${summary}\n`);
  }
  if (failure !== null) sayFailure(app, failure);
}

/** An error, with a next command that works as it is printed. Said even when `--quiet`. */
export function sayFailure(app: App, failure: PaybatchError): void {
  for (const line of failureLines(withNextCommand(app, failure))) app.terminal.complain(line);
}

/** An error in one or two lines: what is wrong, and what to do next. */
export function failureLines(failure: PaybatchError): string[] {
  if (failure instanceof FilesRefused && failure.each.length > 1) {
    return [`paybatch: ${failure.each.length} files are refused:`, ...failure.each.flatMap(failureLines)];
  }
  const next = failure.next === null ? [] : [`  next: ${printable(failure.next)}`];
  return [`paybatch: ${printable(failure.message)}`, ...next];
}

/** The one object of `--json`, on standard output. */
export function printJson(result: CommandEnd, { stdout }: Pick<OutputStreams, 'stdout'>): void {
  stdout.write(`${jsonText(documentOf(result))}\n`);
}
