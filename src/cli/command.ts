import type { Argv, PositionalOptions } from 'yargs';
import type { JobResult } from '../job/running/result.ts';
import type { App } from './app.ts';

/** What yargs read from a command line, by option and argument name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** How a command is called and what the list of all says of it: all that is known before it is loaded. */
export interface ListedCommand {
  /** Name and arguments as yargs has them: `results <batch>`. */
  readonly words: string;
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** What one command takes beside the options of all, and what it does. */
export interface Command {
  /** Adds what only this command has: its arguments and options. */
  readonly build: (program: Argv) => Argv;
  readonly work: (app: App, parsed: Arguments) => Promise<JobResult>;
}

/** The argument that names a batch. */
export const batchArgument: PositionalOptions = {
  type: 'string',
  description: 'A batch id, or 4 or more of its first characters',
};

/** A value that is text when it was given. */
export function textOf(parsed: Arguments, name: string): string | undefined {
  const value = parsed[name];
  return typeof value === 'string' ? value : undefined;
}

/** A value that was given as a list of texts; empty when it was not given. */
export function textsOf(parsed: Arguments, name: string): string[] {
  const value = parsed[name];
  return Array.isArray(value) ? value.map(String) : [];
}
