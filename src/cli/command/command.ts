/* The definition of a command: its arguments and options, its help, and its work. */

import type { CommandEnd } from '../json/document.ts';
import type { OptionDefinition, SharedOptionName } from '../options/option-definitions.ts';
import type { App } from './app.ts';

/** The values read from a command line, by option and argument name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A word of a command line that is not an option. */
export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly isList?: boolean;
  readonly choices?: readonly string[];
}

/** A working command line, and its purpose. */
export interface Example {
  readonly line: string;
  readonly purpose: string;
}

/**
 * The definition of a command before it is loaded: how it is parsed, and its text in help, completion and the manual
 * page.
 */
export interface CommandDefinition {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ArgumentDefinition[];
  /** The options of this command only. */
  readonly options: readonly OptionDefinition[];
  /** The shared options that are often needed with this command. */
  readonly oftenNeeded: readonly SharedOptionName[];
  readonly examples: readonly Example[];
}

/** Runs a command: passes the arguments to a use case, and its result to the terminal. */
export interface Command {
  readonly work: (app: App, parsed: Arguments) => Promise<CommandEnd>;
}

/** `FILE...`, `[BATCH]`: an argument as help shows it. */
export function shownArgument({ name, isRequired, isList }: ArgumentDefinition): string {
  const shown = `${name.toUpperCase()}${isList === true ? '...' : ''}`;
  return isRequired === true ? shown : `[${shown}]`;
}

/** A text value; undefined when not stated. */
export function textOf(parsed: Arguments, name: string): string | undefined {
  const value = parsed[name];
  return typeof value === 'string' ? value : undefined;
}

/** A list of text values; empty when not stated. */
export function textsOf(parsed: Arguments, name: string): string[] {
  const value = parsed[name];
  return Array.isArray(value) ? value.map(String) : [];
}
