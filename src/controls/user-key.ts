/*
 * The proven actor: a user of the ledger whose private key signs. Checks whether this user may act, and signs an approver's
 * decisions about proposed policies and users.
 */

import { randomBytes } from 'node:crypto';
import type { Actor, CallContext, PassphraseQuestion } from '../call/context.ts';
import { readSecretFile, UnusableFile, whyUnreadable } from '../call/settings.ts';
import { activeApprovers, type Controls, type UserRecord } from '../domain/controls/controls.ts';
import { isSignedBy, type Statement, signText, writeStatement } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { say } from '../domain/settings/message.ts';
import * as userVerbs from '../ledger/controls/users.ts';
import type { BoundVerbs, LedgerVerbs } from '../ledger/verbs.ts';
import { type ClosedKey, newestKeyPath, openKey, readKeyFile } from './key-file.ts';

/** The settings, and the way to ask a person. */
type PassphraseContext = Pick<CallContext, 'machine' | 'ask'>;

/**
 * The passphrase of a key file: from the setting `userPassphrase` or `userPassphraseFile`, otherwise the person's answer.
 * @throws PaybatchError (`passphrase_missing`) if neither provides one; (`usage`) if both settings do
 */
async function passphraseFor(
  app: PassphraseContext,
  about: Omit<PassphraseQuestion, 'kind'>,
): Promise<string> {
  const stated = statedPassphrase(app);
  if (stated !== null) return stated;
  const answer = await app.ask({ kind: 'passphrase', ...about });
  if (typeof answer === 'object' && answer.text !== '') return answer.text;
  throw new PaybatchError('passphrase_missing', `The passphrase of the key file ${about.file} is missing.`, {
    action: 'set',
    oneOf: [{ setting: 'userPassphrase' }, { setting: 'userPassphraseFile' }],
    effect: 'where there is no terminal to ask on',
  });
}

/** The passphrase in the settings; null if no setting states one. */
function statedPassphrase({ machine }: Pick<CallContext, 'machine'>): string | null {
  const { userPassphrase = '', userPassphraseFile = '' } = machine;
  if (userPassphrase !== '' && userPassphraseFile !== '') {
    throw new PaybatchError(
      'usage',
      say`Both ${{ setting: 'userPassphrase' }} and ${{ setting: 'userPassphraseFile' }} are set.`,
      'unset one of them',
    );
  }
  if (userPassphrase !== '') return userPassphrase;
  return userPassphraseFile === '' ? null : passphraseIn(userPassphraseFile, 'userPassphraseFile');
}

/** Reads a passphrase from a file. The path is not in the message, since it may be the passphrase in the wrong setting. */
function passphraseIn(path: string, setting: 'userPassphraseFile' | 'passphraseFile'): string {
  try {
    const text = readSecretFile(path).replace(/\r?\n$/, '');
    if (text !== '') return text;
    throw new UnusableFile('is empty');
  } catch (error) {
    throw new PaybatchError(
      'passphrase_missing',
      say`The file of ${{ setting }} ${whyUnreadable(error)}.`,
      say`check that ${{ setting }} is the path of a regular file that holds the passphrase and nothing else, and that you may read it`,
    );
  }
}

/** Minimum length of a passphrase. A shorter one can be guessed soon by anybody who has the file. */
const fewestCharacters = 12;

/** The new key file, and the possible sources of its passphrase. */
interface NewPassphrase {
  readonly user: string;
  /** Path of the key file. */
  readonly file: string;
  /** Path of a file with the passphrase; when absent, the person is asked for it. */
  readonly passphraseFile?: string | undefined;
  /** Whether the new key belongs to the person whose passphrase is in the settings. */
  readonly isOwn?: boolean;
}

/**
 * A passphrase for a new key file: from a file, otherwise from the settings if these belong to the same person, otherwise
 * the person's answer, entered twice.
 * @throws PaybatchError (`passphrase_weak`), (`passphrase_missing`), and (`usage`) if the two answers differ
 */
export async function newPassphrase(app: PassphraseContext, wanted: NewPassphrase): Promise<string> {
  const passphrase = await chosenPassphrase(app, wanted);
  if (Array.from(passphrase).length >= fewestCharacters) return passphrase;
  throw new PaybatchError(
    'passphrase_weak',
    `A passphrase needs ${fewestCharacters} characters or more.`,
    'choose a longer one: several words do well',
  );
}

