/* The command that verifies and exports the audit trail. */

import { printable } from '../../account/words/wording.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import type { App } from '../command/app.ts';
import { type Arguments, type Command, textOf, textsOf } from '../command/command.ts';
import { exportDocument, verificationDocument } from '../json/controls.ts';
import type { CommandEnd } from '../json/document.ts';
import { auditText } from '../views/audit.ts';

export const auditCommand: Command = {
  work: (app, parsed) =>
    textOf(parsed, 'what') === 'export' ? exportTrail(app, parsed) : verify(app, parsed),
};

async function verify(app: App, parsed: Arguments): Promise<CommandEnd> {
  if (textOf(parsed, 'to') !== undefined) throw usage('--to goes with export.');
  const request = {
    batch: textOf(parsed, 'batch'),
    head: textOf(parsed, 'head'),
    logs: textsOf(parsed, 'log'),
  };
  const result = await app.engine.verifyAudit(request, app.call).result;
  app.terminal.print(auditText(result, app.terminal));
  return { ...result, document: verificationDocument(result) };
}

async function exportTrail(app: App, parsed: Arguments): Promise<CommandEnd> {
  if (textOf(parsed, 'head') !== undefined) throw usage('--head goes with verify.');
  if (textsOf(parsed, 'log').length > 0) throw usage('--log goes with verify.');
  const [batch, file] = [textOf(parsed, 'batch'), textOf(parsed, 'to')];
  if (file === undefined && app.speech.json) {
    throw usage('With --json the events go to a file: name it with --to.');
  }
  const to = file ?? ((lines: string) => app.terminal.printBytes(Buffer.from(lines, 'utf8')));
  const result = await app.engine.exportAudit({ batch, to }, app.call).result;
  if (file !== undefined) {
    app.terminal.print(`${countOf(result.events, 'event')} written to ${printable(file)}.`);
  }
  return { ...result, document: exportDocument(result, file ?? null) };
}

function usage(message: string): PaybatchError {
  return new PaybatchError('usage', message, 'paybatch audit --help');
}
