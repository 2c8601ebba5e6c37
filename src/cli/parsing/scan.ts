import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { CommandDefinition } from '../command/command.ts';
import { commands } from '../definitions/commands.ts';
import { didYouMean } from '../options/nearest.ts';
import { type OptionDefinition, optionDefinitions } from '../options/option-definitions.ts';

/** What a command line asks for, before its values are read. */
export type Scan =
  | { readonly asks: 'version' }
  | { readonly asks: 'help'; readonly command: CommandDefinition | null; readonly isAll: boolean }
  | { readonly asks: 'command'; readonly command: CommandDefinition };

/** Options from a JSON file: the only one that cannot stand in that file itself. */
export const configOption: OptionDefinition = {
  name: 'config',
  type: 'string',
  placeholder: 'FILE',
  description: 'Options from a JSON file',
};

/** Every option that a command takes, its own and those of all. */
export function optionsOf(command: CommandDefinition | null): readonly OptionDefinition[] {
  return [...(command?.options ?? []), ...optionDefinitions, configOption];
}

/**
 * Finds the command of a command line, and what stands in it that there is not.
 * @throws Failure (exit 2) that names what was meant, as far as that can be told
 */
export function scanWords(words: readonly string[]): Scan {
  const { command, unknown } = commandIn(words);
  const before = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const isAll = before.includes('--help-all');
  if (isAll || before.some((word) => word === '--help' || word === '-h') || unknown === 'help') {
    const named = unknown === 'help' ? words[words.indexOf('help') + 1] : undefined;
    return { asks: 'help', command: command ?? commandNamed(named) ?? null, isAll };
  }
  if (before.includes('--version')) return { asks: 'version' };
  if (unknown !== null) throw noSuchCommand(unknown);
  if (command === null) {
    requireKnownOptions(before, null);
    throw usage('Which command?', null);
  }
  requireKnownOptions(before, command);
  return { asks: 'command', command };
}

function commandNamed(name: string | undefined): CommandDefinition | undefined {
  return commands.find((command) => command.name === name);
}

/** The first word that is neither an option nor an option's value. */
function commandIn(words: readonly string[]): { command: CommandDefinition | null; unknown: string | null } {
  // Options may stand before the command, its own ones too.
  const withValue = new Set(
    [...optionsOf(null), ...commands.flatMap(({ options }) => options)].flatMap(({ name, type }) =>
      type === 'boolean' ? [] : [`--${name}`],
    ),
  );
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (withValue.has(word)) at += 1;
    else if (word === '-' || !word.startsWith('-')) {
      const command = commandNamed(word) ?? null;
      return { command, unknown: command === null ? word : null };
    }
  }
  return { command: null, unknown: null };
}

function noSuchCommand(word: string): Failure {
  const names = commands.map(({ name }) => name);
  return usage(`There is no command "${word}".${didYouMean(word, names)}`, null);
}

function requireKnownOptions(words: readonly string[], command: CommandDefinition | null): void {
  const options = optionsOf(command);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!/^-./.test(word)) continue;
    const [name = ''] = word.replace(/^--/, '').split('=', 1);
    const option = word.startsWith('--') ? options.find((each) => each.name === name) : undefined;
    if (option === undefined) throw noSuchOption(word.split('=', 1)[0] ?? word, command);
    if (option.type === 'boolean' || word.includes('=')) continue;
    at += 1;
    requireValue(word, words[at], command);
  }
}

function requireValue(option: string, value: string | undefined, command: CommandDefinition | null): void {
  if (value === undefined) throw usage(`${option} needs a value.`, command);
  if (/^--?[a-z]/.test(value)) {
    throw usage(
      `${option} needs a value; one that begins with a hyphen is written ${option}=${value}.`,
      command,
    );
  }
}

function noSuchOption(word: string, command: CommandDefinition | null): Failure {
  const names = [...optionsOf(command).map(({ name }) => name), 'help', 'help-all', 'version'];
  const of = command === null ? '' : ` of ${command.name}`;
  const nearest = didYouMean(word.replace(/^-+/, ''), names, '--');
  return usage(`There is no option ${word}${of}.${nearest}`, command);
}

/** A mistake of usage, with the help that tells how it is right. */
export function usage(message: string, command: CommandDefinition | null): Failure {
  const help = command === null ? 'paybatch --help' : `paybatch ${command.name} --help`;
  return new Failure(exitCodes.usage, 'usage', message, help);
}
