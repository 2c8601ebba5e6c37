import type { ExitCode } from '../domain/exit-code.ts';
import type { Failure } from '../domain/failure.ts';
import { type BatchSummary, jsonSummary } from '../output/json-summary.ts';
import { batchSummary } from '../output/summary.ts';
import { jsonText, printable } from '../output/terminal-text.ts';
import type { App } from './app.ts';
import { repeatedOptions } from './batch-files.ts';
import type { Terminal } from './terminal.ts';

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: ExitCode;
  readonly batches: readonly BatchSummary[];
  readonly failure: Failure | null;
  /** What `--json` prints in place of the account of batches, for a command whose result is something else. */
  readonly document?: unknown;
}

/** Tells a person what became of each batch, and what stopped the run. */
export function printEnd(app: App, end: CommandEnd, mode: 'sandbox' | 'live', origin: string): void {
  const { terminal } = app;
  for (const batch of end.batches) {
    const summary = batchSummary(batch, {
      environment: { mode, origin },
      useColour: terminal.useColour,
      commandOptions: repeatedOptions(app, { mode, origin }),
    });
    terminal.print(`${summary}\n`);
  }
  if (end.failure !== null) sayFailure(terminal, end.failure);
}

/** An error in one or two lines: what is wrong, and what to do next. Said even when `--quiet`. */
export function sayFailure(terminal: Pick<Terminal, 'complain'>, failure: Failure): void {
  terminal.complain(`paybatch: ${printable(failure.message)}`);
  if (failure.next !== null) terminal.complain(`  next: ${printable(failure.next)}`);
}

/** The one object of `--json`, on standard output. */
export function printJson(end: CommandEnd): void {
  const { exitCode, batches, failure } = end;
  const error =
    failure === null ? null : { code: failure.code, message: failure.message, next: failure.next };
  const document = end.document ?? jsonSummary({ exitCode, batches, error });
  process.stdout.write(`${jsonText(document)}\n`);
}
