import type { CommandDefinition, Example } from '../../src/cli/command/command.ts';
import {
  commands,
  type Entry,
  optionEntry,
  shownArgument,
  usageOf,
} from '../../src/cli/definitions/commands.ts';
import { configOption, sharedOptions } from '../../src/cli/options/options.ts';
import { exitCodes } from '../../src/disk/log/exit-codes.ts';

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
