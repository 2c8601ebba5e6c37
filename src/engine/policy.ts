/*
 * The policy, which states what batches need before they are sent. This file shows, proposes, approves, rejects and
 * restores it.
 */

import { type CallResult, noBatches } from '../account/result.ts';
import type { Actor, CallContext, EmptyRequest } from '../call/context.ts';
import { openToRead } from '../call/ledger-access.ts';
import {
  completePolicy,
  invalidPolicy,
  orUnmeetable,
  readPolicyFile,
  requireUsers,
} from '../controls/policy-file.ts';
import {
  type Decision,
  decide,
  noteOf,
  provenApprover,
  provenManager,
  requireNotOwn,
} from '../controls/user-key.ts';
import {
  activeApprovers,
  type Controls,
  type LedgerPolicy,
  type ProposalState,
  stateOfProposal,
  waitingPolicies,
} from '../domain/controls/controls.ts';
import {
  type Policy,
  type PolicyDifference,
  policyContent,
  policyDifference,
  policyIn,
  policyInForceOf,
  policySentences,
  strictestOf,
} from '../domain/controls/policy.ts';
import { sha256 } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** A policy as people see it. */
export interface PolicyView extends Omit<LedgerPolicy, 'content'> {
  readonly policy: Policy;
  /** One sentence for each rule, without the full stop. */
  readonly sentences: readonly string[];
}

/** A policy that waits for approvals. */
export interface ProposedPolicy extends PolicyView {
  readonly difference: PolicyDifference;
  readonly state: ProposalState;
}

/** The state of the policy. */
export interface PolicyResult extends CallResult {
  /** Null if no policy is in force; nothing needs an approval then. */
  readonly inForce: PolicyView | null;
  readonly waiting: readonly ProposedPolicy[];
  /** Names of the approvers in office. */
  readonly approvers: readonly string[];
  /** Number of approvals that a change of the policy or of the approvers needs. */
  readonly approvalsNeeded: number;
}

interface SetPolicyResult extends PolicyResult {
  readonly version: number;
  readonly isInForce: boolean;
  readonly difference: PolicyDifference;
}

function viewOf({ content, ...policy }: LedgerPolicy): PolicyView {
  const read = policyIn(content);
  return { ...policy, policy: read, sentences: policySentences(read) };
}

function resultOf(controls: Controls): PolicyResult {
  const found = controls.policies.find(({ version }) => version === controls.policyInForce);
  const inForce = found === undefined ? null : viewOf(found);
  return {
    ...noBatches,
    inForce,
    waiting: waitingPolicies(controls).map((waiting) => {
      const view = viewOf(waiting);
      const difference = policyDifference(inForce?.policy ?? null, view.policy);
      return { ...view, difference, state: stateOfProposal({ version: view.version }, controls) };
    }),
    approvers: activeApprovers(controls).map(({ name }) => name),
    approvalsNeeded: controls.approvalsNeeded,
  };
}

/** The policy in force, and the proposed ones. */
export async function showPolicy(app: CallContext, _: EmptyRequest): Promise<PolicyResult> {
  if (!app.connections.isLedgerThere())
    return { ...noBatches, inForce: null, waiting: [], approvers: [], approvalsNeeded: 0 };
  const { verbs } = await openToRead(app);
  return resultOf(await verbs.readControls());
}

/**
 * Proposes a policy. It is in force at once if the policy before it requires no approvals of live batches.
 * @throws PaybatchError (`policy_invalid`) with what is wrong in its file; (`role_refused`)
 */
export async function setPolicy(
  app: CallContext,
  { file }: { readonly file: string },
): Promise<SetPolicyResult> {
  const stated = readPolicyFile(file);
  const { verbs } = await app.connections.ledger();
  const controls = await verbs.readControls();
  const manager = await provenManager(app, controls, true);
  const policy = completePolicy(stated, controls, file);
  const content = policyContent(policy);
  const by = manager?.actor ?? app.actor;
  const version = await orUnmeetable(file, () => verbs.proposePolicy({ content, by }));
  const now = await verbs.readControls();
  return {
    ...resultOf(now),
    version,
    isInForce: now.policyInForce === version,
    difference: policyDifference(policyInForceOf(controls), policy),
  };
}

