/* Users and their keys: adding, listing, appointing and locking users, and replacing a key. */

import { resolve } from 'node:path';
import { type CallResult, noBatches } from '../account/result.ts';
import type { CallContext, EmptyRequest } from '../call/context.ts';
import { openToRead } from '../call/ledger-access.ts';
import { createKey, removeKeyFile, replaceKeyFile, requireFree, writeKeyFile } from '../controls/key-file.ts';
import { signedInAdmin } from '../controls/session-actor.ts';
import {
  type Decision,
  decide,
  newPassphrase,
  noteOf,
  type ProvenActor,
  provenActor,
  provenApprover,
  provenManager,
  requireNotOwn,
} from '../controls/user-key.ts';
import {
  type Controls,
  isUserName,
  type LedgerUser,
  type ProposalState,
  stateOfProposal,
  stateOfUser,
  type UserRole,
  type UserState,
  userNameRule,
} from '../domain/controls/controls.ts';
import { endorsementText } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { asDatabaseFailure } from '../ledger/connection/database-failure.ts';
import * as userVerbs from '../ledger/controls/users.ts';

/** A user as people see it. */
export interface UserView extends LedgerUser {
  readonly state: UserState;
  /** The state of the appointment; null except for a user in the state `waiting`. */
  readonly appointment: ProposalState | null;
}

interface UsersResult extends CallResult {
  readonly users: readonly UserView[];
  /** Null if no policy is in force. */
  readonly policyInForce: number | null;
}

interface UserResult extends CallResult {
  readonly user: UserView;
}

interface KeyResult extends UserResult {
  /** Absolute path of the file with the new private key. */
  readonly keyFile: string;
}

interface AddUserRequest {
  readonly name: string;
  readonly role: UserRole;
  /** Path of the key file to write; `NAME.key` in the working folder when absent. */
  readonly keyFile?: string | undefined;
  /** Path of a file with the passphrase of the new key; when absent, the person is asked for it. */
  readonly passphraseFile?: string | undefined;
}

function viewOf(user: LedgerUser, controls: Controls): UserView {
  const state = stateOfUser(user, controls);
  const appointment = state === 'waiting' ? stateOfProposal({ user: user.name }, controls) : null;
  return { ...user, state, appointment };
}

/**
 * Finds a user by name.
 * @throws PaybatchError (`user_not_found`)
 */
export function userIn(controls: Controls, name: string): UserView {
  const user = controls.users.find((each) => each.name === name);
  if (user !== undefined) return viewOf(user, controls);
  const names = controls.users.map((each) => each.name).join(', ');
  throw new PaybatchError(
    'user_not_found',
    `There is no user "${name}" in this ledger.`,
    names === '' ? 'add users first' : `there are ${names}`,
  );
}

/** All users. */
export async function listUsers(app: CallContext, _: EmptyRequest): Promise<UsersResult> {
  if (!app.connections.isLedgerThere()) return { ...noBatches, users: [], policyInForce: null };
  const { verbs } = await openToRead(app);
  const controls = await verbs.readControls();
  const users = controls.users.map((user) => viewOf(user, controls));
  return { ...noBatches, users, policyInForce: controls.policyInForce };
}

/**
 * Adds a user with a new key pair, and writes the private key to a file for that person.
 * @throws PaybatchError (`user_name_invalid`), (`user_exists`), (`file_exists`), (`role_refused`)
 */
export async function addUser(app: CallContext, request: AddUserRequest): Promise<KeyResult> {
  const { name, role } = request;
  if (!isUserName(name)) {
    throw new PaybatchError(
      'user_name_invalid',
      `The name "${name}" ${userNameRule}.`,
      'choose another name',
    );
  }
  const keyFile = resolve(request.keyFile ?? `${name}.key`);
  requireFree(keyFile);
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const controls = await verbs.readControls();
  if (controls.users.some((user) => user.name === name)) throw userExists(name);
  const manager = await provenManager(app, controls, role === 'approver');
  const passphrase = await newPassphrase(app, { user: name, file: keyFile, ...request });
  const key = await createKey(name, passphrase);
  // The file is written first: a user without a private key would block the name for ever.
  await writeKeyFile(keyFile, key.fileText);
  const by = manager?.actor ?? app.actor;
  const { keyId, publicKey } = key;
  const isAdded = await orRefused(() => verbs.addUser({ name, role, by, keyId, publicKey })).catch(
    async (error: unknown) => {
      if (error instanceof PaybatchError) await removeKeyFile(keyFile);
      throw error;
    },
  );
  if (!isAdded) {
    await removeKeyFile(keyFile);
    throw userExists(name);
  }
  return { ...noBatches, user: userIn(await verbs.readControls(), name), keyFile };
}

