/* Who acts, proven by a session at the console: what only some may do asks the ledger for the session itself. */

import { createHash, randomBytes } from 'node:crypto';
import type { Actor, CallContext } from '../call/context.ts';
import { sessionLimits } from '../domain/controls/sign-in.ts';
import type { UserRole } from '../domain/controls/user.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';

/** The way in of everybody who has signed in. */
export const consoleDoor = 'console';

/** A token for a link or a cookie. The ledger has its hash alone. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 of a token, in hex. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Somebody who has signed in. */
export interface SignedIn {
  readonly actor: Actor;
  readonly role: UserRole;
  /** False for an approver who is not in office. */
  readonly isActive: boolean;
  /** Id of the session. */
  readonly session: string;
}

/**
 * The person of an open session.
 * @param token of the cookie
 * @throws PaybatchError (`session_ended`)
 */
export async function signedInActor(app: CallContext, token: string): Promise<SignedIn> {
  const { verbs } = await app.connections.ledger();
  const found = await verbs.findSession(hashOfToken(token), { ...sessionLimits, isActivity: true });
  if (found?.isOpen !== true) {
    throw new PaybatchError('session_ended', 'Your session has ended: nothing was done.', 'sign in again');
  }
  const { user, role, isActive, id } = found;
  return { actor: { name: user, door: consoleDoor }, role, isActive, session: id };
}

/** @throws PaybatchError (`session_ended`), (`role_refused`) for everybody but an admin */
export async function signedInAdmin(app: CallContext, token: string): Promise<SignedIn> {
  const person = await signedInActor(app, token);
  if (person.role === 'admin') return person;
  throw new PaybatchError(
    'role_refused',
    `Only an admin may do this, and ${person.actor.name} has the role ${person.role}.`,
    'ask an admin',
  );
}
