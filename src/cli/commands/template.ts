import { printable } from '../../output/words/wording.ts';
import type { App } from '../command/app.ts';
import { type Command, textOf } from '../command/command.ts';
import { commandLine } from '../remedies/shell-word.ts';

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
