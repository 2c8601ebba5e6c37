/* Prints how a call ended: its batches, its failure, or its JSON object. */

import type { WrittenBatches } from '../account/result.ts';
import { printable } from '../account/words/wording.ts';
import { FilesRefused, type PaybatchError, type Phrasebook } from '../domain/failures/paybatch-error.ts';
import type { App } from './command/app.ts';
import { type CommandEnd, documentOf } from './json/document.ts';
import { terminalText } from './options/option-definitions.ts';
import { nextOf } from './remedies/remedy-text.ts';
import type { OutputStreams } from './terminal/streams.ts';
import { batchSummary } from './views/summary.ts';
import { jsonText } from './views/terminal-text.ts';

/** Prints for a person the result of each batch, and what stopped the run. */
export function printBatches(
  app: App,
  { batches, failure }: Pick<WrittenBatches, 'batches' | 'failure'>,
): void {
  const { terminal } = app;
  for (const batch of batches) {
    const summary = batchSummary(batch, {
      useColour: terminal.useColour,
      words: app.words,
      terminalColumns: terminal.columns,
    });
    terminal.print(`${summary}\n`);
  }
  if (failure !== null) sayFailure(app, failure);
}

/** Prints an error, with a next command that works as printed. Also printed with `--quiet`. */
export function sayFailure(app: App, failure: PaybatchError): void {
  for (const line of failureLines(failure, app.words)) app.terminal.complain(line);
}

/** An error in one or two lines: what is wrong, and what to do next. */
export function failureLines(failure: PaybatchError, words: Phrasebook): string[] {
  if (failure instanceof FilesRefused && failure.each.length > 1) {
    return [
      `paybatch: ${failure.each.length} files are refused:`,
      ...failure.each.flatMap((refused) => failureLines(refused, words)),
    ];
  }
  const next = nextOf(failure, words);
  return [
    `paybatch: ${printable(terminalText(failure.said))}`,
    ...(next === null ? [] : [`  next: ${printable(next)}`]),
  ];
}

/** The one object of `--json`, on standard output. */
export function printJson(
  result: CommandEnd,
  words: Phrasebook,
  { stdout }: Pick<OutputStreams, 'stdout'>,
): void {
  stdout.write(`${jsonText(documentOf(result, words))}\n`);
}
