/* The commands around imports: files to fill in, lists, the ledger, the shell. */

import { printable } from '../../account/words/wording.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { App } from '../command/app.ts';
import { type Command, textOf } from '../command/command.ts';
import { completionScript } from '../help/completion.ts';
import { institutionsDocument } from '../json/document.ts';
import { commandLine } from '../remedies/remedy-text.ts';
import { checkLine, checkList } from '../views/check-list.ts';
import { institutionsTable } from '../views/institutions-table.ts';

export const doctorCommand: Command = {
  work: async (app) => {
    const result = await app.engine.doctor({}, app.call).result;
    app.terminal.print(checkList(result.checks, app.words, app.terminal.useColour));
    const checks = result.checks.map((check) => checkLine(check, app.words));
    return { ...result, document: { exit_code: exitCodes[result.outcome], checks } };
  },
};

export const institutionsCommand: Command = {
  work: async (app, parsed) => {
    const result = await app.engine.institutions({ country: textOf(parsed, 'country') ?? '' }, app.call)
      .result;
    app.terminal.print(
      institutionsTable(result.snapshot, {
        countryName: result.country.name,
        now: app.clock.now(),
        useColour: app.terminal.useColour,
      }),
    );
    return { ...result, document: institutionsDocument(result.snapshot) };
  },
};

export const migrateCommand: Command = {
  work: async (app, parsed) => {
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
  },
};

export const templateCommand: Command = {
  work: async (app, parsed) => {
    // A file to fill in belongs where the person is, not among the results, unless they say so.
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
  },
};

function printNextStep(app: App, path: string): void {
  const command = commandLine(['validate', path, ...apiOptions(app)]);
  app.terminal.print(
    `${printable(path)} is written. Its example rows are to be overwritten or deleted; then:\n  ${command}`,
  );
}

/** Rows that name an institution need an API to be checked: the built-in one, for who has named none yet. */
function apiOptions({ settings }: App): string[] {
  const { mode, baseUrl, localSandbox: isLocal } = settings.api;
  if (isLocal || baseUrl === undefined) return ['--local-sandbox'];
  return [...(mode === 'sandbox' ? [] : ['--mode', mode]), '--base-url', baseUrl];
}

export const completionCommand: Command = {
  work: async (app, parsed) => {
    const shell = textOf(parsed, 'shell') ?? '';
    const script = await completionScript(shell);
    app.terminal.print(script.trimEnd());
    const document = { exit_code: exitCodes.done, shell, script };
    return { outcome: 'done', batches: [], failure: null, document };
  },
};
