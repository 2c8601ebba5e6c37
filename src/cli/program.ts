/* Parses the command line: its command, its options, and their errors. */

import yargs, { type Argv } from 'yargs';
import { version } from '../call/settings.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { Arguments, Command, CommandDefinition, ParsedCall } from './command/command.ts';
import {
  commands,
  describeCommand,
  describeProgram,
  examplesOf,
  helpAll,
  optionsOf,
  shownArgument,
} from './definitions/commands.ts';
import { didYouMean, type GivenOptions } from './options/given-options.ts';
import { choicesOf, type OptionDefinition } from './options/options.ts';

/** The file of every command, loaded when the command is called. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  import: async () => (await import('./commands/sending.ts')).importCommand,
  validate: async () => (await import('./commands/sending.ts')).validateCommand,
  plan: async () => (await import('./commands/sending.ts')).planCommand,
  submit: async () => (await import('./commands/sending.ts')).submitCommand,
  resume: async () => (await import('./commands/sending.ts')).resumeCommand,
  retry: async () => (await import('./commands/sending.ts')).retryCommand,
  resolve: async () => (await import('./commands/looking.ts')).resolveCommand,
  close: async () => (await import('./commands/looking.ts')).closeCommand,
  approve: async () => (await import('./commands/controls.ts')).approveCommand,
  reject: async () => (await import('./commands/controls.ts')).rejectCommand,
  reconcile: async () => (await import('./commands/looking.ts')).reconcileCommand,
  results: async () => (await import('./commands/looking.ts')).resultsCommand,
  status: async () => (await import('./commands/status.ts')).statusCommand,
  policy: async () => (await import('./commands/controls.ts')).policyCommand,
  disown: async () => (await import('./commands/controls.ts')).disownCommand,
  halt: async () => (await import('./commands/controls.ts')).haltCommand,
  user: async () => (await import('./commands/controls.ts')).userCommand,
  audit: async () => (await import('./commands/controls.ts')).auditCommand,
  mapping: async () => (await import('./commands/mapping.ts')).mappingCommand,
  institutions: async () => (await import('./commands/set-up.ts')).institutionsCommand,
  template: async () => (await import('./commands/set-up.ts')).templateCommand,
  recover: async () => (await import('./commands/looking.ts')).recoverCommand,
  doctor: async () => (await import('./commands/set-up.ts')).doctorCommand,
  migrate: async () => (await import('./commands/set-up.ts')).migrateCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  completion: async () => (await import('./commands/set-up.ts')).completionCommand,
};

/** The answer to a command line with `--help` or `--version`. */
export interface Answered {
  readonly text: string;
}

/** The result of parsing a command line with yargs. */
interface Reading {
  command: CommandDefinition | null;
  options: GivenOptions | null;
  text: string;
  /** Whether `--help-all` was requested. */
  readonly isAll: boolean;
}

/**
 * Reads a command line: yargs parses and checks it by the definitions of the commands, and answers `--help`, `--help-all`
 * and `--version`.
 * @param columns the maximum width of help
 * @throws PaybatchError (`usage`) with what is wrong with the command line
 */
export async function parseCommandLine(
  words: readonly string[],
  columns: number,
): Promise<ParsedCall | Answered> {
  const isAll = wordsBeforeDashes(words).includes('--help-all');
  const reading: Reading = { command: null, options: null, text: '', isAll };
  const explain = (error: Error): Error => {
    if (error.name !== 'YError') return error;
    const parsed = program.parsed === false ? {} : program.parsed.argv;
    return mistakeOf(error.message, { words, parsed, command: reading.command });
  };
  const program = yargs()
    .scriptName('')
    .detectLocale(false)
    .exitProcess(false)
    .parserConfiguration({
      'camel-case-expansion': false,
      'boolean-negation': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-positional-numbers': false,
    })
    .strictCommands()
    .recommendCommands()
    .demandCommand(1, 'Which command?')
    .help('help', 'What a command does, and its options')
    .alias('help', 'h')
    .showHidden(...helpAll)
    .version('version', 'The version of paybatch', version)
    .fail((message, error: Error | null | undefined) => {
      throw explain(error ?? Object.assign(new Error(message), { name: 'YError' }));
    });
  takeFlagsOfCommands(program);
  takeOptions(program, optionsOf(null));
  await describeProgram(program, columns, isAll);
  for (const command of commands) addCommand(program, command, reading);
  try {
    await program.parseAsync(wordsForYargs(words, isAll), {}, (_error, _parsed, output) => {
      reading.text = output;
    });
  } catch (error) {
    // yargs does not pass errors to `fail` when a command is described by a promise.
    throw error instanceof Error ? explain(error) : error;
  }
  return answerOf(reading, columns);
}

function wordsBeforeDashes(words: readonly string[]): readonly string[] {
  return words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
}

/**
 * Adapts a command line to yargs, which shows hidden options only with `--help`, and accepts the word `help` only after a
 * command.
 */
function wordsForYargs(words: readonly string[], isAll: boolean): readonly string[] {
  if (words.length === 0) return ['--help'];
  if (words[0] === 'help') return [...words.slice(1), '--help'];
  return isAll ? ['--help', ...words] : words;
}

/**
 * Announces the flags of all commands to yargs. Options may come before their command, and yargs would take the command's
 * name as the value of an unknown flag.
 */
function takeFlagsOfCommands(program: Argv): void {
  const flags = commands.flatMap(({ options }) => options.filter(({ type }) => type === 'boolean'));
  takeOptions(program, flags);
  program.global(
    flags.map(({ name }) => name),
    false,
  );
}