/**
 * Reports a change that the database refuses as not made. After a lost connection it is unknown whether the change was
 * made.
 */
async function orRefused<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    const failure = asDatabaseFailure(error);
    throw failure instanceof PaybatchError && failure.code === 'database_refused' ? failure : error;
  }
}

function userExists(name: string): PaybatchError {
  return new PaybatchError(
    'user_exists',
    `There is a user "${name}" already; names are never given twice.`,
    'choose another name, or rotate the key of that user',
  );
}

/**
 * Approves or rejects a user whose appointment as approver waits.
 * @throws PaybatchError (`nothing_to_decide`), (`own_proposal`)
 */
export async function decideOnUser(
  app: CallContext,
  { name, ...decision }: Decision & { readonly name: string },
): Promise<UserResult> {
  noteOf(decision.decision, decision.note ?? '');
  const { verbs } = await app.connections.ledger();
  const proven = await provenApprover(app);
  const controls = await verbs.readControls();
  const { appointment, state, keyId } = userIn(controls, name);
  if (appointment === null || controls.policyInForce === null) {
    throw new PaybatchError(
      'nothing_to_decide',
      `${name} waits for no approval: ${stateWords[state]}.`,
      null,
    );
  }
  if (decision.decision === 'approve') requireNotOwn(proven, appointment.proposedBy, controls);
  const isRepeated = decision.decision === 'approve' && appointment.approvedBy.includes(proven.actor.name);
  if (!isRepeated) {
    await decide(proven, verbs, decision, {
      policyInForce: controls.policyInForce,
      subject: { subject: 'user', proposedUser: name, proposedKey: keyId },
    });
  }
  return { ...noBatches, user: userIn(await verbs.readControls(), name) };
}

const stateWords: Readonly<Record<UserState, string>> = {
  active: 'the user is active',
  locked: 'the user is locked',
  unnamed: 'the first policy names its approvers',
  waiting: 'no policy is in force',
};

interface LockRequest {
  readonly name: string;
  /** Session token of the admin who makes the request; the actor of the call when absent. */
  readonly session?: string | undefined;
}

/** Locks a user for good, which ends that person's sessions. Every user may lock themselves. */
export async function lockUser(app: CallContext, { name, session }: LockRequest): Promise<UserResult> {
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const controls = await verbs.readControls();
  userIn(controls, name);
  const by = session === undefined ? await lockerOf(app, controls, name) : await signedInAdmin(app, session);
  await verbs.lockUser(name, by?.actor ?? app.actor);
  return { ...noBatches, user: userIn(await verbs.readControls(), name) };
}

async function lockerOf(app: CallContext, controls: Controls, name: string): Promise<ProvenActor | null> {
  const proven = controls.policyInForce === null ? null : await provenActor(app);
  return proven?.actor.name === name ? proven : provenManager(app, controls, false);
}

interface RotateRequest {
  /** The user whose key file is named in the settings. It is only compared, as a safety check. */
  readonly name?: string | undefined;
  /** Path of a file with the passphrase of the new key; when absent, the person is asked for it. */
  readonly passphraseFile?: string | undefined;
}

/**
 * Replaces the key of the user who acts with a new pair, which the old key signs. The old file is kept next to the new one,
 * with `.old` added to its name.
 * @throws PaybatchError (`role_refused`) for the key of another user
 */
export async function rotateKey(app: CallContext, request: RotateRequest): Promise<KeyResult> {
  const { actor, keyId: previousKey, sign } = await provenActor(app);
  if (request.name !== undefined && request.name !== actor.name) {
    throw new PaybatchError(
      'role_refused',
      `The key file is of ${actor.name}: nobody can replace the key of ${request.name} but ${request.name}.`,
      'an admin can lock a user whose key is lost, and add another one',
    );
  }
  const keyFile = resolve(app.machine.userKeyFile ?? '');
  const passphrase = await newPassphrase(app, { user: actor.name, file: keyFile, ...request, isOwn: true });
  const { keyId, publicKey, fileText } = await createKey(actor.name, passphrase);
  const verbs = (await app.connections.ledger()).verbsWith(userVerbs);
  const endorsement = sign(endorsementText(actor.name, keyId));
  await replaceKeyFile(keyFile, fileText, async () => {
    const rotated = { name: actor.name, previousKey, keyId, publicKey, endorsement, by: actor };
    if (await orRefused(() => verbs.rotateKey(rotated))) return;
    throw new PaybatchError(
      'user_key_replaced',
      `The key of ${actor.name} was replaced by another program at the same time.`,
      'use the newest key file',
    );
  });
  return { ...noBatches, user: userIn(await verbs.readControls(), actor.name), keyFile };
}