async function chosenPassphrase(
  app: PassphraseContext,
  { user, file, passphraseFile, isOwn = (app.machine.userKeyFile ?? '') === '' }: NewPassphrase,
): Promise<string> {
  if (passphraseFile !== undefined) return passphraseIn(passphraseFile, 'passphraseFile');
  const stated = isOwn ? statedPassphrase(app) : null;
  if (stated !== null) return stated;
  const answers: string[] = [];
  for (const purpose of ['choose', 'repeat'] as const) {
    const answer = await app.ask({ kind: 'passphrase', purpose, user, file });
    if (typeof answer !== 'object' || answer.text === '') throw noPassphrase(file, isOwn);
    answers.push(answer.text);
  }
  const [first = '', second = ''] = answers;
  if (first === second) return first;
  throw new PaybatchError('usage', 'The two passphrases differ.', { action: 'again' });
}

function noPassphrase(file: string, isOwn: boolean): PaybatchError {
  return new PaybatchError('passphrase_missing', `The passphrase for the key file ${file} is missing.`, {
    action: 'set',
    oneOf: [{ setting: 'passphraseFile' }, ...(isOwn ? [{ setting: 'userPassphrase' as const }] : [])],
    effect: 'where there is no terminal to ask on',
  });
}

/** A user who has proven to have a valid private key. */
export interface ProvenActor {
  /** The user's name, with the channel of the call. */
  readonly actor: Actor;
  readonly user: UserRecord;
  /** Id of the user's current key, see `keyIdOf`; the id of the console's key if the user has signed in there. */
  readonly keyId: string;
  /** Id of the session at the console; absent if the user's own key signs. */
  readonly session?: string;
  /** @returns the Ed25519 signature of the text's bytes in UTF-8 */
  readonly sign: (text: string) => Buffer;
}

type UserContext = Pick<CallContext, 'machine' | 'ask' | 'actor' | 'connections'>;

/**
 * The user of the key file in the settings. The passphrase is requested once for all calls of an engine. Each call checks
 * in the ledger that the user is not locked, and has this key.
 * @throws PaybatchError (`user_key_missing`) if no key file is named; (`user_key_unusable`), (`not_a_user`),
 *   (`user_key_replaced`), (`user_locked`), (`passphrase_missing`), (`passphrase_wrong`)
 */
export async function provenActor(app: UserContext): Promise<ProvenActor> {
  const path = app.machine.userKeyFile ?? '';
  if (path === '') {
    throw new PaybatchError(
      'user_key_missing',
      'Only a user with a key can do this, and no key file is given.',
      { action: 'set', oneOf: [{ setting: 'userKeyFile' }] },
    );
  }
  const closed = readKeyFile(path);
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const user = await userOf(closed, path, verbs);
  const privateKey = await app.connections.privateKey(closed.text, async () => {
    const passphrase = await passphraseFor(app, { purpose: 'open', user: user.name, file: path });
    const opened = await openKey(closed, passphrase);
    if (opened !== null) return opened;
    throw new PaybatchError('passphrase_wrong', `The passphrase does not open the key file ${path}.`, {
      action: 'again',
    });
  });
  const sign = (text: string): Buffer => signText(text, privateKey);
  // The signature is verified with the public key in the ledger, not with the content of the file.
  const proof = `paybatch:proof:${randomBytes(16).toString('hex')}`;
  if (!isSignedBy(proof, sign(proof), user.publicKey)) throw notAUser(path);
  return { actor: { ...app.actor, name: user.name }, user, keyId: user.keyId, sign };
}

async function userOf(
  closed: ClosedKey,
  path: string,
  verbs: BoundVerbs<typeof userVerbs>,
): Promise<UserRecord> {
  const user = await verbs.findUser(closed.user);
  if (user === undefined) throw notAUser(path);
  if (user.isLocked) {
    throw new PaybatchError(
      'user_locked',
      `The user ${user.name} is locked, for good.`,
      'an admin can add another user',
    );
  }
  if (user.keyId === closed.keyId) return user;
  throw new PaybatchError(
    'user_key_replaced',
    `The user ${user.name} has another key than the one in ${path}.`,
    `use the newest key file (${newestKeyPath(path)}, if it is there); if you have not rotated the key, have an admin lock the user`,
  );
}

function notAUser(path: string): PaybatchError {
  return new PaybatchError('not_a_user', `The key file ${path} belongs to no user of this ledger.`, {
    action: 'check',
    settings: ['userKeyFile', 'databaseUrl'],
  });
}