function takeOptions(program: Argv, options: readonly OptionDefinition[]): void {
  const namesOf = (isMeant: (type: OptionDefinition['type']) => boolean): string[] =>
    options.flatMap(({ name, type }) => (isMeant(type) ? [name] : []));
  program
    .boolean(namesOf((type) => type === 'boolean'))
    .string(namesOf((type) => type !== 'boolean'))
    .array(namesOf((type) => type === 'list'))
    .requiresArg(namesOf((type) => type !== 'boolean'));
}

function addCommand(program: Argv, command: CommandDefinition, reading: Reading): void {
  const build = async (called: Argv, isHelp?: boolean): Promise<void> => {
    reading.command = command;
    if (isHelp === true) await describeCommand(called, command, reading.isAll);
    else await checkCommand(called, command);
  };
  program.command(command.name, false, build, ({ _: [, ...behind], $0, ...options }) => {
    reading.options = { ...options, ...nameArguments(command, behind.map(String)) };
  });
}

/** Sets up yargs' checks of a command's line; missing arguments are reported in the definition's words. */
async function checkCommand(called: Argv, command: CommandDefinition): Promise<void> {
  const needs = (shown: string, description: string): string =>
    `paybatch ${command.name} needs ${shown}: ${lowered(description)}.`;
  takeOptions(called, command.options);
  called.strictCommands(false).strictOptions();
  for (const option of optionsOf(command)) {
    if (option.choices !== undefined) called.choices(option.name, await choicesOf(option));
    if (option.isRequired === true) {
      called.demandOption(option.name, needs(`--${option.name}`, option.description));
    }
  }
  const required = command.arguments.filter(({ isRequired }) => isRequired === true);
  const [first] = required;
  if (first !== undefined) {
    called.demandCommand(required.length, needs(shownArgument(first), first.description));
  }
}

async function answerOf(
  { command, options, text, isAll }: Reading,
  columns: number,
): Promise<ParsedCall | Answered> {
  if (command === null || text === version) return { text };
  if (options === null) return { text: `${text}\n\n${await examplesOf(command, columns, isAll)}` };
  const work = await loaders[command.name]?.();
  if (work === undefined) throw new Error(`there is no file of the command ${command.name}`);
  return { options, work: (app) => work(app, options) };
}

/* Usage errors, in sentences that show the correct usage. */

/**
 * A command line that yargs refused: its words, the values that yargs read from them, and the command, if one was found.
 */
interface RefusedLine {
  readonly words: readonly string[];
  readonly parsed: Arguments;
  readonly command: CommandDefinition | null;
}

/** A usage error, with the help that shows the correct usage. */
function usage(message: string, command: CommandDefinition | null): PaybatchError {
  const help = command === null ? 'paybatch --help' : `paybatch ${command.name} --help`;
  return new PaybatchError('usage', message, help);
}

/**
 * The sentence for a mistake that yargs found. yargs reports unknown options last, but they are reported first here: a
 * misspelt flag takes the file after it as its value, and "needs FILE" would not explain that. yargs suggests commands, but
 * neither options nor values.
 * @param message yargs' message, in English
 */
function mistakeOf(message: string, line: RefusedLine): PaybatchError {
  return usage(unknownOption(line) ?? sentenceFor(message, line), line.command);
}

function unknownOption({ words, parsed, command }: RefusedLine): string | undefined {
  const owners = command === null ? commands : [command];
  const names = [...owners.flatMap(optionsOf).map(({ name }) => name), 'help', 'help-all', 'version'];
  const unknown = Object.keys(parsed).find((key) => !['_', '--', '$0', 'h', ...names].includes(key));
  if (unknown === undefined) return undefined;
  // yargs reads `-kind` as four one-letter options, although the person typed one word.
  const isMeant = (word: string): boolean =>
    word.replace(/^--?/, '').split('=', 1)[0] === unknown || (/^-[^-]/.test(word) && word.includes(unknown));
  const [word = unknown] = words.find(isMeant)?.split('=', 1) ?? [];
  const of = command === null ? '' : ` of ${command.name}`;
  return `There is no option ${word}${of}.${didYouMean(word.replace(/^-+/, ''), names, '--')}`;
}

function sentenceFor(message: string, { words, parsed }: RefusedLine): string {
  const [, lacksValue] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  if (lacksValue !== undefined) return missingValue(`--${lacksValue}`, words);
  const [, name, found, choices] = /Argument: (.+), Given: (.*), Choices: (.*)/s.exec(message) ?? [];
  if (name !== undefined) return wrongChoice(`--${name}`, listed(found)[0] ?? '', listed(choices));
  if (/^(Unknown command|Did you mean)/.test(message)) {
    const [word = ''] = listOf(parsed['_']);
    return `There is no command "${word}".${message.startsWith('Did') ? ` ${message}` : ''}`;
  }
  // Removes yargs' own line, so that only the sentences of the definition about missing arguments remain.
  return message.replace(/^Missing required arguments?: .*\n/, '');
}

function missingValue(option: string, words: readonly string[]): string {
  const next = words[words.indexOf(option) + 1];
  return next === undefined
    ? `${option} needs a value.`
    : `${option} needs a value; one that begins with a hyphen is written ${option}=${next}.`;
}

/** Reads a list of values in a message of yargs, which are JSON and joined by commas. */
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
function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Assigns the words after a command to its arguments. With `command <file..>` yargs would do this, but it would parse the
 * words again as options, and lose `-` and names that begin with a hyphen.
 * @throws PaybatchError (`usage`) for a surplus word, and for a word that an argument does not accept
 */
function nameArguments(command: CommandDefinition, words: readonly string[]): Arguments {
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
