/*
 * The list of all commands, and the options that each one takes. Their words stand in `commands.json`; `oftenNeeded` there
 * names shared options, and "[batch]" is an argument that may be left out, as help shows it.
 */

import { readFileSync } from 'node:fs';
import type { ArgumentDefinition, CommandDefinition } from '../command/command.ts';
import { configOption, type OptionDefinition, sharedOptions } from '../options/options.ts';

/** An option in the data file: its choices may be a list that only the registry of kinds has. */
type OptionData = Omit<OptionDefinition, 'choices'> & {
  readonly choices?: readonly string[] | 'payee types';
};

/** The data file. An argument or option that several commands have is there once, and they name it. */
export interface CommandData {
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly options: Readonly<Record<string, OptionData>>;
  /** In the order of the help text. */
  readonly commands: readonly (Omit<CommandDefinition, 'arguments' | 'options'> & {
    readonly arguments: readonly (string | ArgumentDefinition)[];
    readonly options: readonly (string | OptionData)[];
  })[];
}

const data: CommandData = JSON.parse(readFileSync(new URL('./commands.json', import.meta.url), 'utf8'));

/** Every command, in the order of the help text. Its work is in a separate file, which `program.ts` names. */
export const commands: readonly CommandDefinition[] = data.commands.map((command) => ({
  ...command,
  arguments: command.arguments.map((each) => namedIn(data.arguments, each)),
  options: command.options.map((each) => withChoices(namedIn(data.options, each))),
}));

function namedIn<Definition extends object>(
  shared: Readonly<Record<string, Definition>>,
  given: string | Definition,
): Definition {
  const found = typeof given === 'string' ? shared[given] : given;
  if (found === undefined) throw new Error(`there is no shared definition ${String(given)}`);
  return found;
}

function withChoices({ choices, ...option }: OptionData): OptionDefinition {
  if (choices === undefined) return option;
  return { ...option, choices: choices === 'payee types' ? payeeTypesOfRegistry : choices };
}

/** Loaded only when the types are needed. */
async function payeeTypesOfRegistry(): Promise<readonly string[]> {
  return (await import('../../engine/choices.ts')).payeeTypes;
}

/** All options of a command: its own and the shared ones; without a command, the shared ones. */
export function optionsOf(command: CommandDefinition | null): readonly OptionDefinition[] {
  return [...(command?.options ?? []), ...sharedOptions, configOption];
}
