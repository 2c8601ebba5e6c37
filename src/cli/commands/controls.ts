/* The commands about people and policies. */

import { isUserRole } from '../../domain/controls/controls.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { App } from '../command/app.ts';
import { type Arguments, type Command, textOf } from '../command/command.ts';
import { policyDocument, userDocument, usersDocument } from '../json/controls.ts';
import type { CommandEnd } from '../json/document.ts';
import {
  addedText,
  decidedOnPolicyText,
  decidedOnUserText,
  invitedText,
  lockedText,
  policyText,
  rotatedText,
  setText,
  usersText,
} from '../views/controls.ts';

export const userCommand: Command = {
  work: (app, parsed) => {
    const action = textOf(parsed, 'action') ?? '';
    requireSuiting('user', parsed, {
      role: ['add'],
      'key-file': ['add'],
      'passphrase-file': ['add', 'rotate'],
      note: ['approve', 'reject'],
      'public-origin': ['invite'],
      name: ['add', 'approve', 'reject', 'lock', 'rotate', 'invite'],
    });
    if (action === 'list') return listUsers(app);
    return action === 'rotate'
      ? rotateKey(app, parsed)
      : actOnUser(app, action, nameIn(parsed, action), parsed);
  },
};

async function listUsers(app: App): Promise<CommandEnd> {
  const result = await app.engine.listUsers({}, app.call).result;
  app.terminal.print(usersText(result, app.terminal.useColour));
  return { ...result, document: usersDocument(result) };
}

async function actOnUser(app: App, action: string, name: string, parsed: Arguments): Promise<CommandEnd> {
  const { engine, call, terminal } = app;
  if (action === 'add') {
    const role = textOf(parsed, 'role');
    if (role === undefined || !isUserRole(role)) {
      throw usage('user', 'user add needs --role: maker, approver or admin.');
    }
    const files = { keyFile: textOf(parsed, 'key-file'), passphraseFile: textOf(parsed, 'passphrase-file') };
    const added = await engine.addUser({ name, role, ...files }, call).result;
    terminal.print(addedText(added));
    return { ...added, document: userDocument(added) };
  }
  if (action === 'invite') {
    const invited = await engine.inviteUser({ name }, call).result;
    const link = welcomeLink(textOf(parsed, 'public-origin') ?? usualOrigin, invited.token);
    terminal.print(invitedText({ ...invited, link }));
    return { ...invited, document: userDocument({ ...invited, link }) };
  }
  if (action === 'lock') {
    const locked = await engine.lockUser({ name }, call).result;
    terminal.print(lockedText(locked));
    return { ...locked, document: userDocument(locked) };
  }
  const decision = action === 'reject' ? 'reject' : 'approve';
  const decided = await engine.decideOnUser({ name, decision, note: textOf(parsed, 'note') }, call).result;
  terminal.print(decidedOnUserText(decided, decision));
  return { ...decided, document: userDocument(decided) };
}

/** The address at which `serve` listens by default. */
const usualOrigin = 'http://127.0.0.1:8080';

function welcomeLink(origin: string, token: string): string {
  if (URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol)) {
    return new URL(`/welcome?token=${token}`, origin).href;
  }
  throw usage(
    'user',
    `--public-origin is "${origin}"; it has to be an address such as https://paybatch.example.com.`,
  );
}

async function rotateKey(app: App, parsed: Arguments): Promise<CommandEnd> {
  const request = { name: textOf(parsed, 'name'), passphraseFile: textOf(parsed, 'passphrase-file') };
  const rotated = await app.engine.rotateKey(request, app.call).result;
  app.terminal.print(rotatedText(rotated));
  return { ...rotated, document: userDocument(rotated) };
}

function nameIn(parsed: Arguments, action: string): string {
  const name = textOf(parsed, 'name');
  if (name === undefined) throw usage('user', `Whom? user ${action} needs the user's name.`);
  return name;
}

export const policyCommand: Command = {
  work: async (app, parsed) => {
    const { engine, call, terminal } = app;
    const action = textOf(parsed, 'action') ?? '';
    const file = textOf(parsed, 'file');
    requireSuiting('policy', parsed, { note: ['approve', 'reject'], file: ['set', 'approve', 'reject'] });
    if (action === 'show') {
      const shown = await engine.showPolicy({}, call).result;
      terminal.print(policyText(shown));
      return { ...shown, document: policyDocument(shown) };
    }
    if (action === 'set') {
      if (file === undefined) throw usage('policy', 'policy set needs the file of the policy.');
      const set = await engine.setPolicy({ file }, call).result;
      terminal.print(setText(set));
      return { ...set, document: policyDocument(set) };
    }
    const decision = action === 'reject' ? 'reject' : 'approve';
    const request = { decision, note: textOf(parsed, 'note'), version: versionIn(file) } as const;
    const decided = await engine.decideOnPolicy(request, call).result;
    terminal.print(decidedOnPolicyText(decided, decision));
    return { ...decided, document: policyDocument(decided) };
  },
};

function versionIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usage('policy', `"${text}" is no version of a policy.`);
}

/** Refuses options without effect, since the caller would expect one. */
function requireSuiting(
  command: string,
  parsed: Arguments,
  actionsOf: Readonly<Record<string, readonly string[]>>,
): void {
  const action = textOf(parsed, 'action') ?? '';
  for (const [name, actions] of Object.entries(actionsOf)) {
    const value = textOf(parsed, name);
    if (value === undefined || actions.includes(action)) continue;
    const shown = name === 'name' || name === 'file' ? value : `--${name}`;
    throw usage(command, `${command} ${action} does not take ${shown}.`);
  }
}

function usage(command: string, message: string): PaybatchError {
  return new PaybatchError('usage', message, `paybatch ${command} --help`);
}
