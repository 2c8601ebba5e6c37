/** One option: how it is given, and what help says of it. */
export interface OptionDefinition {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'list';
  readonly description: string;
  /** What stands for the value: `DIR`. */
  readonly placeholder?: string;
  /** The values that it takes: a list, or where to find one that not every start needs. */
  readonly choices?: readonly string[] | (() => Promise<readonly string[]>);
  /** Shown in help; the value itself comes from the settings' schema. */
  readonly shownDefault?: string;
  readonly isRequired?: boolean;
}

/** An option of all commands, in the group under which help lists it. */
export interface SharedOptionDefinition extends OptionDefinition {
  readonly group: 'API' | 'Input' | 'Sending' | 'Output';
}

/**
 * Every option that all commands share, in the order of the help text. Each may stand on the command line, in
 * the environment (`PAYBATCH_BASE_URL`) or in a config file (`"base-url"`).
 */
export const optionDefinitions = [
  {
    name: 'mode',
    type: 'string',
    choices: ['sandbox', 'live'],
    shownDefault: 'sandbox on loopback',
    group: 'API',
    description: 'Which environment and key; live needs DATABASE_URL',
  },
  {
    name: 'base-url',
    type: 'string',
    placeholder: 'URL',
    group: 'API',
    description: "The API's base address; https, or http on loopback",
  },
  {
    name: 'local-sandbox',
    type: 'boolean',
    group: 'API',
    description: 'Start the built-in sandbox for this command and use it',
  },
  {
    name: 'sandbox-dir',
    type: 'string',
    placeholder: 'DIR',
    shownDefault: 'the ledger folder with -sandbox added',
    group: 'API',
    description: 'Where the built-in sandbox keeps what it holds',
  },
  {
    name: 'sandbox-faults',
    type: 'string',
    placeholder: 'PLAN',
    group: 'API',
    description: 'Let the built-in sandbox misbehave (docs/sandbox.md)',
  },
  {
    name: 'customer-id-path',
    type: 'list',
    placeholder: 'PATH',
    shownDefault: 'data.id, id, customer.id, data.customer.id',
    group: 'API',
    description: "Where a customer's id stands in the API's answer",
  },
  {
    name: 'institutions-page-parameter',
    type: 'string',
    placeholder: 'NAME',
    shownDefault: 'found by itself',
    group: 'API',
    description: 'Query parameter that chooses a page of institutions',
  },
  {
    name: 'institutions-first-page',
    type: 'string',
    placeholder: 'N',
    shownDefault: 'found by itself',
    group: 'API',
    description: 'Number of the first page of institutions',
  },
  {
    name: 'institutions-max-age',
    type: 'string',
    placeholder: 'DURATION',
    shownDefault: '24h',
    group: 'API',
    description: 'How old a stored list of institutions may be',
  },
  {
    name: 'kind',
    type: 'string',
    choices: async () => (await import('../../engine/choices.ts')).kinds,
    shownDefault: 'from the header or the sheet',
    group: 'Input',
    description: 'What the rows are',
  },
  {
    name: 'sheet',
    type: 'string',
    placeholder: 'NAME',
    shownDefault: 'every sheet of a known kind',
    group: 'Input',
    description: "The workbook's sheet",
  },
  {
    name: 'hidden',
    type: 'string',
    choices: ['include', 'skip'],
    shownDefault: 'none: a file with hidden rows is refused',
    group: 'Input',
    description: 'What to do with hidden rows and sheets',
  },
  {
    name: 'leave-out-non-rows',
    type: 'boolean',
    group: 'Input',
    description: 'Leave out headings, subtotals and totals among the rows',
  },
  {
    name: 'skip-refused',
    type: 'boolean',
    group: 'Input',
    description: 'Go on with the other files when some are refused (exit 3 all the same)',
  },
  {
    name: 'allow-none',
    type: 'boolean',
    group: 'Input',
    description: 'A pattern that matches no file is nothing to do (exit 0)',
  },
  {
    name: 'delimiter',
    type: 'string',
    placeholder: 'C',
    shownDefault: 'found by itself',
    group: 'Input',
    description: 'What separates the values of a CSV file',
  },
  {
    name: 'encoding',
    type: 'string',
    placeholder: 'NAME',
    shownDefault: 'found by itself',
    group: 'Input',
    description: 'Character encoding of a CSV file',
  },
  {
    name: 'mapping',
    type: 'string',
    placeholder: 'FILE',
    group: 'Input',
    description: 'How to read the file (JSON)',
  },
  {
    name: 'no-remembered-mapping',
    type: 'boolean',
    group: 'Input',
    description: 'Read the file without the mapping that is remembered for its header',
  },
  {
    name: 'rules',
    type: 'string',
    placeholder: 'FILE',
    group: 'Input',
    description: 'Changes to the validation rules (JSON)',
  },
  {
    name: 'max-invalid',
    type: 'string',
    placeholder: 'N|P%',
    group: 'Input',
    description: 'Refuse the file when more rows than this are invalid',
  },
  {
    name: 'expect-rows',
    type: 'string',
    placeholder: 'N',
    group: 'Input',
    description: 'Send nothing unless there are so many rows',
  },
  {
    name: 'expect-total',
    type: 'list',
    placeholder: 'CUR=AMOUNT',
    group: 'Input',
    description: 'Send nothing unless the amounts add up to this',
  },
  {
    name: 'ledger-dir',
    type: 'string',
    placeholder: 'DIR',
    shownDefault: '.paybatch',
    group: 'Sending',
    description: 'The embedded ledger, used when DATABASE_URL is not set',
  },
  {
    name: 'concurrency',
    type: 'string',
    placeholder: 'N',
    shownDefault: '16',
    group: 'Sending',
    description: 'Requests in flight at most',
  },
  {
    name: 'rate',
    type: 'string',
    placeholder: 'N',
    group: 'Sending',
    description: 'Requests a second at most, evenly spaced',
  },
  {
    name: 'max-attempts',
    type: 'string',
    placeholder: 'N',
    shownDefault: '5',
    group: 'Sending',
    description: 'Tries for one row in one run',
  },
  {
    name: 'timeout',
    type: 'string',
    placeholder: 'SECONDS',
    shownDefault: '30',
    group: 'Sending',
    description: "For one request, the answer's body included",
  },
  {
    name: 'key-lifetime',
    type: 'string',
    placeholder: 'DURATION',
    shownDefault: '24h; live: 10m',
    group: 'Sending',
    description: 'How long a row may be sent again under its key',
  },
  {
    name: 'waiting-codes',
    type: 'list',
    placeholder: 'LIST',
    shownDefault: 'kyc_required',
    group: 'Sending',
    description: 'Codes of refusals that time mends: such rows wait',
  },
  {
    name: 'waiting-delay',
    type: 'string',
    placeholder: 'DURATION',
    shownDefault: '15m',
    group: 'Sending',
    description: 'How long such a row waits before it is tried again',
  },
  {
    name: 'refused-alike',
    type: 'string',
    placeholder: 'N|off',
    shownDefault: '50',
    group: 'Sending',
    description: 'Stop when so many rows are refused for one reason and none is created',
  },
  { name: 'yes', type: 'boolean', group: 'Sending', description: 'Do not ask before a live run' },
  {
    name: 'out',
    type: 'string',
    placeholder: 'DIR',
    shownDefault: 'results',
    group: 'Output',
    description: 'Where the result files go',
  },
  {
    name: 'json',
    type: 'boolean',
    group: 'Output',
    description: 'Print one JSON object at the end, and nothing else',
  },
  { name: 'quiet', type: 'boolean', group: 'Output', description: 'Say less on standard error' },
  { name: 'verbose', type: 'boolean', group: 'Output', description: 'Say more on standard error' },
] as const satisfies readonly SharedOptionDefinition[];

/** Options from a JSON file: the only one that cannot stand in that file itself. */
export const configOption: SharedOptionDefinition = {
  name: 'config',
  type: 'string',
  placeholder: 'FILE',
  group: 'Input',
  description: 'Options from a JSON file',
};

export type OptionName = (typeof optionDefinitions)[number]['name'];

/** The name of an option's environment variable: `base-url` is `PAYBATCH_BASE_URL`. */
export function environmentName(option: string): string {
  return `PAYBATCH_${option.toUpperCase().replaceAll('-', '_')}`;
}

/** The values that an option takes, found where they are; none where it takes any. */
export async function choicesOf({ choices = [] }: OptionDefinition): Promise<readonly string[]> {
  return typeof choices === 'function' ? choices() : choices;
}
