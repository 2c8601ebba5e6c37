/*
 * What follows from users, policies and decisions: rights, open proposals, who has to decide, and what disowning a key takes
 * back.
 */

import { PaybatchError } from '../failures/paybatch-error.ts';
import type { CurrencySum } from '../money/sums.ts';
import type { StoredDecision, StoredKey } from './statement.ts';

/* People with their own key in the ledger. */

/** A maker prepares batches, an approver approves plans, and an admin adds and locks users. */
const userRoles = ['maker', 'approver', 'admin'] as const;

export type UserRole = (typeof userRoles)[number];

/** A user with the one key that is valid now. */
export interface UserRecord {
  readonly name: string;
  readonly role: UserRole;
  /** False for an approver who is neither named by the first policy nor approved by the approvers in office. */
  readonly isActive: boolean;
  /** Locked permanently. */
  readonly isLocked: boolean;
  /** The id of the key, see `keyIdOf`. */
  readonly keyId: string;
  /** The Ed25519 key in DER, in the form SPKI. */
  readonly publicKey: Buffer;
}

const namePattern = /^[a-z0-9][a-z0-9._@-]{0,62}$/;

/** The rule for names, as the end of a sentence. */
export const userNameRule =
  'has to be 1 to 63 small letters, digits, points, hyphens, underscores or at signs, and to begin with a letter or digit';

export function isUserName(text: string): boolean {
  return namePattern.test(text);
}

export function isUserRole(text: string): text is UserRole {
  return userRoles.some((role) => role === text);
}

/** A user as stored in the ledger. Times are ISO 8601 in UTC. */
export interface LedgerUser {
  readonly name: string;
  readonly role: UserRole;
  readonly addedBy: string;
  readonly addedAt: string;
  readonly activeAt: string | null;
  readonly lockedAt: string | null;
  readonly lockedBy: string | null;
  /** The id of the present key. */
  readonly keyId: string;
  readonly keySince: string;
}

/** A policy as stored in the ledger. */
export interface LedgerPolicy {
  readonly version: number;
  readonly content: string;
  readonly proposedBy: string;
  readonly proposedAt: string;
  /** Null for a proposal. */
  readonly inForceAt: string | null;
  /** Whether the owner of the database put it into force, because no user could approve it. */
  readonly isRestored: boolean;
}

/** A stop of everything. While it is in force, no run begins a request. */
export interface Halt {
  readonly id: number;
  readonly note: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/**
 * The rows in doubt in the ledger. While nothing is sent, each of these rows is held once its key is too old. Times are ISO
 * 8601, UTC.
 */
export interface DoubtsOfHalt {
  readonly rows: number;
  readonly firstHeldAt: string;
  readonly lastHeldAt: string;
}

/** A stop of everything that is in force, with its consequences and how it can be lifted. */
export interface HaltInForce {
  readonly halt: Halt;
  /** Version of the policy that lifts the stop once it is approved; null if there is no such proposal. */
  readonly liftedBy: number | null;
  /** Null if no row is in doubt. */
  readonly inDoubt: DoubtsOfHalt | null;
}

/** The error if live rows are not sent because live batches were recovered into the ledger and it has no policy. */
export function policyLost(): PaybatchError {
  return new PaybatchError(
    'policy_lost',
    'Live batches were recovered into this ledger, and no policy is in force. If the lost ledger had one, its approvals would not be asked for. So nothing is sent live.',
    {
      action: 'help',
      of: 'policy',
      purpose: 'set the policy of the lost ledger again, or waive it with a note',
    },
  );
}

/** A decision about a proposed policy or user. */
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

/** All users, policies and decisions at one moment. */
export interface Controls {
  /** Version of the policy in force; null if there is none. */
  readonly policyInForce: number | null;
  /** How many approvals a change of the policy or of the approvers needs. */
  readonly approvalsNeeded: number;
  readonly users: readonly LedgerUser[];
  readonly policies: readonly LedgerPolicy[];
  readonly decisions: readonly ProposalDecision[];
  /** Present keys and replaced keys. */
  readonly keys: readonly StoredKey[];
}

/** A proposed policy, or a proposed approver who is not appointed yet. */
type Proposal = { readonly version: number } | { readonly user: string };

/**
 * `active`: has all rights of the role. `waiting`: an approver whom the approvers in office have not approved. `unnamed`: an
 * approver whom no policy names, because there is no policy. `locked`: permanently.
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

/** Proposed policies that can still take effect, oldest first. */
export function waitingPolicies({ policies, policyInForce }: Controls): readonly LedgerPolicy[] {
  return policies.filter(({ version, inForceAt }) => inForceAt === null && version > (policyInForce ?? 0));
}

/** The progress of a proposal. */
export interface ProposalState {
  readonly proposedBy: string;
  readonly approvedBy: readonly string[];
  readonly needed: number;
  /** Who can still approve it: active approvers, except its proposer and the approvers who have approved it. */
  readonly mayApprove: readonly string[];
  /** The newest rejection; null if there is none. */
  readonly rejection: Pick<ProposalDecision, 'by' | 'at' | 'note'> | null;
}

/**
 * The count follows the database's rule: approvals since the last rejection, under the policy in force, with present keys.
 */
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

/* The objects that a person takes back by disowning an API key: they were created live with a sandbox key. */

/** A batch with rows that are sent again once a key is disowned. */
export interface DisownedBatch {
  readonly id: string;
  /** Rows that were created with the key. */
  readonly created: number;
  /** Their amounts, by currency. */
  readonly sums: readonly CurrencySum[];
  /** Rows whose object was created with the key for another row. */
  readonly existing: number;
  /** Rows that are ready and were never sent. Their requests may refer to such an object, so they are written again. */
  readonly ready: number;
}

/** The effects of disowning a key. */
export interface Disowning {
  /** Whether anything was sent live with the key. */
  readonly isKnown: boolean;
  /** Rows that were sent with the key and have no conclusive answer. */
  readonly inDoubt: number;
  /** Rows that were sent with the key and then named as created by a person. They stay unchanged. */
  readonly decided: number;
  /** In the order of their ids. */
  readonly batches: readonly DisownedBatch[];
}