/** A person's decision. A rejection needs a reason. */
export interface Decision {
  readonly decision: 'approve' | 'reject';
  readonly note?: string | undefined;
}

/**
 * The approver who acts.
 * @throws PaybatchError as `provenActor` does; (`role_refused`) for a user who is not an approver in office
 */
export async function provenApprover(app: CallContext): Promise<ProvenActor> {
  const proven = await provenActor(app);
  const { name, role, isActive } = proven.user;
  if (role === 'approver' && isActive) return proven;
  const what = role === 'approver' ? 'an approver who is not appointed yet' : `the role ${role}`;
  throw roleRefused(`${name} has ${what}, and only approvers in office approve and reject.`);
}

/**
 * A user who may add and lock people, and propose a policy, under the policy in force. Null if no policy is in force:
 * everybody who can write to the ledger may do this then.
 * @param isProposal whether approvers have to agree to the change; approvers may propose it as well then
 * @throws PaybatchError as `provenActor` does; (`role_refused`)
 */
export async function provenManager(
  app: CallContext,
  controls: Controls,
  isProposal: boolean,
): Promise<ProvenActor | null> {
  const hasAdmin = controls.users.some((user) => user.role === 'admin' && user.lockedAt === null);
  // If neither an admin nor an approver is left, everybody who can write to the ledger may add new ones. The owner of the
  // database restores a policy with them then.
  if (controls.policyInForce === null || (!hasAdmin && activeApprovers(controls).length === 0)) return null;
  const proven = await provenActor(app);
  const { name, role, isActive } = proven.user;
  const mayApproverDo = isProposal || !hasAdmin;
  if (role === 'admin' || (role === 'approver' && isActive && mayApproverDo)) return proven;
  const who = mayApproverDo ? 'an admin or an approver in office' : 'an admin';
  throw roleRefused(`A policy is in force: only ${who} may do this, and ${name} has the role ${role}.`);
}

export function roleRefused(message: string): PaybatchError {
  return new PaybatchError('role_refused', message, {
    action: 'set',
    purpose: 'act as somebody who may',
    oneOf: [{ setting: 'userKeyFile' }],
  });
}

/** The subject of a decision. */
type Subject =
  | Pick<Extract<Statement, { subject: 'policy' }>, 'subject' | 'proposedVersion' | 'contentHash'>
  | Pick<Extract<Statement, { subject: 'user' }>, 'subject' | 'proposedUser' | 'proposedKey'>;

/**
 * Signs a decision about a proposal and writes it.
 * @throws PaybatchError (`usage`) for a rejection without a note
 */
export async function decide(
  { actor, keyId, sign }: ProvenActor,
  verbs: LedgerVerbs,
  { decision, note = '' }: Decision,
  about: { readonly policyInForce: number; readonly subject: Subject },
): Promise<void> {
  const at = (await verbs.databaseTime()).toISOString();
  const statement = writeStatement({
    ...about.subject,
    decision,
    note: noteOf(decision, note),
    at,
    policy: about.policyInForce,
    by: actor.name,
    key: keyId,
  });
  await verbs.writeProposalDecision({ statement, signature: sign(statement), by: actor });
}

const longestNote = 1_000;

/** @throws PaybatchError (`usage`) for a rejection without a note, and for a note that is too long */
export function noteOf(decision: Decision['decision'], note: string): string {
  const text = note.trim();
  if (text.length > longestNote) throw usage(`The note has more than ${longestNote} characters.`);
  if (decision === 'reject' && text === '') throw usage('A rejection needs a note that says why.');
  return text;
}

function usage(message: string): PaybatchError {
  return new PaybatchError('usage', message, { action: 'set', oneOf: [{ setting: 'note' }] });
}

/** @throws PaybatchError (`own_proposal`) where users approve their own proposal */
export function requireNotOwn({ actor }: ProvenActor, proposedBy: string, controls: Controls): void {
  if (actor.name !== proposedBy) return;
  const others = activeApprovers(controls).flatMap(({ name }) => (name === proposedBy ? [] : [name]));
  throw new PaybatchError(
    'own_proposal',
    `${actor.name} has proposed this, and cannot approve their own proposal.`,
    others.length === 0 ? 'add another approver' : `one of these can approve it: ${others.join(', ')}`,
  );
}
