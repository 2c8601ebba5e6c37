/* Decisions of approvers about proposed policies and users: who may decide, and the statement that is signed. */

import type { CallContext } from '../call/context.ts';
import { activeApprovers, type Controls } from '../domain/controls/controls.ts';
import { type Statement, writeStatement } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type ProvenActor, provenActor } from './user-key.ts';

/** A person's decision. A rejection has a reason. */
export interface Decision {
  readonly decision: 'approve' | 'reject';
  readonly note?: string | undefined;
}

/**
 * The approver who acts.
 * @throws PaybatchError as `provenActor` does; (`role_refused`) for a user who is not an approver, or not yet
 */
export async function provenApprover(app: CallContext): Promise<ProvenActor> {
  const proven = await provenActor(app);
  const { name, role, isActive } = proven.user;
  if (role === 'approver' && isActive) return proven;
  const what = role === 'approver' ? 'an approver who is not appointed yet' : `the role ${role}`;
  throw roleRefused(`${name} has ${what}, and only approvers in office approve and reject.`);
}

/**
 * A user who may add and lock people, and propose a policy, under the policy in force. Null where none is in force: then
 * everybody may who can write to the ledger.
 * @param isProposal whether approvers have to agree to it: then approvers may propose it too
 * @throws PaybatchError as `provenActor` does; (`role_refused`)
 */
export async function provenManager(
  app: CallContext,
  controls: Controls,
  isProposal: boolean,
): Promise<ProvenActor | null> {
  if (controls.policyInForce === null || isNobodyLeft(controls)) return null;
  const proven = await provenActor(app);
  const { name, role, isActive } = proven.user;
  const hasAdmin = controls.users.some((user) => user.role === 'admin' && user.lockedAt === null);
  const mayApproverDo = isProposal || !hasAdmin;
  if (role === 'admin' || (role === 'approver' && isActive && mayApproverDo)) return proven;
  throw roleRefused(
    mayApproverDo
      ? `A policy is in force: only an admin or an approver in office may do this, and ${name} has the role ${role}.`
      : `A policy is in force: only an admin may do this, and ${name} has the role ${role}.`,
  );
}

/**
 * Without an admin and an approver, everybody who may write to the ledger adds the next ones, and the owner of the
 * database restores a policy with them.
 */
function isNobodyLeft(controls: Controls): boolean {
  const hasAdmin = controls.users.some(({ role, lockedAt }) => role === 'admin' && lockedAt === null);
  return !hasAdmin && activeApprovers(controls).length === 0;
}

export function roleRefused(message: string): PaybatchError {
  return new PaybatchError('role_refused', message, {
    action: 'set',
    purpose: 'act as somebody who may',
    oneOf: [{ setting: 'userKeyFile' }],
  });
}

/** What a decision is about. */
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
