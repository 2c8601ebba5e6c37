/* Signing in at the console: sessions, and passwords that people set with a one-time link. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type CallResult, noBatches } from '../account/result.ts';
import type { Actor, CallContext, EmptyRequest } from '../call/context.ts';
import {
  consoleChannel,
  hashOfToken,
  hashPassword,
  isPassword,
  newToken,
  signedInAdmin,
} from '../controls/session-actor.ts';
import { provenActor, roleRefused } from '../controls/user-key.ts';
import type { UserRole } from '../domain/controls/controls.ts';
import {
  linkLifetimeInMs,
  type PasswordHash,
  passwordProblem,
  sessionLimits,
} from '../domain/controls/sign-in.ts';
import { sha256 } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { FoundSession } from '../ledger/controls/sessions.ts';
import * as sessions from '../ledger/controls/sessions.ts';
import type { UsableLink } from '../ledger/controls/users.ts';
import * as userVerbs from '../ledger/controls/users.ts';
import { listUsers, type UserView, userIn } from './users.ts';

interface SignInRequest {
  readonly name: string;
  readonly password: string;
  /** The network address of the request. */
  readonly address: string;
}

interface SignInResult extends CallResult {
  /** The secret of the new session; null where sign-in failed. */
  readonly token: string | null;
  /** How long further attempts with this name, or from this address, are blocked; 0 if they are not blocked. */
  readonly waitInMs: number;
}

/**
 * Every failure takes at least this time. Recording a failure takes longer for an existing name, but less than this time.
 */
const failureTakesInMs = 60;

/**
 * Signs a person in. The answer and its duration do not show whether the name exists.
 * @throws PaybatchError (`console_busy`)
 */
export async function signIn(
  app: CallContext,
  { name, password, address }: SignInRequest,
): Promise<SignInResult> {
  const verbs = (await app.connections.ledger()).verbsWith({ ...sessions, ...userVerbs });
  const asked = { name: name.slice(0, 200), nameHash: sha256(name), address };
  const { waitInMs, id } = await verbs.beginSignIn(asked);
  if (id === null) return { ...noBatches, token: null, waitInMs };
  const stored = await verbs.findPassword(asked.name);
  if ((await isPassword(password, stored ?? null)) && stored !== undefined) {
    const token = newToken();
    const session = { user: asked.name, passwordId: stored.id, address, tryId: id, channel: consoleChannel };
    const hasBegun = await verbs.beginSession({ ...session, tokenHash: hashOfToken(token) });
    return { ...noBatches, token: hasBegun ? token : null, waitInMs: 0 };
  }
  const failure = verbs.failSignIn(id, asked, { channel: consoleChannel });
  const [wait] = await Promise.all([failure, sleep(failureTakesInMs)]);
  return { ...noBatches, token: null, waitInMs: wait };
}

interface SessionRequest {
  /** The secret of the session. */
  readonly token: string;
}

/** The user of a session. */
interface SessionView {
  readonly id: string;
  readonly name: string;
  readonly role: UserRole;
}

interface SessionResult extends CallResult {
  /** Null if the session is not open. */
  readonly session: SessionView | null;
  /** Whether the session was open within the last day and has ended only because time ran out. */
  readonly isTimedOut: boolean;
}

/**
 * The user of a session.
 * @param isActivity whether this call extends the session
 */
export async function readSession(
  app: CallContext,
  { token, isActivity }: SessionRequest & { readonly isActivity: boolean },
): Promise<SessionResult> {
  const found = app.connections.isLedgerThere() ? await foundSession(app, token, isActivity) : undefined;
  const session = found?.isOpen === true ? { id: found.id, name: found.user, role: found.role } : null;
  return { ...noBatches, session, isTimedOut: found?.isTimedOut === true };
}

async function foundSession(
  { connections }: CallContext,
  token: string,
  isActivity: boolean,
): Promise<FoundSession | undefined> {
  const verbs = (await connections.ledger()).verbsWith(sessions);
  return verbs.findSession(hashOfToken(token), { ...sessionLimits, isActivity });
}

/** Ends a session; does nothing if the session is not open. */
export async function signOut(app: CallContext, { token }: SessionRequest): Promise<CallResult> {
  const found = await readSession(app, { token, isActivity: false });
  if (found.session === null) return noBatches;
  const verbs = (await app.connections.ledger()).verbsWith(sessions);
  await verbs.endSession(hashOfToken(token), { name: found.session.name, channel: consoleChannel });
  return noBatches;
}

/* Passwords: a person gets a one-time link, and sets the password with it. */

