/* Signing in at the console with a name and a password, and the sessions that begin with it. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { isPassword } from '../controls/scrypt.ts';
import { consoleDoor, hashOfToken, newToken } from '../controls/session-actor.ts';
import { sessionLimits, type UserRole } from '../domain/controls/controls.ts';
import { sha256 } from '../domain/controls/statement.ts';
import type { FoundSession } from '../ledger/controls/sessions.ts';

const done = { outcome: 'done', batches: [], failure: null } as const;

interface SignInRequest {
  readonly name: string;
  readonly password: string;
  /** The address from which the request came. */
  readonly address: string;
}

interface SignInResult extends CallResult {
  /** The secret of the new session; null where sign-in failed. */
  readonly token: string | null;
  /** How long further attempts with this name, or from this address, are blocked; 0 where they are not. */
  readonly waitInMs: number;
}

/** Recording a failure takes longer for an existing name; this is longer still. */
const failureTakesInMs = 60;

/**
 * Signs a person in. Whether the name exists makes no difference to the answer or to its duration.
 * @throws PaybatchError (`console_busy`)
 */
export async function signIn(
  app: CallContext,
  { name, password, address }: SignInRequest,
): Promise<SignInResult> {
  const { verbs } = await app.connections.ledger();
  const asked = { name: name.slice(0, 200), nameHash: sha256(name), address };
  const { waitInMs, id } = await verbs.beginSignIn(asked);
  if (id === null) return { ...done, token: null, waitInMs };
  const stored = await verbs.findPassword(asked.name);
  if ((await isPassword(password, stored ?? null)) && stored !== undefined) {
    const token = newToken();
    const session = { user: asked.name, passwordId: stored.id, address, tryId: id, door: consoleDoor };
    const hasBegun = await verbs.beginSession({ ...session, tokenHash: hashOfToken(token) });
    return { ...done, token: hasBegun ? token : null, waitInMs: 0 };
  }
  const failure = verbs.failSignIn(id, asked, { door: consoleDoor });
  const [wait] = await Promise.all([failure, sleep(failureTakesInMs)]);
  return { ...done, token: null, waitInMs: wait };
}

interface SessionRequest {
  /** The secret of the session. */
  readonly token: string;
}

/** The user of a session. */
export interface SessionView {
  readonly id: string;
  readonly name: string;
  readonly role: UserRole;
}

interface SessionResult extends CallResult {
  /** Null where it is not open. */
  readonly session: SessionView | null;
  /** Whether it was open within the last day, and only time has ended it. */
  readonly isTimedOut: boolean;
}

/**
 * The user of a session.
 * @param isActivity whether it keeps the session alive
 */
export async function readSession(
  app: CallContext,
  { token, isActivity }: SessionRequest & { readonly isActivity: boolean },
): Promise<SessionResult> {
  const found = app.connections.isLedgerThere() ? await foundSession(app, token, isActivity) : undefined;
  const session = found?.isOpen === true ? { id: found.id, name: found.user, role: found.role } : null;
  return { ...done, session, isTimedOut: found?.isTimedOut === true };
}

async function foundSession(
  { connections }: CallContext,
  token: string,
  isActivity: boolean,
): Promise<FoundSession | undefined> {
  const { verbs } = await connections.ledger();
  return verbs.findSession(hashOfToken(token), { ...sessionLimits, isActivity });
}

/** Ends a session; does nothing where there is none. */
export async function signOut(app: CallContext, { token }: SessionRequest): Promise<CallResult> {
  const found = await readSession(app, { token, isActivity: false });
  if (found.session === null) return done;
  const { verbs } = await app.connections.ledger();
  await verbs.endSession(hashOfToken(token), { name: found.session.name, door: consoleDoor });
  return done;
}
