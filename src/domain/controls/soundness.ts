/*
 * Whether approvers have signed the policy in force and the appointments of active approvers. The database counts
 * decisions; it cannot check their signatures.
 */

import type { Controls, LedgerPolicy, LedgerUser, ProposalDecision } from './controls.ts';
import { policyIn, strictestOf } from './policy.ts';
import { type ExpectedStatement, problemOfDecision, type StoredKey, sha256 } from './statement.ts';

/** The policies in force and active approvers without the signed approvals that they need. */
type UnsoundControl =
  | { readonly what: 'policy'; readonly version: number }
  | { readonly what: 'approver'; readonly name: string };

/** @returns the first policy, or else the first active approver, that was not approved as required; null for none */
export function unsoundControl(controls: Controls): UnsoundControl | null {
  const history = new ControlHistory(controls);
  const policy = history.policies.find((each) => !history.isSoundPolicy(each));
  if (policy !== undefined) return { what: 'policy', version: policy.version };
  const user = controls.users.find(
    ({ role, activeAt, lockedAt, name }) =>
      role === 'approver' && activeAt !== null && lockedAt === null && !history.isSoundApprover(name),
  );
  return user === undefined ? null : { what: 'approver', name: user.name };
}

class ControlHistory {
  /** Those that were ever put into force, in that order. */
  readonly policies: readonly (LedgerPolicy & { readonly inForceAt: string })[];
  readonly #users: ReadonlyMap<string, LedgerUser>;
  readonly #decisions: readonly ProposalDecision[];
  readonly #keys: ReadonlyMap<string, StoredKey>;
  readonly #known = new Map<string, boolean>();

  constructor({ users, policies, decisions, keys }: Controls) {
    this.policies = policies.flatMap((policy) =>
      policy.inForceAt === null ? [] : [{ ...policy, inForceAt: policy.inForceAt }],
    );
    this.#users = new Map(users.map((user) => [user.name, user]));
    this.#decisions = decisions;
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  isSoundPolicy({
    version,
    content,
    proposedBy,
    isRestored,
    inForceAt,
  }: ControlHistory['policies'][number]): boolean {
    const before = this.policies.filter((each) => each.version < version).at(-1);
    // Only the owner of the database can restore one.
    if (before === undefined || isRestored) return true;
    const decisions = this.#decisions.filter(({ proposedVersion }) => proposedVersion === version);
    const about = { subject: 'policy', proposedVersion: version, contentHash: sha256(content) };
    return this.#isApproved(decisions, {
      under: before,
      until: inForceAt,
      proposedBy,
      expected: () => about,
    });
  }

  /** By the policy that names the approver, or by approvals of earlier active approvers. */
  isSoundApprover(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    // An appointment does not count where it depends on the approver's own decision.
    this.#known.set(name, false);
    const user = this.#users.get(name);
    const isSound = user !== undefined && user.activeAt !== null && this.#isAppointed(user, user.activeAt);
    this.#known.set(name, isSound);
    return isSound;
  }

  #isAppointed({ name, addedBy }: LedgerUser, activeAt: string): boolean {
    if (this.#isNamed(name)) return true;
    const under = this.policies.filter(({ inForceAt }) => inForceAt <= activeAt).at(-1);
    if (under === undefined) return false;
    const decisions = this.#decisions.filter(({ proposedUser }) => proposedUser === name);
    const expected = ({ statement }: ProposalDecision): ExpectedStatement | null => {
      const key = String(JSON.parse(statement).proposedKey);
      const isOfUser = this.#keys.get(key)?.user === name;
      return isOfUser ? { subject: 'user', proposedUser: name, proposedKey: key } : null;
    };
    return this.#isApproved(decisions, { under, until: activeAt, proposedBy: addedBy, expected });
  }

  /** Named by the first policy that asks for approvals of live batches, or by one that the owner restored. */
  #isNamed(name: string): boolean {
    const first = this.policies.findIndex(({ content }) => strictestOf(policyIn(content), 'live') > 0);
    return this.policies.some(
      ({ content, isRestored }, at) =>
        (isRestored || first === -1 || at <= first) && policyIn(content).approvers.includes(name),
    );
  }

  #isApproved(
    decisions: readonly ProposalDecision[],
    asked: {
      /** The policy that was in force. */
      readonly under: LedgerPolicy;
      readonly until: string;
      readonly proposedBy: string;
      /** Null for a decision about something else. */
      readonly expected: (decision: ProposalDecision) => ExpectedStatement | null;
    },
  ): boolean {
    const { under, until, proposedBy, expected } = asked;
    const needed = strictestOf(policyIn(under.content), 'live');
    const inTime = decisions.filter(({ at }) => at <= until);
    const rejected = inTime.findLastIndex(({ decision }) => decision === 'reject');
    const approving = inTime.slice(rejected + 1).filter((decision) => {
      const about = decision.by === proposedBy ? null : expected(decision);
      return (
        about !== null &&
        this.#wasInOffice(decision) &&
        problemOfDecision(decision, this.#keys, {
          ...about,
          decision: 'approve',
          policy: under.version,
          by: decision.by,
        }) === null
      );
    });
    return new Set(approving.map(({ by }) => by)).size >= needed;
  }

  #wasInOffice({ by, at }: ProposalDecision): boolean {
    const activeAt = this.#users.get(by)?.activeAt ?? null;
    return activeAt !== null && activeAt <= at && this.isSoundApprover(by);
  }
}
