/* The commands around imports: templates, lists, the ledger, and completion for the shell. */

import { noBatches } from '../../account/result.ts';
import { checkText } from '../../account/words/check-text.ts';
import { pagingAdvice } from '../../account/words/note-text.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import { type Phrasebook, remediesOf } from '../../domain/failures/paybatch-error.ts';
import {
  type Institution,
  type InstitutionSnapshot,
  sortedInstitutions,
  typeOfInstitution,
} from '../../domain/institution.ts';
import type { Check } from '../../domain/machine/checks.ts';
import { countOf, groupedAmount } from '../../domain/money/money.ts';
import { printable } from '../../domain/text/characters.ts';
import { type App, type Command, textOf } from '../command/command.ts';
import { completionScript } from '../definitions/completion.ts';
import { institutionsDocument } from '../json/document.ts';
import { terminalText } from '../options/options.ts';
import { commandLine, nextOfRemedies } from '../remedies/remedy-text.ts';
import {
  type AlignedColumn,
  alignedTable,
  type Colour,
  colourIf,
  type Style,
  wrapped,
} from '../views/terminal-text.ts';

/* Formats a country's institutions for a terminal. */

/** Names and ids are never shortened, since files have to contain them in full. */
const columns: readonly AlignedColumn[] = [
  { title: 'name' },
  { title: 'type' },
  { title: 'currency' },
  { title: 'min', isFigure: true },
  { title: 'max', isFigure: true },
  { title: 'id' },
];

/** A country's institutions for a terminal, with the list's age and completeness. */
export function institutionsTable(
  snapshot: InstitutionSnapshot,
  options: { readonly countryName: string; readonly now: Date; readonly useColour: boolean },
): string {
  const colour = colourIf(options.useColour);
  const { country, institutions } = snapshot;
  const title = `${colour('bold', `${options.countryName} (${country})`)} · ${countOf(institutions.length, 'institution')} · ${ageOf(snapshot, options.now)}`;
  const table =
    institutions.length === 0
      ? []
      : alignedTable(columns, sortedInstitutions(institutions).map(recordOf), colour);
  return [title, '', ...table, ...(table.length > 0 ? [''] : []), ...completeness(snapshot, colour)].join(
    '\n',
  );
}

function recordOf(institution: Institution): string[] {
  const { name, id, currency, minAmount, maxAmount } = institution;
  const limits = [minAmount, maxAmount].map((amount) => (amount === null ? 'none' : groupedAmount(amount)));
  return [name, typeOfInstitution(institution).replace('_', ' '), currency, ...limits, id];
}

function ageOf({ fetchedAt }: InstitutionSnapshot, now: Date): string {
  const minutes = Math.floor((now.getTime() - fetchedAt.getTime()) / 60_000);
  if (minutes < 1) return 'read just now';
  if (minutes < 120) return `read ${countOf(minutes, 'minute')} ago`;
  return `read ${countOf(Math.floor(minutes / 60), 'hour')} ago`;
}

function completeness({ isComplete }: InstitutionSnapshot, colour: Colour): string[] {
  if (isComplete) return ['  The list is complete.'];
  const [first = '', ...others] = wrapped(
    `The list could not be read in full: rows that name another institution are held, not refused. ${terminalText(pagingAdvice)}`,
    '  ',
  );
  return [colour('yellow', first), ...others];
}

/* Formats the checks of `doctor`, line by line. */

const styles: Readonly<Record<Check['level'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
};

/** The checks, one per line, with the next step below each failed one. */
export function checkList(
  checks: readonly Omit<Check, 'outcome'>[],
  words: Phrasebook,
  useColour: boolean,
): string {
  const colour = colourIf(useColour);
  const lines = checks.map((check) => checkLine(check, words));
  const width = Math.max(0, ...lines.map(({ what }) => what.length));
  return lines.flatMap((line) => linesOf(line, width, colour)).join('\n');
}

/** A check in words. Names from outside are not escaped yet. */
interface CheckLine {
  readonly level: Check['level'];
  /** The checked part, in a word or two: `database`. */
  readonly what: string;
  /** The result, as a sentence without its full stop. */
  readonly finding: string;
  /** The remedy; null when the check passed. */
  readonly next: string | null;
}

