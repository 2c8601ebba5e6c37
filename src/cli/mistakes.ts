/* Mistakes of usage, in sentences that say how it is right. */

import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { type Arguments, type CommandDefinition, shownArgument } from './command/command.ts';
import { commands, optionsOf } from './definitions/commands.ts';
import { didYouMean } from './options/nearest.ts';

/** A command line that yargs refused: its words, what yargs read from them, and the command, if there is one. */
interface RefusedLine {
  readonly words: readonly string[];
  readonly parsed: Arguments;
  readonly command: CommandDefinition | null;
}

/** A mistake of usage, with the help that tells how it is right. */
function usage(message: string, command: CommandDefinition | null): PaybatchError {
  const help = command === null ? 'paybatch --help' : `paybatch ${command.name} --help`;
  return new PaybatchError('usage', message, help);
}

/**
 * The sentence for a mistake that yargs found. yargs checks unknown options last, but they come first here: a misspelt
 * flag takes the file behind it for its value, and "needs FILE" would not tell why. yargs proposes commands, but neither
 * options nor values.
 * @param message what yargs says of it, in English
 */
export function mistakeOf(message: string, line: RefusedLine): PaybatchError {
  return usage(unknownOption(line) ?? sentenceFor(message, line), line.command);
}

function unknownOption({ words, parsed, command }: RefusedLine): string | undefined {
  const owners = command === null ? commands : [command];
  const names = [...owners.flatMap(optionsOf).map(({ name }) => name), 'help', 'help-all', 'version'];
  const unknown = Object.keys(parsed).find((key) => !['_', '--', '$0', 'h', ...names].includes(key));
  if (unknown === undefined) return undefined;
  // yargs reads `-kind` as four letters; the person typed one word.
  const isMeant = (word: string): boolean =>
    word.replace(/^--?/, '').split('=', 1)[0] === unknown || (/^-[^-]/.test(word) && word.includes(unknown));
  const [word = unknown] = words.find(isMeant)?.split('=', 1) ?? [];
  const of = command === null ? '' : ` of ${command.name}`;
  return `There is no option ${word}${of}.${didYouMean(word.replace(/^-+/, ''), names, '--')}`;
}

function sentenceFor(message: string, { words, parsed }: RefusedLine): string {
  const [, lacksValue] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  if (lacksValue !== undefined) return missingValue(`--${lacksValue}`, words);
  const [, name, given, choices] = /Argument: (.+), Given: (.*), Choices: (.*)/s.exec(message) ?? [];
  if (name !== undefined) return wrongChoice(`--${name}`, listed(given)[0] ?? '', listed(choices));
  if (/^(Unknown command|Did you mean)/.test(message)) {
    const [word = ''] = listOf(parsed['_']);
    return `There is no command "${word}".${message.startsWith('Did') ? ` ${message}` : ''}`;
  }
  // What is left are the sentences that the definition of the command has for what is missing.
  return message.replace(/^Missing required arguments?: .*\n/, '');
}

function missingValue(option: string, words: readonly string[]): string {
  const next = words[words.indexOf(option) + 1];
  return next === undefined
    ? `${option} needs a value.`
    : `${option} needs a value; one that begins with a hyphen is written ${option}=${next}.`;
}

/** yargs writes values as JSON, joined by commas. */
function listed(text = ''): string[] {
  return listOf(JSON.parse(`[${text}]`));
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function wrongChoice(name: string, value: string, choices: readonly string[]): string {
  const either =
    choices.length > 1 ? `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : choices.join();
  return `${name} is "${value}"; it has to be ${either}.${didYouMean(value, choices)}`;
}

/** A description in the middle of a sentence. */
export function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Gives the words behind a command the names of its arguments. yargs would do that for `command <file..>`, but it reads
 * them as options once more while it does, and loses `-` and every name that begins with a hyphen.
 * @throws PaybatchError (`usage`) for a word too many, and for one that an argument does not take
 */
export function nameArguments(command: CommandDefinition, words: readonly string[]): Arguments {
  const taken = command.arguments;
  const surplus = taken.at(-1)?.isList === true ? [] : words.slice(taken.length);
  if (surplus.length > 0) {
    const takes = taken.length === 0 ? 'no argument' : `${taken.map(shownArgument).join(' ')} and no more`;
    throw usage(`paybatch ${command.name} takes ${takes}: ${surplus.join(', ')}.`, command);
  }
  const named = taken.map(({ name, isList }, at): [string, unknown] => [
    name,
    isList === true ? words.slice(at) : words[at],
  ]);
  for (const [at, { name, choices }] of taken.entries()) {
    const word = words[at];
    if (choices !== undefined && word !== undefined && !choices.includes(word)) {
      throw usage(wrongChoice(name, word, choices), command);
    }
  }
  return Object.fromEntries(named);
}
