import yargs, { type Options, type PositionalOptions } from 'yargs';
import { type Arguments, type CommandDefinition, shownArgument } from '../command/command.ts';
import { didYouMean } from '../options/nearest.ts';
import type { OptionDefinition } from '../options/option-definitions.ts';
import { optionsOf, usage } from './scan.ts';

/**
 * Reads the arguments and options of a command from a command line that names no others.
 * @throws Failure (exit 2) for an argument too few or too many, and for a value that an option does not take
 */
export async function readValues(words: readonly string[], command: CommandDefinition): Promise<Arguments> {
  let values: Arguments = {};
  const program = yargs()
    .parserConfiguration({
      'camel-case-expansion': false,
      'boolean-negation': false,
      'duplicate-arguments-array': true,
      'greedy-arrays': false,
    })
    .options(Object.fromEntries(optionsOf(command).map((option) => [option.name, parsedOption(option)])))
    .command(
      [command.name, ...command.arguments.map(yargsArgument)].join(' '),
      command.description,
      (called) => {
        for (const argument of command.arguments)
          called.positional(argument.name, { type: 'string' } satisfies PositionalOptions);
        return called;
      },
      (parsed) => {
        values = withHyphens(parsed);
      },
    )
    .help(false)
    .version(false)
    .strict()
    .exitProcess(false)
    .fail((message, error: Error | null | undefined) => {
      const isMistakeOfUsage = error === undefined || error === null || error.name === 'YError';
      throw isMistakeOfUsage ? usage(sentenceFor(message ?? error?.message ?? '', command), command) : error;
    });
  await program.parseAsync(words.map((word) => (word === '-' ? hyphen : word)));
  requireArguments(values, command);
  await requireChoices(values, command);
  return values;
}

/** yargs loses a lone hyphen among arguments, so it travels as a word that no command line can hold. */
const hyphen = '\0-';

function withHyphens(parsed: Arguments): Arguments {
  const meant = (value: unknown): unknown => (value === hyphen ? '-' : value);
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(meant) : meant(value),
    ]),
  );
}

/** None is required here: what is missing is told in our own words. */
function yargsArgument({ name, isList }: CommandDefinition['arguments'][number]): string {
  return `[${name}${isList === true ? '..' : ''}]`;
}

function parsedOption({ type }: OptionDefinition): Options {
  return {
    type: type === 'boolean' ? 'boolean' : 'string',
    array: type === 'list',
    requiresArg: type !== 'boolean',
    // yargs would lay its own help out for every call, which takes longer than all that it reads.
    hidden: true,
  };
}

/** What is left for yargs to find after the scan: arguments too many, and whatever we did not think of. */
function sentenceFor(message: string, { name, arguments: taken }: CommandDefinition): string {
  const [, tooMany] = /^Unknown (?:arguments?|commands?): (.*)$/.exec(message) ?? [];
  if (tooMany === undefined) return `${message}.`.replace(/([.?!])\.$/, '$1');
  const takes = taken.length === 0 ? 'no argument' : taken.map(shownArgument).join(' ');
  return `paybatch ${name} takes ${takes} and no more: ${tooMany}.`;
}

function requireArguments(values: Arguments, command: CommandDefinition): void {
  const isMissing = (name: string): boolean => {
    const value = values[name];
    return value === undefined || (Array.isArray(value) && value.length === 0);
  };
  const argument = command.arguments.find(({ name, isRequired }) => isRequired === true && isMissing(name));
  if (argument !== undefined) {
    throw usage(
      `paybatch ${command.name} needs ${shownArgument(argument)}: ${lowered(argument.description)}.`,
      command,
    );
  }
  const option = command.options.find(({ name, isRequired }) => isRequired === true && isMissing(name));
  if (option !== undefined) {
    throw usage(`paybatch ${command.name} needs --${option.name}: ${lowered(option.description)}.`, command);
  }
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

async function requireChoices(values: Arguments, command: CommandDefinition): Promise<void> {
  for (const option of optionsOf(command)) {
    if (values[option.name] !== undefined && option.choices !== undefined) {
      const choices = typeof option.choices === 'function' ? await option.choices() : option.choices;
      requireChoice(`--${option.name}`, values[option.name], choices, command);
    }
  }
  for (const { name, choices } of command.arguments) {
    if (choices !== undefined) requireChoice(name, values[name], choices, command);
  }
}

function requireChoice(
  name: string,
  value: unknown,
  choices: readonly string[],
  command: CommandDefinition,
): void {
  if (typeof value !== 'string' || choices.includes(value)) return;
  const listed =
    choices.length > 1 ? `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : choices.join();
  throw usage(`${name} is "${value}"; it has to be ${listed}.${didYouMean(value, choices)}`, command);
}
