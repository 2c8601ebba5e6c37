/* What a command is: its arguments and options, its help, and its work. */

import {
  type Activity,
  type Actor,
  type Call,
  type ClockPort,
  systemClock,
  userName,
} from '../../call/context.ts';
import type { DoorWords } from '../../domain/failures/paybatch-error.ts';
import type { Settings } from '../../domain/settings/definitions.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CommandEnd } from '../json/document.ts';
import type { Speech } from '../options/layered-options.ts';
import type { OptionDefinition, SharedOptionName } from '../options/option-definitions.ts';
import { doorWords } from '../remedies/remedy-text.ts';
import { answerOn } from '../terminal/questions.ts';
import { showEventsOn } from '../terminal/show-events.ts';
import type { Terminal } from '../terminal/terminal.ts';

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

/** What every command works with: the engine, how it is called, and the terminal. */
export interface App {
  readonly engine: Engine;
  readonly call: Call;
  /** Aborted when somebody asks the program to stop. */
  readonly interrupted: AbortSignal;
  readonly settings: Settings;
  readonly clock: ClockPort;
  readonly speech: Speech;
  readonly terminal: Terminal;
  /** What can be done, as somebody types it. */
  readonly words: DoorWords;
}

/** Calls the engine for a person at a terminal: progress is shown there, and questions are asked there. */
export function appOn(
  terminal: Terminal,
  others: Pick<App, 'engine' | 'speech' | 'interrupted'> & { readonly activity: Activity },
): App {
  const { engine, speech, interrupted, activity } = others;
  const actor: Actor = { name: userName(), door: 'command line' };
  const { settings } = engine;
  const words = doorWords({ settings });
  const call: Call = {
    words,
    actor,
    activity,
    signal: interrupted,
    wantsDetails: speech.verbose,
    report: showEventsOn(terminal, words),
    confirm: answerOn(terminal),
  };
  return { engine, call, interrupted, speech, terminal, words, settings, clock: systemClock };
}