export function checkLine({ level, what, finding }: Omit<Check, 'outcome'>, words: Phrasebook): CheckLine {
  const [text, remedies = null] = checkText(finding);
  return { level, what, finding: terminalText(text), next: nextOfRemedies(remediesOf(remedies), words) };
}

function linesOf({ level, what, finding, next }: CheckLine, width: number, colour: Colour): string[] {
  const indent = ' '.repeat('problem'.length + width + 4);
  const [first = '', ...others] = wrapped(printable(finding), indent);
  const head = `${colour(styles[level], level.padEnd('problem'.length))}  ${what.padEnd(width)}  `;
  const advice = next === null ? [] : [`${indent}next: ${colour('bold', printable(next))}`];
  return [head + first.slice(indent.length), ...others, ...advice];
}

export const doctorCommand: Command = async (app) => {
  const result = await app.engine.doctor({}, app.call).result;
  app.terminal.print(checkList(result.checks, app.words, app.terminal.useColour));
  const checks = result.checks.map((check) => checkLine(check, app.words));
  return { ...result, document: { exit_code: exitCodes[result.outcome], checks } };
};

export const institutionsCommand: Command = async (app, parsed) => {
  const result = await app.engine.institutions({ country: textOf(parsed, 'country') ?? '' }, app.call).result;
  app.terminal.print(
    institutionsTable(result.snapshot, {
      countryName: result.country.name,
      now: app.clock.now(),
      useColour: app.terminal.useColour,
    }),
  );
  return { ...result, document: institutionsDocument(result.snapshot) };
};

export const migrateCommand: Command = async (app, parsed) => {
  const request = { roles: parsed['roles'] === true, restorePolicy: textOf(parsed, 'restore-policy') };
  const result = await app.engine.migrate(request, app.call).result;
  const applied = result.applied.length === 0 ? '' : `Applied: ${result.applied.join(', ')}. `;
  app.terminal.print(`${applied}The schema is up to date.`);
  if (result.areRolesMade) {
    app.terminal.print(
      'The roles paybatch_worker, paybatch_approver and paybatch_console are up to date. Make logins members of them: GRANT paybatch_worker TO the login.',
    );
  }
  if (result.restoredPolicy !== null) {
    app.terminal.complain(
      `RESTORED: policy ${result.restoredPolicy} is in force without an approval, by the owner of the database, because nobody was left who could approve. The ledger keeps this, and "policy show" tells it.`,
    );
  }
  return result;
};

export const templateCommand: Command = async (app, parsed) => {
  // A template is written to the working folder, not to the result folder, unless `--out` is stated.
  const folder = textOf(parsed, 'out') ?? '.';
  const request = {
    kind: textOf(parsed, 'kind') ?? '',
    payeeType: textOf(parsed, 'payee-type'),
    format: textOf(parsed, 'format') === 'xlsx' ? ('xlsx' as const) : ('csv' as const),
    folder: folder === '-' ? null : folder,
    force: parsed['force'] === true,
  };
  const result = await app.engine.template(request, app.call).result;
  if (result.path === null) app.terminal.printBytes(result.bytes);
  else printNextStep(app, result.path);
  return result;
};

function printNextStep(app: App, path: string): void {
  const command = commandLine(['validate', path, ...apiOptions(app)]);
  app.terminal.print(
    `${printable(path)} is written. Its example rows are to be overwritten or deleted; then:\n  ${command}`,
  );
}

/** Rows with an institution can be checked only with an API: the built-in one if none is stated. */
function apiOptions({ settings }: App): string[] {
  const { mode, baseUrl, localSandbox: isLocal } = settings.api;
  if (isLocal || baseUrl === undefined) return ['--local-sandbox'];
  return [...(mode === 'sandbox' ? [] : ['--mode', mode]), '--base-url', baseUrl];
}

export const completionCommand: Command = async (app, parsed) => {
  const shell = textOf(parsed, 'shell') ?? '';
  const script = await completionScript(shell);
  app.terminal.print(script.trimEnd());
  const document = { exit_code: exitCodes.done, shell, script };
  return { ...noBatches, document };
};
