/* An approver at the console: signed in, with the password given once more, and the console's key to sign. */

import type { CallContext } from '../call/context.ts';
import { sha256, signText } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { isPassword } from './scrypt.ts';
import { consoleDoor, type SignedIn, signedInActor } from './session-actor.ts';
import type { ProvenActor } from './user-key.ts';

/** What a person at the console gives for a decision. */
export interface ConsoleProof {
  /** The secret of the session. */
  readonly session: string;
  /** Asked for again: somebody else may sit there now. */
  readonly password: string;
  /** From which the request came. */
  readonly address: string;
}

/**
 * The person who decides at the console.
 * @throws PaybatchError (`session_ended`), (`password_wrong`), (`console_key_missing`)
 */
export async function provenAtConsole(app: CallContext, proof: ConsoleProof): Promise<ProvenActor> {
  const person = await signedInActor(app, proof.session);
  const key = app.connections.consoleKey;
  if (key === null) {
    throw new PaybatchError(
      'console_key_missing',
      'This console has no key to sign with: nothing was signed.',
      'start it again, with people who sign in',
    );
  }
  await requirePassword(app, person, proof);
  const { verbs } = await app.connections.ledger();
  const user = await verbs.findUser(person.actor.name);
  if (user === undefined || user.isLocked) {
    throw new PaybatchError('session_ended', 'Your session has ended: nothing was done.', 'sign in again');
  }
  const sign = (text: string): Buffer => signText(text, key.privateKey);
  return { actor: person.actor, user, keyId: key.keyId, session: person.session, sign };
}

/** Guessing it here is limited as it is at the door. */
async function requirePassword(
  app: CallContext,
  { actor: { name } }: SignedIn,
  { password, address }: ConsoleProof,
): Promise<void> {
  const { verbs } = await app.connections.ledger();
  const asked = { name, nameHash: sha256(name), address };
  const { id } = await verbs.beginSignIn(asked);
  if (id === null) throw wrong('Too many tries failed', 'wait some minutes, then try again');
  const stored = await verbs.findPassword(name);
  if (await isPassword(password, stored ?? null)) return verbs.passSignIn(id);
  await verbs.failSignIn(id, asked, { door: consoleDoor });
  throw wrong('The password is wrong', 'give your password again');
}

function wrong(why: string, next: string): PaybatchError {
  return new PaybatchError('password_wrong', `${why}: nothing was signed.`, next);
}
