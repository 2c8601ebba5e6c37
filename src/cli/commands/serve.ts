/* The command `serve`: the console in the foreground, until it is interrupted. */

import { resolve } from 'node:path';
import { type Console, startConsole } from '../../console/server.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { userName } from '../../engine/running/context.ts';
import type { CallResult } from '../../engine/running/result.ts';
import type { App } from '../command/app.ts';
import { type Arguments, type Command, textOf } from '../command/command.ts';
import { machineSettingsIn } from '../options/variables.ts';
import { interruption } from '../terminal/interruption.ts';

export const serveCommand: Command = {
  work: serve,
};

const usualPort = '8080';

/** Serves the pages of the console, until it is interrupted. */
async function serve(app: App, parsed: Arguments): Promise<CallResult> {
  const { databaseUrl = '' } = machineSettingsIn(process.env);
  const { settings } = app;
  const console = await startConsole({
    engine: app.engine,
    host: textOf(parsed, 'host') ?? '127.0.0.1',
    port: portIn(textOf(parsed, 'port') ?? usualPort),
    uploadFolder: resolve(textOf(parsed, 'upload-dir') ?? `${settings.ledger.ledgerDir}-uploads`),
    publicOrigin: textOf(parsed, 'public-origin'),
    owner: app.call.actor?.name ?? userName(),
    isForTrying: databaseUrl === '',
  });
  print(app, console);
  await interruption(app.interrupted);
  await console.close();
  return { outcome: 'done', batches: [], failure: null };
}

function print({ terminal }: App, { url, entry }: Console): void {
  terminal.print(
    [
      `The console listens at ${url}`,
      '',
      'Open this address in a browser. It works once:',
      `  ${entry}`,
      '',
      'Ctrl-C ends it. What is being sent is stopped cleanly, and can be gone on with.',
    ].join('\n'),
  );
}

function portIn(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new PaybatchError(
    'option_invalid',
    `--port is "${text}"; it has to be a whole number of at most 65535.`,
    'paybatch serve --help',
  );
}
