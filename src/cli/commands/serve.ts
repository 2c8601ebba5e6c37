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
  const { databaseUrl = '', userKeyFile = '' } = machineSettingsIn(process.env);
  const { settings } = app;
  const console = await startConsole({
    engine: app.engine,
    host: textOf(parsed, 'host') ?? '127.0.0.1',
    port: portIn(textOf(parsed, 'port') ?? usualPort),
    uploadFolder: resolve(textOf(parsed, 'upload-dir') ?? `${settings.ledger.ledgerDir}-uploads`),
    keyFile: resolve(`${settings.ledger.ledgerDir}-console.key`),
    sessionFile: resolve(`${settings.ledger.ledgerDir}-console.sessions`),
    publicOrigin: textOf(parsed, 'public-origin'),
    actsAsOne: userKeyFile !== '',
    users: parsed['users'] === true,
    owner: app.call.actor?.name ?? userName(),
    isForTrying: databaseUrl === '',
  });
  await print(app, console);
  await interruption(app.interrupted);
  await console.close();
  return { outcome: 'done', batches: [], failure: null };
}

async function print(
  { terminal, engine, call }: App,
  { url, listening, entry, hasUsers }: Console,
): Promise<void> {
  const door = hasUsers
    ? await signingIn(engine, call)
    : ['Open this address in a browser. It works once:', `  ${entry}`];
  terminal.print(
    [
      url === listening
        ? `The console listens at ${url}`
        : `The console listens at ${listening}, and is ${url} to people`,
      '',
      ...door,
      '',
      'Ctrl-C ends it. What is being sent is stopped cleanly, and can be gone on with.',
    ].join('\n'),
  );
}

/** Where nobody has a password, nobody can sign in. */
async function signingIn(engine: App['engine'], call: App['call']): Promise<readonly string[]> {
  const { users } = await engine.listAccess({}, call).result;
  const isAnybodyAble = users.some(
    ({ state, passwordSince }) => state !== 'locked' && passwordSince !== null,
  );
  return isAnybodyAble
    ? ['People sign in with their name and password.']
    : [
        'People sign in with their name and password, and nobody has a password yet:',
        '  paybatch user add NAME --role admin',
        '  paybatch user invite NAME',
      ];
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
