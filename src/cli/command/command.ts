/* What a command is: its arguments and options, its help, and its work. */

import type { CommandEnd } from '../json/document.ts';
import type { OptionDefinition, SharedOptionName } from '../options/option-definitions.ts';
import type { App } from './app.ts';

/** What was read from a command line, by option and argument name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A word of a command line that is no option. */
export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly isList?: boolean;
  readonly choices?: readonly string[];
}

/** A command line that works, and what it is for. */
export interface Example {
  readonly line: string;
  readonly purpose: string;
}

/**
 * All that is known of a command before it is loaded: how it is read from a command line, and what help, completion
 * and the manual page say of it.
 */
export interface CommandDefinition {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ArgumentDefinition[];
  /** Its own, which no other command has. */
  readonly options: readonly OptionDefinition[];
  /** Those of all commands that are often needed with this one. */
  readonly oftenNeeded: readonly SharedOptionName[];
  readonly examples: readonly Example[];
}

/** What a command does: from what was given to a use case, and its result to the terminal. */
export interface Command {
  readonly work: (app: App, parsed: Arguments) => Promise<CommandEnd>;
}

/** `FILE...`, `[BATCH]`: an argument as help shows it. */
export function shownArgument({ name, isRequired, isList }: ArgumentDefinition): string {
  const shown = `${name.toUpperCase()}${isList === true ? '...' : ''}`;
  return isRequired === true ? shown : `[${shown}]`;
}

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
