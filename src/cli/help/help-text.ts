/* The help text of the program and of each command, which yargs lays out; and the manual page. */

import type { Argv, Options } from 'yargs';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { ArgumentDefinition, CommandDefinition, Example } from '../command/command.ts';
import { commands } from '../definitions/commands.ts';
import {
  choicesOf,
  configOption,
  type OptionDefinition,
  optionName,
  type SharedOptionName,
  sharedOptions,
} from '../options/option-definitions.ts';

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

/** The greatest width of help; wider text is hard to read. */
const mostColumns = 100;

/** The title under which yargs lists words without hyphens. */
const argumentsTitle = 'Arguments';

/** The option that shows the hidden ones, and its help text. */
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
  // Only listed here. The parsers are added under the same names without arguments, which yargs would parse itself.
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
    // yargs forgets the option for showing hidden ones once a command is found.
    .showHidden(...helpAll)
    .usage(`paybatch ${usageOf(command)} [options]\n\n${command.description}.`)
    .options(Object.fromEntries([...taken, ...own]))
    .options(await sharedEntries(command.oftenNeeded));
  if (isAll) called.epilogue(everyOption);
}

/** The shared options, those often needed first; the others are shown only with `--help-all`. */
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
 * The examples below a command's help. yargs would break their lines, which are to be copied.
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

/** The meanings of the exit codes, for scripts. */
const exitMeanings: Readonly<
  Record<Exclude<keyof typeof exitCodes, 'plan_changed' | 'content_not_approved'>, string>
> = {
  done: 'every row is created or existing; for other commands: done',
  rows_need_correction: 'finished, and some rows are invalid, rejected or waiting',
  usage: 'usage or configuration; nothing was sent',
  file_refused: 'a file was refused as a whole; nothing was sent',
  stopped: 'stopped before the end: run it again',
  decision_needed:
    'finished, and some rows are unknown or held, an answer contradicts what was sent, or reconcile found differences',
  credentials_refused: 'the API refused the credentials',
  busy: 'another run holds the batch: run it again later',
  approval_needed:
    'a batch waits for approval, or its content is not what was approved: nothing more of it is sent until then',
  internal: 'an internal error: a bug of ours',
};

const environment: readonly Entry[] = [
  { term: 'PAYBATCH_...', text: 'Every option: --base-url is PAYBATCH_BASE_URL. The command line wins.' },
  {
    term: 'PAYBATCH_SANDBOX_API_KEY, PAYBATCH_LIVE_API_KEY, PAYBATCH_API_KEY',
    text: 'The secret key of each mode, or of the mode in force; each also as ..._FILE, the path of a file that holds it.',
  },
  {
    term: 'PAYBATCH_LIVE_KEY_FINGERPRINT',
    text: 'What the fingerprint of the live key has to be, as paybatch doctor prints it. Another key sends nothing in live mode.',
  },
  {
    term: 'PAYBATCH_LEDGER_ID, PAYBATCH_POLICY_HASH',
    text: 'The name of the ledger with which the live key is used, and the hash of the policy in force there, as paybatch doctor prints them. With another one nothing is sent in live mode.',
  },
  {
    term: 'DATABASE_URL',
    text: 'A PostgreSQL server, or several: postgres://db1,db2/ledger?target_session_attrs=read-write. Without it the embedded ledger is used, in sandbox mode only.',
  },
  {
    term: 'PAYBATCH_USER_KEY_FILE, PAYBATCH_USER_PASSPHRASE, PAYBATCH_USER_PASSPHRASE_FILE',
    text: 'The key file of the person who acts, and its passphrase, which is asked for on a terminal otherwise.',
  },
];

/** The manual page paybatch(1), as troff with the macros of man(7); made from the same definitions as `--help`. */
export async function manualPage(): Promise<string> {
  const own = await Promise.all(commands.map(commandParagraphs));
  const shared = await Promise.all([...sharedOptions, configOption].map(optionEntry));
  return `${[
    '.TH PAYBATCH 1',
    ...section('NAME', [escaped('paybatch - import spreadsheets into a payments API, exactly once')]),
    ...section('SYNOPSIS', ['.B paybatch', escaped('COMMAND [options]')]),
    ...section('DESCRIPTION', [
      escaped(
        'Imports spreadsheets of customers, accounts, payout recipients and collections into a payments API,',
      ),
      escaped('each row exactly once, and accounts for every row.'),
    ]),
    ...section('COMMANDS', own.flat()),
    ...section('OPTIONS OF ALL COMMANDS', shared.flatMap(entryLines)),
    ...section('ENVIRONMENT', environment.flatMap(entryLines)),
    ...section(
      'EXIT STATUS',
      Object.entries(exitMeanings).flatMap(([name, text]) =>
        entryLines({ term: String(exitCodes[name as keyof typeof exitCodes]), text }),
      ),
    ),
  ].join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return [`.SH ${title}`, ...lines];
}

async function commandParagraphs(command: CommandDefinition): Promise<string[]> {
  const given = command.arguments.map((each) => ({ term: shownArgument(each), text: each.description }));
  const options = await Promise.all(command.options.map(optionEntry));
  return [
    `.SS ${escaped(`paybatch ${usageOf(command)}`)}`,
    escaped(`${command.description}.`),
    ...[...given, ...options].flatMap(entryLines),
    ...command.examples.flatMap(exampleLines),
  ];
}

function entryLines({ term, text }: Entry): string[] {
  return ['.TP', `.B ${escaped(term)}`, escaped(`${text.replace(/\.$/, '')}.`)];
}

function exampleLines({ line, purpose }: Example): string[] {
  return ['.PP', escaped(`${purpose}:`), '.PP', '.nf', '.RS', escaped(line), '.RE', '.fi'];
}

/** Escapes text for troff: hyphens can be copied, and no line looks like a request. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replace(/^([.'])/, '\\&$1')
    .replaceAll('"', '\\(dq');
}