interface InviteRequest {
  /** Name of the user who is to set a password. */
  readonly name: string;
  /**
   * Session token of the admin who makes the request. When absent, the request is made by the admin of the key file, or the
   * owner of the database.
   */
  readonly session?: string | undefined;
}

interface InviteResult extends CallResult {
  readonly user: UserView;
  /** A secret, which is not stored: the address of the page ends with it. */
  readonly token: string;
  /** When the link expires, ISO 8601 in UTC. */
  readonly until: string;
}

/**
 * Makes a one-time link with which a user sets a password for the console. Earlier links of the user become invalid.
 * @throws PaybatchError (`user_not_found`), (`user_locked`), (`role_refused`), (`session_ended`)
 */
export async function inviteUser(app: CallContext, { name, session }: InviteRequest): Promise<InviteResult> {
  const by = await inviter(app, session);
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const user = userIn(await verbs.readControls(), name);
  if (user.state === 'locked') {
    throw new PaybatchError('user_locked', `The user ${name} is locked, for good.`, 'add another user');
  }
  const token = newToken();
  const link = { user: name, tokenHash: hashOfToken(token), lifetimeInMs: linkLifetimeInMs, by };
  return { ...noBatches, user, token, until: await verbs.writePasswordLink(link) };
}

/**
 * The person who makes a link. A link lets its holder sign in as its user, so only an admin or the owner of the database
 * may make one, with or without a policy.
 */
async function inviter(app: CallContext, session: string | undefined): Promise<Actor> {
  if (session !== undefined) return (await signedInAdmin(app, session)).actor;
  const proven = (app.machine.userKeyFile ?? '') === '' ? null : await provenActor(app);
  if (proven?.user.role === 'admin') return proven.actor;
  const { verbs } = await app.connections.ledger();
  if ((await verbs.readDatabaseRole()).isOwner) return proven?.actor ?? app.actor;
  throw roleRefused('Only an admin, or the owner of the database, makes a link to set a password.');
}

interface LinkRequest {
  /** The secret of the link. */
  readonly token: string;
}

/**
 * The user of a link.
 * @throws PaybatchError (`link_unusable`)
 */
export async function readPasswordLink(
  app: CallContext,
  { token }: LinkRequest,
): Promise<CallResult & { readonly link: UsableLink }> {
  return { ...noBatches, link: await usableLink(app, token) };
}

/**
 * Sets the password of the link's user, which uses the link up and ends that user's sessions.
 * @throws PaybatchError (`link_unusable`), (`password_weak`) with what is wrong with the password
 */
export async function setPassword(
  app: CallContext,
  { token, password }: LinkRequest & { readonly password: string },
): Promise<CallResult & { readonly user: string }> {
  const link = await usableLink(app, token);
  const problem = passwordProblem(password, link.user);
  if (problem !== null) {
    throw new PaybatchError('password_weak', problem, 'choose another one: several words do well');
  }
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const hash: PasswordHash = await hashPassword(password);
  const by = { name: link.user, channel: consoleChannel };
  if (!(await verbs.writePassword(link, hash, by))) throw unusable();
  return { ...noBatches, user: link.user };
}

async function usableLink(app: CallContext, token: string): Promise<UsableLink> {
  if (!app.connections.isLedgerThere()) throw unusable();
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const link = await verbs.findPasswordLink(hashOfToken(token));
  if (link === undefined) throw unusable();
  return link;
}

function unusable(): PaybatchError {
  return new PaybatchError(
    'link_unusable',
    'This link cannot be used: it works once, for a day, and a newer one takes its place.',
    'ask an admin for a new link, or sign in if your password is set',
  );
}

/** A user, and how that person can sign in. Times are ISO 8601 in UTC. */
export interface UserAccess extends UserView {
  /** When the present password was set; null without one. */
  readonly passwordSince: string | null;
  /** When an unused link expires; null without one. */
  readonly linkUntil: string | null;
  readonly signedInAt: string | null;
}

/** All users, and how each of them can sign in. */
export async function listAccess(
  app: CallContext,
  request: EmptyRequest,
): Promise<CallResult & { readonly users: readonly UserAccess[] }> {
  const { users } = await listUsers(app, request);
  if (users.length === 0) return { ...noBatches, users: [] };
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const facts = new Map((await verbs.listSignInFacts()).map(({ user, ...fact }) => [user, fact]));
  const none = { passwordSince: null, linkUntil: null, signedInAt: null };
  return { ...noBatches, users: users.map((user) => ({ ...user, ...(facts.get(user.name) ?? none) })) };
}
