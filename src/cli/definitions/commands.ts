/*
 * The list of all commands, the options that each command takes, and the help text of the program and of each command,
 * which yargs formats. The texts of commands are in `commands.json`. There, `oftenNeeded` names shared options, and
 * "[batch]" is an optional argument, as in help.
 */

import { readFileSync } from 'node:fs';
import type { Argv, Options } from 'yargs';
import type { ArgumentDefinition, CommandDefinition } from '../command/command.ts';
import {
  choicesOf,
  configOption,
  type OptionDefinition,
  optionName,
  type SharedOptionName,
  sharedOptions,
} from '../options/options.ts';

/** An option in the data file: its choices may be a list from the registry of kinds. */
type OptionData = Omit<OptionDefinition, 'choices'> & {
  readonly choices?: readonly string[] | 'payee types';
};

/** The data file. Arguments and options of several commands are defined once, and the commands refer to them by name. */
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
  named: string | Definition,
): Definition {
  const found = typeof named === 'string' ? shared[named] : named;
  if (found === undefined) throw new Error(`there is no shared definition ${String(named)}`);
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

declare module 'yargs' {
  /** Methods of yargs 18 that its types lack. */
  interface Argv {
    usageConfiguration(configuration: { readonly 'hide-types': boolean }): this;
    global(keys: readonly string[], isGlobal: boolean): this;
  }
}

/** A line of a list: the word to type, and its effect. */
export interface Entry {
  readonly term: string;
  readonly text: string;
}

/** Maximum width of help. Wider text is hard to read. */
const mostColumns = 100;

/** The title under which yargs lists words without hyphens. */
const argumentsTitle = 'Arguments';

/** The option that shows hidden options, and its help text. */
export const helpAll = ['help-all', 'The same, with the options that all commands share'] as const;

const everyOption =
  'Every option can also be an environment variable (PAYBATCH_BASE_URL) or stand in the config file. ' +
  'Only in the environment: PAYBATCH_SANDBOX_API_KEY, PAYBATCH_LIVE_API_KEY, or PAYBATCH_API_KEY for the ' +
  'mode in force (each also as ..._FILE), PAYBATCH_LIVE_KEY_FINGERPRINT, PAYBATCH_LEDGER_ID, PAYBATCH_POLICY_HASH, DATABASE_URL, and PAYBATCH_USER_KEY_FILE with PAYBATCH_USER_PASSPHRASE (or ..._FILE).';

/**
 * Passes the help of the whole program to yargs.
 * @param isAll whether `--help-all` was requested; the shared options are looked up only then
 */
export async function describeProgram(program: Argv, terminalColumns: number, isAll: boolean): Promise<void> {
  program
    .wrap(columnsFor(terminalColumns))
    .usageConfiguration({ 'hide-types': true })
    .updateStrings({ 'Commands:': 'Commands', 'Positionals:': argumentsTitle })
    .usage(
      'paybatch COMMAND [options]\n\nImports spreadsheets into a payments API, exactly once, and accounts for every row.',
    )
    .epilogue(everyOption)
    .epilogue(
      '\npaybatch COMMAND --help (or -h) tells of a command, paybatch --help-all of the options that all share.\n' +
        'To try it: paybatch template customers, then paybatch import customers.csv --local-sandbox',
    );
  // Commands are only listed here. The parsers are added under the same names but without arguments, since yargs would
  // parse those itself.
  for (const command of commands) program.command(usageOf(command), command.description);
  if (isAll) program.options(await sharedEntries([]));
  const answered = ['help', helpAll[0], 'version'];
  program.group(answered, 'Help');
  for (const name of answered) program.hide(name);
}

function columnsFor(terminalColumns: number): number {
  return Math.max(30, Math.min(mostColumns, terminalColumns));
}

/** Passes the help of a command to yargs, with only those shared options that are often needed with it. */
export async function describeCommand(
  called: Argv,
  command: CommandDefinition,
  isAll: boolean,
): Promise<void> {
  const taken = command.arguments.map((each): [string, Options] => [
    shownArgument(each),
    { describe: each.description, group: argumentsTitle },
  ]);
  const own = await Promise.all(command.options.map((option) => described(option, { group: 'Options' })));
  called
    // yargs forgets the option that shows hidden options once a command is found.
    .showHidden(...helpAll)
    .usage(`paybatch ${usageOf(command)} [options]\n\n${command.description}.`)
    .options(Object.fromEntries([...taken, ...own]))
    .options(await sharedEntries(command.oftenNeeded));
  if (isAll) called.epilogue(everyOption);
}

/** The shared options, often needed options first. The others are shown only with `--help-all`. */
async function sharedEntries(oftenNeeded: readonly SharedOptionName[]): Promise<Record<string, Options>> {
  const names = oftenNeeded.map(optionName);
  const [often, others] = [true, false].map((isOften) =>
    [...sharedOptions, configOption].filter(({ name }) => names.includes(name) === isOften),
  );
  return Object.fromEntries(
    await Promise.all([
      ...(often ?? []).map((option) => described(option, { group: 'Often needed' })),
      ...(others ?? []).map((option) =>
        described(option, { group: `${option.group} options`, hidden: true, global: false }),
      ),
    ]),
  );
}

/** yargs has no name for an option's value, so help lists the option as name and value: `out DIR`. */
async function described(option: OptionDefinition, shown: Options): Promise<[string, Options]> {
  const { term, text } = await optionEntry(option);
  return [term.replace(/^--/, ''), { ...shown, describe: text }];
}

/** `import FILE...`: a command with its arguments. */
export function usageOf({ name, arguments: taken }: CommandDefinition): string {
  return [name, ...taken.map(shownArgument)].join(' ');
}

/**
 * The examples below a command's help. They are not formatted by yargs, which would break lines that people copy.
 * @param isAll whether `--help-all` was requested
 */
export async function examplesOf(
  command: CommandDefinition,
  terminalColumns: number,
  isAll: boolean,
): Promise<string> {
  const columns = columnsFor(terminalColumns);
  const shown = command.examples.map(async ({ line, purpose }) => [
    ...(await folded(purpose, '  # ', columns)),
    `  ${line}`,
  ]);
  const examples = ['Examples', ...(await Promise.all(shown)).flat()];
  const more = `The options that all commands share: paybatch ${command.name} --help-all`;
  return [...examples, ...(isAll ? [] : ['', ...(await folded(more, '', columns))])].join('\n');
}

/** The module that measures characters is loaded only if the terminal is narrower than the line. */
async function folded(text: string, indent: string, columns: number): Promise<readonly string[]> {
  if (indent.length + text.length <= columns) return [`${indent}${text}`];
  const { wrapped } = await import('../views/terminal-text.ts');
  return wrapped(text, indent, columns);
}

/** An option for help and the manual page: `--out DIR`, and its description. */
export async function optionEntry(option: OptionDefinition): Promise<Entry> {
  const { name, type, valueName, description, shownDefault } = option;
  const choices = await choicesOf(option);
  const value = type === 'boolean' ? '' : ` ${choices.join('|') || valueName || 'TEXT'}`;
  const isLong = value.length > 24;
  const details = [
    ...(isLong ? [`one of ${choices.join(', ')}`] : []),
    ...(shownDefault === undefined ? [] : [`default: ${shownDefault}`]),
    ...(type === 'list' ? ['may be given several times'] : []),
    ...(option.isRequired === true ? ['required'] : []),
  ];
  const term = `--${name}${isLong ? ` ${valueName ?? 'NAME'}` : value}`;
  return { term, text: details.length === 0 ? description : `${description} (${details.join('; ')})` };
}

/** `FILE...`, `[BATCH]`: an argument as help shows it. */
export function shownArgument({ name, isRequired, isList }: ArgumentDefinition): string {
  const shown = `${name.toUpperCase()}${isList === true ? '...' : ''}`;
  return isRequired === true ? shown : `[${shown}]`;
}
