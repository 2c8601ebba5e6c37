import yargs, { type Argv, type Options } from 'yargs';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { JobResult } from '../job/running/result.ts';
import { version } from '../job/running/version.ts';
import type { App } from './app.ts';
import type { Arguments, Command } from './command.ts';
import { commands } from './commands/list.ts';
import type { GivenOptions } from './options/layered-options.ts';
import { type OptionDefinition, optionDefinitions } from './options/option-definitions.ts';

/** What the command line asks for: the options as given, and the work to do with them. */
export interface Call {
  readonly given: GivenOptions;
  readonly work: (app: App) => Promise<JobResult>;
}

/** The command line was answered by itself: `--help` or `--version`. */
export interface Answered {
  readonly text: string;
}

/**
 * Reads a command line.
 * @throws Failure (exit 2) that says what is wrong with it
 */
export async function parseCommandLine(words: readonly string[], columns: number): Promise<Call | Answered> {
  let call: Call | undefined;
  const choose: Choose = (parsed, work) => {
    const given = withHyphens(parsed);
    call = { given, work: (app) => work(app, given) };
  };
  const safeWords = words.map((word) => (word === '-' ? hyphen : word));
  const program = await addCommands(yargs(safeWords), safeWords, choose);
  const text = await answerOf(addSettings(program, columns), safeWords);
  if (call !== undefined) return call;
  return { text };
}

type Choose = (parsed: Arguments, work: Command['work']) => void;

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

/** yargs prints what it has to say through a callback, and reports errors by throwing from `fail`. */
async function answerOf(program: Argv, words: readonly string[]): Promise<string> {
  let answer = '';
  await program.parseAsync([...words], {}, (_error: Error | undefined, _parsed: unknown, output: string) => {
    answer = output;
  });
  if (answer === '' && words.length === 0) return program.getHelp();
  return answer;
}

function addSettings(program: Argv, columns: number): Argv {
  return program
    .scriptName('paybatch')
    .usage(
      '$0 COMMAND [options]\n\nImports spreadsheets into a payments API, exactly once, and accounts for every row.',
    )
    .parserConfiguration({
      'camel-case-expansion': false,
      'boolean-negation': false,
      'duplicate-arguments-array': true,
      'greedy-arrays': false,
    })
    .options(Object.fromEntries(optionDefinitions.map((option) => [option.name, optionOf(option)])))
    .option('config', { type: 'string', description: 'Options from a JSON file', group: 'Input options:' })
    .epilogue(
      'Every option can also be an environment variable (PAYBATCH_BASE_URL) or stand in the config file.\n' +
        'Only in the environment: PAYBATCH_SANDBOX_API_KEY, PAYBATCH_LIVE_API_KEY, or PAYBATCH_API_KEY for the\n' +
        'mode in force (each also as ..._FILE), and DATABASE_URL.\n' +
        'Try it: npm start   or: paybatch import FILE --local-sandbox',
    )
    .wrap(Math.min(110, columns))
    .version(version)
    .strict()
    .strictCommands()
    .recommendCommands()
    .demandCommand(1, 'Which command?')
    .exitProcess(false)
    .fail((message, error: Error | null | undefined) => {
      const isMistakeOfUsage = error === undefined || error === null || error.name === 'YError';
      if (!isMistakeOfUsage) throw error;
      throw new Failure(
        exitCodes.usage,
        'usage',
        `${message ?? error?.message}.`.replace(/([.?!])\.$/, '$1'),
        'paybatch --help',
      );
    });
}

function optionOf(option: OptionDefinition): Options {
  return {
    type: option.type === 'boolean' ? 'boolean' : 'string',
    array: option.type === 'list',
    description: option.description + (option.placeholder === undefined ? '' : ` (${option.placeholder})`),
    group: `${option.group} options:`,
    requiresArg: option.type !== 'boolean',
    ...(option.choices === undefined ? {} : { choices: [...option.choices] }),
    ...(option.shownDefault === undefined ? {} : { defaultDescription: option.shownDefault }),
  };
}

/**
 * Only the commands whose names are among the words are loaded, for no other can be called. yargs could wait
 * for a command in its `build`, but then loses mistakes that it finds before.
 */
async function addCommands(program: Argv, words: readonly string[], choose: Choose): Promise<Argv> {
  for (const listed of commands) {
    const isNamed = words.includes(listed.words.split(' ', 1)[0] ?? '');
    const command = isNamed ? await listed.load() : undefined;
    program.command(
      listed.words,
      listed.description,
      (called) => command?.build(called) ?? called,
      (parsed) => {
        if (command !== undefined) choose(parsed, command.work);
      },
    );
  }
  return program;
}
