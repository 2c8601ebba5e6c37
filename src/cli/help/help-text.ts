import { type CommandDefinition, type Example, shownArgument } from '../command/command.ts';
import { commands } from '../definitions/commands.ts';
import {
  type OptionDefinition,
  optionDefinitions,
  type SharedOptionDefinition,
} from '../options/option-definitions.ts';
import { configOption } from '../parsing/scan.ts';

/** A line of a list: what to type, and what it does. */
export interface Entry {
  readonly term: string;
  readonly text: string;
}

/** Wider than this, help is hard to read. */
const mostColumns = 100;

/** Below this, a text stands under what it explains. */
const leastColumnsForTwo = 64;

/**
 * The help of a command, or of the whole program.
 * @param isAll with the options that all commands share
 */
export async function helpText(
  command: CommandDefinition | null,
  isAll: boolean,
  terminalColumns: number,
): Promise<string> {
  const columns = Math.max(30, Math.min(mostColumns, terminalColumns));
  const sections = await (command === null ? programSections(isAll) : commandSections(command, isAll));
  return sections.map((section) => sectionLines(section, columns).join('\n')).join('\n\n');
}

type Section =
  | { readonly lines: readonly string[] }
  | { readonly examples: readonly Example[] }
  | { readonly title: string; readonly entries: readonly Entry[] };

function sectionLines(section: Section, columns: number): string[] {
  if ('lines' in section) return section.lines.flatMap((line) => folded(line, '', columns));
  if ('examples' in section) {
    return ['Examples', ...section.examples.flatMap((example) => exampleLines(example, columns))];
  }
  return [section.title, ...entryLines(section.entries, columns)];
}

async function programSections(isAll: boolean): Promise<Section[]> {
  const usage = [
    'paybatch COMMAND [options]',
    '',
    'Imports spreadsheets into a payments API, exactly once, and accounts for every row.',
  ];
  const entries = commands.map((command) => ({ term: usageOf(command), text: command.description }));
  return [
    { lines: usage },
    { title: 'Commands', entries },
    ...(isAll ? await sharedSections() : []),
    { lines: afterAll },
    { lines: isAll ? ['paybatch COMMAND --help tells of a command.'] : [...moreHelp, ...firstSteps] },
  ];
}

const afterAll = [
  'Every option can also be an environment variable (PAYBATCH_BASE_URL) or stand in the config file. ' +
    'Only in the environment: PAYBATCH_SANDBOX_API_KEY, PAYBATCH_LIVE_API_KEY, or PAYBATCH_API_KEY for the ' +
    'mode in force (each also as ..._FILE), and DATABASE_URL.',
];

const moreHelp = [
  'paybatch COMMAND --help (or -h) tells of a command, paybatch --help-all of the options that all share.',
];

const firstSteps = [
  'To try it: paybatch template customers, then paybatch import customers.csv --local-sandbox',
];

async function commandSections(command: CommandDefinition, isAll: boolean): Promise<Section[]> {
  const { description, options, oftenNeeded, examples } = command;
  const own = await Promise.all(options.map(optionEntry));
  const often = optionDefinitions.filter(({ name }) => oftenNeeded.includes(name));
  const given = command.arguments.map((each) => ({ term: shownArgument(each), text: each.description }));
  return [
    { lines: [`paybatch ${usageOf(command)} [options]`, '', `${description}.`] },
    ...titled('Arguments', given),
    ...titled('Options', own),
    ...(isAll ? await sharedSections() : titled('Often needed', await Promise.all(often.map(optionEntry)))),
    { examples },
    ...(isAll
      ? [{ lines: afterAll }]
      : [
          {
            lines: [`The options that all commands share: paybatch ${command.name} --help-all`],
          },
        ]),
  ];
}

function titled(title: string, entries: readonly Entry[]): Section[] {
  return entries.length === 0 ? [] : [{ title, entries }];
}

/** `import FILE...`: a command with its arguments. */
export function usageOf({ name, arguments: taken }: CommandDefinition): string {
  return [name, ...taken.map(shownArgument)].join(' ');
}

/** The line is to be copied, so it is never broken. */
function exampleLines({ line, purpose }: Example, columns: number): string[] {
  return [...folded(purpose, '  # ', columns), `  ${line}`];
}

const groups: readonly SharedOptionDefinition['group'][] = ['API', 'Input', 'Sending', 'Output'];

function sharedSections(): Promise<Section[]> {
  return Promise.all(
    groups.map(async (group): Promise<Section> => {
      const options: OptionDefinition[] = optionDefinitions.filter((option) => option.group === group);
      if (group === 'Input') options.push(configOption);
      return { title: `${group} options`, entries: await Promise.all(options.map(optionEntry)) };
    }),
  );
}

/** An option as help shows it, its choices found where they are. */
export async function optionEntry(option: OptionDefinition): Promise<Entry> {
  const { choices } = option;
  return entryOf(option, typeof choices === 'function' ? await choices() : choices);
}

function entryOf(option: OptionDefinition, choices: readonly string[] | undefined): Entry {
  const { name, type, placeholder, description, shownDefault } = option;
  const value = type === 'boolean' ? '' : ` ${choices?.join('|') ?? placeholder ?? 'TEXT'}`;
  const isLong = value.length > 24;
  const details = [
    ...(isLong ? [`one of ${choices?.join(', ')}`] : []),
    ...(shownDefault === undefined ? [] : [`default: ${shownDefault}`]),
    ...(type === 'list' ? ['may be given several times'] : []),
    ...(option.isRequired === true ? ['required'] : []),
  ];
  const term = `--${name}${isLong ? ` ${placeholder ?? 'NAME'}` : value}`;
  return { term, text: details.length === 0 ? description : `${description} (${details.join('; ')})` };
}

function entryLines(entries: readonly Entry[], columns: number): string[] {
  const width = Math.min(34, Math.max(...entries.map(({ term }) => term.length)));
  const isBeside = columns >= leastColumnsForTwo;
  const indent = isBeside ? ' '.repeat(width + 4) : ' '.repeat(6);
  return entries.flatMap(({ term, text }) => {
    const lines = folded(text, indent, columns);
    if (!isBeside || term.length > width) return [`  ${term}`, ...lines];
    const [first = '', ...others] = lines;
    return [`  ${term.padEnd(width)}  ${first.slice(indent.length)}`, ...others];
  });
}

/** Breaks a text between words, without what measures characters: help is plain, and has to be there at once. */
function folded(text: string, indent: string, columns: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line !== indent && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line];
}
