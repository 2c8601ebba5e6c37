/* Who acts, proven: a user of the ledger whose private key signs. */

import { randomBytes } from 'node:crypto';
import type { Actor, CallContext } from '../call/context.ts';
import { isSignedBy, signText } from '../domain/controls/statement.ts';
import type { UserRecord } from '../domain/controls/user.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type ClosedKey, openKey, readKeyFile } from './key-file.ts';
import { passphraseFor } from './passphrase.ts';
import { newestKeyPath } from './write-key-file.ts';

/** A user who has shown the key. */
export interface ProvenActor {
  /** The user's name, with the door of the call. */
  readonly actor: Actor;
  readonly user: UserRecord;
  /** Of the user's present key, see `keyIdOf`; of the console's where the user has signed in there. */
  readonly keyId: string;
  /** Id of the session at the console; absent where the user's own key signs. */
  readonly session?: string;
  /** @returns the Ed25519 signature of the text's bytes in UTF-8 */
  readonly sign: (text: string) => Buffer;
}

type UserContext = Pick<CallContext, 'machine' | 'ask' | 'actor' | 'connections'>;

/**
 * The user whose key file the settings name. The passphrase is asked for once for all calls of an engine; that the user is
 * not locked, and has this key, is asked of the ledger each time.
 * @throws PaybatchError (`user_key_missing`) where no key file is named; (`user_key_unusable`), (`not_a_user`),
 *   (`user_key_replaced`), (`user_locked`), (`passphrase_missing`), (`passphrase_wrong`)
 */
export async function provenActor(app: UserContext): Promise<ProvenActor> {
  const path = app.machine.userKeyFile ?? '';
  if (path === '') throw keyMissing();
  const closed = readKeyFile(path);
  const { verbs } = await app.connections.ledger();
  const user = await userOf(closed, path, verbs);
  const privateKey = await app.connections.privateKey(closed.text, async () => {
    const passphrase = await passphraseFor(app, { purpose: 'open', user: user.name, file: path });
    const opened = await openKey(closed, passphrase);
    if (opened === null) throw wrongPassphrase(path);
    return opened;
  });
  const sign = (text: string): Buffer => signText(text, privateKey);
  // The key of the ledger decides, not what the file says of itself.
  const proof = `paybatch:proof:${randomBytes(16).toString('hex')}`;
  if (!isSignedBy(proof, sign(proof), user.publicKey)) throw notAUser(path);
  return { actor: { ...app.actor, name: user.name }, user, keyId: user.keyId, sign };
}

async function userOf(closed: ClosedKey, path: string, verbs: LedgerVerbs): Promise<UserRecord> {
  const user = await verbs.findUser(closed.user);
  if (user === undefined) throw notAUser(path);
  if (user.isLocked) {
    throw new PaybatchError(
      'user_locked',
      `The user ${user.name} is locked, for good.`,
      'an admin can add another user',
    );
  }
  if (user.keyId !== closed.keyId) throw keyReplaced(user.name, path);
  return user;
}

function keyMissing(): PaybatchError {
  return new PaybatchError(
    'user_key_missing',
    'Only a user with a key can do this: the user of the operating system is nobody to the ledger.',
    { action: 'set', oneOf: [{ setting: 'userKeyFile' }] },
  );
}

function notAUser(path: string): PaybatchError {
  return new PaybatchError('not_a_user', `The key file ${path} is of no user of this ledger.`, {
    action: 'check',
    settings: ['userKeyFile', 'databaseUrl'],
  });
}

function keyReplaced(name: string, path: string): PaybatchError {
  return new PaybatchError(
    'user_key_replaced',
    `The user ${name} has another key than the one in ${path}.`,
    `use the newest key file (${newestKeyPath(path)}, if it is there); if nobody of you has rotated the key, have an admin lock the user`,
  );
}

function wrongPassphrase(path: string): PaybatchError {
  return new PaybatchError('passphrase_wrong', `The passphrase does not open the key file ${path}.`, {
    action: 'again',
  });
}
