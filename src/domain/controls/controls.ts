/* What the ledger's users, policies and decisions come to: who is what, what waits, and for whom. */

import type { UserRole } from './user.ts';
import type { StoredDecision, StoredKey } from './verification.ts';

/** A user as the ledger has it. Times are ISO 8601 in UTC. */
export interface LedgerUser {
  readonly name: string;
  readonly role: UserRole;
  readonly addedBy: string;
  readonly addedAt: string;
  readonly activeAt: string | null;
  readonly lockedAt: string | null;
  readonly lockedBy: string | null;
  /** Of the present key. */
  readonly keyId: string;
  readonly keySince: string;
}

/** A policy as the ledger has it. */
export interface LedgerPolicy {
  readonly version: number;
  readonly content: string;
  readonly proposedBy: string;
  readonly proposedAt: string;
  /** Null for a proposal. */
  readonly inForceAt: string | null;
  /** Put into force by the owner of the database, because nobody could approve. */
  readonly isRestored: boolean;
}

/** A decision about a proposed policy or user, oldest first. */
export interface ProposalDecision extends StoredDecision {
  readonly decision: 'approve' | 'reject';
  readonly proposedVersion: number | null;
  readonly proposedUser: string | null;
  /** Version of the policy in force when it was made. */
  readonly policyVersion: number;
  readonly by: string;
  readonly keyId: string;
  readonly at: string;
  readonly note: string;
}

/** All of it, as it was at one moment. */
export interface Controls {
  /** Version of the policy in force; null where there is none. */
  readonly policyInForce: number | null;
  /** How many approvals a change of the policy or of the approvers needs. */
  readonly approvalsNeeded: number;
  readonly users: readonly LedgerUser[];
  readonly policies: readonly LedgerPolicy[];
  readonly decisions: readonly ProposalDecision[];
  /** Present and replaced ones. */
  readonly keys: readonly StoredKey[];
}

/** A proposed policy, or an approver whom nobody has appointed yet. */
export type Proposal = { readonly version: number } | { readonly user: string };

/**
 * `active`: with all rights of the role. `waiting`: an approver whom the approvers in office have not approved.
 * `unnamed`: an approver whom no policy names, since there is none. `locked`: for good.
 */
export type UserState = 'active' | 'waiting' | 'unnamed' | 'locked';

export function stateOfUser(user: LedgerUser, { policyInForce }: Controls): UserState {
  if (user.lockedAt !== null) return 'locked';
  if (user.activeAt !== null) return 'active';
  return policyInForce === null ? 'unnamed' : 'waiting';
}

/** Users who may approve now. */
export function activeApprovers(controls: Controls): readonly LedgerUser[] {
  return controls.users.filter(
    (user) => user.role === 'approver' && stateOfUser(user, controls) === 'active',
  );
}

/** Proposed policies that can still come into force, oldest first. */
export function waitingPolicies({ policies, policyInForce }: Controls): readonly LedgerPolicy[] {
  return policies.filter(({ version, inForceAt }) => inForceAt === null && version > (policyInForce ?? 0));
}

/** How far a proposal is. */
export interface ProposalState {
  readonly proposedBy: string;
  readonly approvedBy: readonly string[];
  readonly needed: number;
  /** Who could still approve it: active approvers, without those who have, and without whoever proposed it. */
  readonly mayApprove: readonly string[];
  /** The newest rejection; null where there is none. */
  readonly rejection: Pick<ProposalDecision, 'by' | 'at' | 'note'> | null;
}

/** As the database counts: approvals since the last rejection, under the policy in force, with present keys. */
export function stateOfProposal(proposal: Proposal, controls: Controls): ProposalState {
  const proposedBy = proposerOf(proposal, controls);
  const decisions = controls.decisions.filter((decision) => isAbout(decision, proposal));
  const rejectedAt = decisions.findLastIndex(({ decision }) => decision === 'reject');
  const approvers = activeApprovers(controls).filter(({ name }) => name !== proposedBy);
  const approving = decisions
    .slice(rejectedAt + 1)
    .filter(({ policyVersion }) => policyVersion === controls.policyInForce);
  const hasApproved = ({ name, keyId }: LedgerUser): boolean =>
    approving.some((decision) => decision.by === name && decision.keyId === keyId);
  const names = (users: readonly LedgerUser[]): readonly string[] => users.map(({ name }) => name);
  return {
    proposedBy,
    approvedBy: names(approvers.filter(hasApproved)),
    needed: controls.approvalsNeeded,
    mayApprove: names(approvers.filter((user) => !hasApproved(user))),
    rejection: decisions[rejectedAt] ?? null,
  };
}

function isAbout(decision: ProposalDecision, proposal: Proposal): boolean {
  return 'version' in proposal
    ? decision.proposedVersion === proposal.version
    : decision.proposedUser === proposal.user;
}

function proposerOf(proposal: Proposal, { policies, users }: Controls): string {
  const by =
    'version' in proposal
      ? policies.find(({ version }) => version === proposal.version)?.proposedBy
      : users.find(({ name }) => name === proposal.user)?.addedBy;
  if (by === undefined) throw new Error('there is no such proposal');
  return by;
}
