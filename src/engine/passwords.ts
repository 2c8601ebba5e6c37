/* Passwords for the console: a person gets a one-time link, and sets the password with it. */

import type { CallResult } from '../account/result.ts';
import type { Actor, CallContext, EmptyRequest } from '../call/context.ts';
import { roleRefused } from '../controls/deciding.ts';
import { hashPassword } from '../controls/scrypt.ts';
import { consoleDoor, hashOfToken, newToken, signedInAdmin } from '../controls/session-actor.ts';
import { provenActor } from '../controls/user-key.ts';
import { linkLifetimeInMs, type PasswordHash, passwordProblem } from '../domain/controls/controls.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { UsableLink } from '../ledger/controls/users.ts';
import { listUsers, type UserView, userIn } from './users.ts';

const done = { outcome: 'done', batches: [], failure: null } as const;

interface InviteRequest {
  /** Name of the user who is to set a password. */
  readonly name: string;
  /** Session token of the admin who asks; without it the admin of the key file, or the owner of the database. */
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
  const { verbs } = await app.connections.ledger();
  const user = userIn(await verbs.readControls(), name);
  if (user.state === 'locked') {
    throw new PaybatchError('user_locked', `The user ${name} is locked, for good.`, 'add another user');
  }
  const token = newToken();
  const link = { user: name, tokenHash: hashOfToken(token), lifetimeInMs: linkLifetimeInMs, by };
  return { ...done, user, token, until: await verbs.writePasswordLink(link) };
}

/**
 * A link lets its holder sign in as its user. So only an admin or the owner of the database may make one, with or without
 * a policy.
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
  return { ...done, link: await usableLink(app, token) };
}

/**
 * Sets the password of the link's user, which uses the link up and ends that user's sessions.
 * @throws PaybatchError (`link_unusable`), (`password_weak`) that says what is wrong with it
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
  const { verbs } = await app.connections.ledger();
  const hash: PasswordHash = await hashPassword(password);
  const by = { name: link.user, door: consoleDoor };
  if (!(await verbs.writePassword(link, hash, by))) throw unusable();
  return { ...done, user: link.user };
}

async function usableLink(app: CallContext, token: string): Promise<UsableLink> {
  if (!app.connections.isLedgerThere()) throw unusable();
  const { verbs } = await app.connections.ledger();
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

/** A user, with how that person can sign in. Times are ISO 8601 in UTC. */
export interface UserAccess extends UserView {
  /** When the present password was set; null without one. */
  readonly passwordSince: string | null;
  /** When an unused link expires; null without one. */
  readonly linkUntil: string | null;
  readonly signedInAt: string | null;
}

/** All users, with how each can sign in. */
export async function listAccess(
  app: CallContext,
  request: EmptyRequest,
): Promise<CallResult & { readonly users: readonly UserAccess[] }> {
  const { users } = await listUsers(app, request);
  if (users.length === 0) return { ...done, users: [] };
  const { verbs } = await app.connections.ledger();
  const facts = new Map((await verbs.listSignInFacts()).map(({ user, ...fact }) => [user, fact]));
  const none = { passwordSince: null, linkUntil: null, signedInAt: null };
  return { ...done, users: users.map((user) => ({ ...user, ...(facts.get(user.name) ?? none) })) };
}