interface DecideOnPolicyRequest extends Decision {
  /** The version of the proposal; the only waiting one when absent. */
  readonly version?: number | undefined;
}

/**
 * Approves or rejects a proposed policy.
 * @throws PaybatchError (`nothing_to_decide`), (`own_proposal`), (`role_refused`)
 */
export async function decideOnPolicy(
  app: CallContext,
  { version, ...decision }: DecideOnPolicyRequest,
): Promise<PolicyResult & { readonly version: number }> {
  noteOf(decision.decision, decision.note ?? '');
  const { verbs } = await app.connections.ledger();
  const proven = await provenApprover(app);
  const controls = await verbs.readControls();
  const proposed = meantProposal(controls, version);
  const state = stateOfProposal(proposed, controls);
  if (decision.decision === 'approve') requireNotOwn(proven, state.proposedBy, controls);
  const isRepeated = decision.decision === 'approve' && state.approvedBy.includes(proven.actor.name);
  if (!isRepeated) {
    await orUnmeetable(`version ${proposed.version}`, () =>
      decide(proven, verbs, decision, {
        policyInForce: controls.policyInForce ?? 0,
        subject: {
          subject: 'policy',
          proposedVersion: proposed.version,
          contentHash: sha256(proposed.content),
        },
      }),
    );
  }
  return { ...resultOf(await verbs.readControls()), version: proposed.version };
}

function meantProposal(controls: Controls, version: number | undefined): LedgerPolicy {
  const waiting = waitingPolicies(controls);
  const [only, second] = waiting;
  if (version === undefined && second !== undefined) {
    const versions = waiting.map((each) => each.version).join(', ');
    throw new PaybatchError(
      'usage',
      `Several policies are proposed: the versions ${versions}.`,
      'name the one that is meant',
    );
  }
  const meant = version === undefined ? only : waiting.find((each) => each.version === version);
  if (meant !== undefined) return meant;
  const which = version === undefined ? 'No policy' : `No policy of version ${version}`;
  throw new PaybatchError('nothing_to_decide', `${which} waits for approvals.`, null);
}

/**
 * Allows a ledger to send live without a policy although live batches were recovered into it. The permission applies only
 * to batches that were recovered before.
 * @throws PaybatchError (`usage`) without a note; (`nothing_to_decide`) if no policy was lost
 */
export async function waivePolicy(
  app: CallContext,
  { note }: { readonly note: string },
): Promise<PolicyResult> {
  const text = noteOf('reject', note);
  const { verbs } = await app.connections.ledger();
  if (!(await verbs.isPolicyLost())) {
    throw new PaybatchError(
      'nothing_to_decide',
      'No policy of this ledger is lost: nothing is waived.',
      null,
    );
  }
  await verbs.waivePolicy({ note: text, by: app.actor });
  return resultOf(await verbs.readControls());
}

/**
 * Puts the policy of a file into force, with the approvers that it names. This is for a ledger that has too few approvers
 * left to approve a policy. Only the owner of the database can do it.
 * @param by the actor, for the audit trail
 * @returns its version
 * @throws PaybatchError (`restore_refused`) if enough approvers are in office; (`policy_invalid`)
 */
export async function restorePolicy(verbs: LedgerVerbs, file: string, by: Actor): Promise<number> {
  const { approvers, rules, sandboxKeys } = readPolicyFile(file);
  const controls = await verbs.readControls();
  const active = activeApprovers(controls).map(({ name }) => name);
  if (active.length >= controls.approvalsNeeded) {
    throw new PaybatchError(
      'restore_refused',
      controls.policyInForce === null
        ? 'There is no policy to restore.'
        : `The approvers in office can approve a policy themselves: ${active.join(', ')}.`,
      'set the policy; the approvers in office approve it',
    );
  }
  const named = approvers ?? [];
  requireUsers(named, controls, file);
  const able = new Set([...active, ...named]).size;
  const needed = strictestOf({ approvers: named, rules });
  if (able < needed) {
    throw invalidPolicy(
      file,
      `asks for ${needed} approvers, and ${able} could approve: name them, and add them first`,
    );
  }
  const content = policyContent({ approvers: named, rules, sandboxKeys });
  return orUnmeetable(file, () => verbs.restorePolicy({ content, by }));
}
