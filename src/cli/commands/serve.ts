/* The command `serve`: the console in the foreground, until it is interrupted. */

import { resolve } from 'node:path';
import { type CallResult, noBatches } from '../../account/result.ts';
import { userName } from '../../call/context.ts';
import { type Console, startConsole } from '../../console/server.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { UserAccess } from '../../engine/sign-in.ts';
import { type App, type Arguments, textOf } from '../command/command.ts';
import { machineSettingsIn } from '../options/given-options.ts';
import { interruption, leaveHeapGrowth } from '../terminal/process.ts';

const usualPort = '8080';

/** Serves the pages of the console, until it is interrupted. */
export async function serveCommand(app: App, parsed: Arguments): Promise<CallResult> {
  leaveHeapGrowth();
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
  return noBatches;
}

async function print(
  { terminal, engine, call }: App,
  { url, listening, entry, hasUsers }: Console,
): Promise<void> {
  const howToEnter = hasUsers
    ? signingIn((await engine.listAccess({}, call).result).users)
    : ['Open this address in a browser. It works once:', `  ${entry}`];
  terminal.print(
    [
      url === listening
        ? `The console listens at ${url}`
        : `The console listens at ${listening}, and is ${url} to people`,
      '',
      ...howToEnter,
      '',
      'Ctrl-C ends it. What is being sent is stopped cleanly, and can be continued.',
    ].join('\n'),
  );
}

/** The facts about a user who may sign in. */
type SigningUser = Pick<UserAccess, 'name' | 'role' | 'state' | 'passwordSince'>;

/**
 * Explains how people sign in. As long as no user has a password, no sign-in is possible: then the text explains how to
 * create a link for one person, who has to be added first if no user exists. A signed-in admin creates links for the
 * others.
 */
export function signingIn(users: readonly SigningUser[]): readonly string[] {
  const able = users.filter(({ state }) => state !== 'locked');
  if (able.some(({ passwordSince }) => passwordSince !== null))
    return ['People sign in with their name and password.'];
  const first = able.find(({ role }) => role === 'admin') ?? able[0];
  return [
    'People sign in with their name and password, and nobody has a password yet:',
    ...(first === undefined ? ['  paybatch user add NAME --role admin'] : []),
    `  paybatch user invite ${first?.name ?? 'NAME'}`,
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
