/*
 * The actor, proven at the console by a password and a session. Restricted actions check the session in the ledger. They
 * ask for the password again if a statement is signed. The console signs with its own key.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import pLimit from 'p-limit';
import { type CallResult, noBatches } from '../account/result.ts';
import type { Actor, CallContext } from '../call/context.ts';
import type { UserRole } from '../domain/controls/controls.ts';
import type { PasswordHash } from '../domain/controls/sign-in.ts';
import { sessionLimits } from '../domain/controls/sign-in.ts';
import { keyIdOf, sha256, signText } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import * as sessions from '../ledger/controls/sessions.ts';
import * as userVerbs from '../ledger/controls/users.ts';
import { ownTextOf, scryptOf, usualCost, writeKeyFile } from './key-file.ts';
import type { ProvenActor } from './user-key.ts';

/** The channel of all people who have signed in. */
export const consoleChannel = 'console';

/** Limits for password checks. Each check needs 128 MiB, and many sign-in attempts at once must not use up all memory. */
const turn = pLimit(2);
const mostWaiting = 40;

function inTurn(work: () => Promise<Buffer>): Promise<Buffer> {
  if (turn.pendingCount < mostWaiting) return turn(work);
  return Promise.reject(
    new PaybatchError(
      'console_busy',
      'Too many people sign in at this moment.',
      'wait a minute, and try again',
    ),
  );
}

/** A password as it is stored. @param cost the cost of scrypt; a power of two */
export async function hashPassword(password: string, cost = usualCost): Promise<PasswordHash> {
  const work = { salt: randomBytes(16), cost, blockSize: 8, parallelism: 1 };
  return { ...work, hash: await inTurn(() => scryptOf(password, work)) };
}

/** Used for users without a password, so that a check takes the same time. */
const decoyHash: PasswordHash = {
  hash: Buffer.alloc(32),
  salt: Buffer.alloc(16),
  cost: usualCost,
  blockSize: 8,
  parallelism: 1,
};

/**
 * Whether a password is the stored one. If no password is stored, the check takes the same time and returns false.
 * @param derive computes the hash
 */
export async function isPassword(
  password: string,
  stored: PasswordHash | null,
  derive: typeof scryptOf = scryptOf,
): Promise<boolean> {
  const asked = stored ?? decoyHash;
  const derived = await inTurn(() => derive(password, asked, asked.hash.length));
  return timingSafeEqual(derived, asked.hash) && stored !== null;
}

/** A token for a link or a cookie. The ledger stores only its hash. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 of a token, in hex. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A person who has signed in. */
interface SignedIn {
  readonly actor: Actor;
  readonly role: UserRole;
  /** False for an approver who is not in office. */
  readonly isActive: boolean;
  /** Id of the session. */
  readonly session: string;
}

/**
 * The person of an open session.
 * @param token the token in the cookie
 * @throws PaybatchError (`session_ended`)
 */
async function signedInActor(app: CallContext, token: string): Promise<SignedIn> {
  const verbs = (await app.connections.ledger()).verbsWith(sessions);
  const found = await verbs.findSession(hashOfToken(token), { ...sessionLimits, isActivity: true });
  if (found?.isOpen !== true) {
    throw new PaybatchError('session_ended', 'Your session has ended: nothing was done.', 'sign in again');
  }
  const { user, role, isActive, id } = found;
  return { actor: { name: user, channel: consoleChannel }, role, isActive, session: id };
}

/**
 * The admin of an open session.
 * @throws PaybatchError (`session_ended`), (`role_refused`) for everybody except an admin
 */
export async function signedInAdmin(app: CallContext, token: string): Promise<SignedIn> {
  const person = await signedInActor(app, token);
  if (person.role === 'admin') return person;
  throw new PaybatchError(
    'role_refused',
    `Only an admin may do this, and ${person.actor.name} has the role ${person.role}.`,
    'ask an admin',
  );
}

/* An approver at the console: signed in, with the password entered again, and the console's key to sign. */

/** The input of a person at the console for a decision. */
export interface ConsoleProof {
  /** The secret of the session. */
  readonly session: string;
  /** The password, entered again, since another person may use the browser now. */
  readonly password: string;
  /** The network address of the request. */
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
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const user = await verbs.findUser(person.actor.name);
  if (user === undefined || user.isLocked) {
    throw new PaybatchError('session_ended', 'Your session has ended: nothing was done.', 'sign in again');
  }
  const sign = (text: string): Buffer => signText(text, key.privateKey);
  return { actor: person.actor, user, keyId: key.keyId, session: person.session, sign };
}

/** Checks the password. The number of guesses is limited as at sign-in. */
async function requirePassword(
  app: CallContext,
  { actor: { name } }: SignedIn,
  { password, address }: ConsoleProof,
): Promise<void> {
  const verbs = (await app.connections.ledger()).verbsWith({ ...sessions, ...userVerbs });
  const asked = { name, nameHash: sha256(name), address };
  const { id } = await verbs.beginSignIn(asked);
  if (id === null) throw wrong('Too many tries failed', 'wait some minutes, then try again');
  const stored = await verbs.findPassword(name);
  if (await isPassword(password, stored ?? null)) return verbs.passSignIn(id);
  await verbs.failSignIn(id, asked, { channel: consoleChannel });
  throw wrong('The password is wrong', 'give your password again');
}

function wrong(why: string, next: string): PaybatchError {
  return new PaybatchError('password_wrong', `${why}: nothing was signed.`, next);
}

/*
 * The key of a console. It is created at the first start, and kept in a file that only its owner can read. The ledger knows
 * its public key.
 */

interface ConsoleKeyRequest {
  /** Path of the key file, which is created if it does not exist. */
  readonly file: string;
}

/**
 * Opens the key with which the console signs the approvals of people there, and stores it in the ledger.
 * @throws PaybatchError (`user_key_unusable`) for a file that others may read, or that is not a key;
 *   (`console_key_missing`) for a key that was retired
 */
export async function openConsoleKey(app: CallContext, { file }: ConsoleKeyRequest): Promise<CallResult> {
  const path = resolve(file);
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  if (!existsSync(path)) await makeKey(path);
  const privateKey = keyIn(path);
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const keyId = keyIdOf(publicKey);
  if (!(await verbs.addServerKey({ keyId, publicKey, by: { ...app.actor, channel: consoleChannel } }))) {
    throw new PaybatchError(
      'console_key_missing',
      `The key of the console in ${path} was retired.`,
      'move the file away: the next start makes another key',
    );
  }
  app.connections.consoleKey = { keyId, privateKey };
  return noBatches;
}

async function makeKey(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeKeyFile(path, String(privateKey.export({ format: 'pem', type: 'pkcs8' })));
}

function keyIn(path: string): KeyObject {
  const text = ownTextOf(path);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The failure is reported below, without the content of the damaged file.
  }
  throw new PaybatchError(
    'user_key_unusable',
    `The file ${path} holds no key of a console.`,
    'restore it from your copy, or move it away: the next start makes another key',
  );
}
