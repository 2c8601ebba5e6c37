/* The policy: the approvals that a batch needs before it is sent, and the check whether its approvers have signed it. */

import type { Kind, Mode } from '../batches/batch.ts';
import type { PayeeChangeCode } from '../rows/finding.ts';
import { listOf } from '../settings/message.ts';
import { durationOption } from '../settings/setting.ts';
import type { Controls, LedgerPolicy, LedgerUser, ProposalDecision } from './controls.ts';
import {
  canonicalJson,
  type ExpectedStatement,
  problemOfDecision,
  type StoredKey,
  sha256,
} from './statement.ts';

/** The size from which on approvals are needed. */
interface Thresholds {
  /** The number of rows from which on approvals are needed; null if the number does not matter. */
  readonly fromRows: number | null;
  /** The sum from which on approvals are needed, a plain decimal by currency. */
  readonly fromSum: Readonly<Record<string, string>>;
}

/** The approvals that batches of a mode and of some kinds need. */
export interface PolicyRule extends Thresholds {
  readonly mode: Mode;
  readonly kinds: readonly Kind[];
  /** The number of different approvers; 0 means that no approval is needed. */
  readonly approvers: number;
  /** The limits for all batches of a kind on one day without approvals; null if days have no limits. */
  readonly perDay: Thresholds | null;
  /**
   * The rule for sums of currencies that `fromSum` does not name, and for recipients and collections without an amount, if
   * `fromSum` names currencies: `approve` requires approvals, `free` does not.
   */
  readonly otherSums: 'approve' | 'free';
  /**
   * Findings that require approvals below the thresholds too. `payee_details_changed` always does if there are thresholds.
   */
  readonly findings: readonly PayeeChangeCode[];
  /** How long an approval is valid. */
  readonly validForInMs: number;
  /** Whether the maker of the batch counts as an approver. */
  readonly makerMayApprove: boolean;
  /** Whether approvals may be given in the console. */
  readonly console: boolean;
}

export interface Policy {
  /** Users whom the first policy makes approvers; empty in later policies. */
  readonly approvers: readonly string[];
  readonly rules: readonly PolicyRule[];
  /** Fingerprints of API keys that are used in sandbox mode at an address of the live API; absent if there are none. */
  readonly sandboxKeys?: readonly string[];
  /** The number of the stop of everything that the policy lifts once it is in force; absent if it lifts none. */
  readonly liftsHalt?: number;
}

/** The bytes of a policy. Approvers sign them, and the database reads them. */
export function policyContent({ approvers, rules, sandboxKeys = [], liftsHalt }: Policy): string {
  return canonicalJson({
    approvers,
    rules,
    ...(sandboxKeys.length === 0 ? {} : { sandboxKeys }),
    liftsHalt,
  });
}

/** @param content a text that `policyContent` wrote */
export function policyIn(content: string): Policy {
  return JSON.parse(content);
}

/** The policy in force; null if there is none. */
export function policyInForceOf(controls: {
  readonly policies: readonly { readonly version: number; readonly content: string }[];
  readonly policyInForce: number | null;
}): Policy | null {
  const inForce = controls.policies.find(({ version }) => version === controls.policyInForce);
  return inForce === undefined ? null : policyIn(inForce.content);
}

/**
 * SHA-256 of a policy's requirements, in hex. It does not include the approvers that the policy names, nor a stop that it
 * lifts, because these concern one moment. A deployment states the hash for a long time.
 */
export function policyHashOf({ rules, sandboxKeys = [] }: Policy): string {
  return sha256(canonicalJson({ rules, sandboxKeys }));
}

/** The number of approvers that the strictest rule requires; with a mode, only rules of that mode count. */
export function strictestOf({ rules }: Policy, mode?: Mode): number {
  const meant = rules.filter((rule) => mode === undefined || rule.mode === mode);
  return Math.max(0, ...meant.map(({ approvers }) => approvers));
}

/** Whether batches of a mode and kind may be approved in the console. */
export function takesConsole({ rules }: Policy, mode: Mode, kind: Kind): boolean {
  return rules.some((rule) => rule.mode === mode && rule.kinds.includes(kind) && rule.console);
}

/** A policy as sentences without full stops, one for each rule, in the order of the policy. */
export function policySentences({ rules, sandboxKeys = [], liftsHalt }: Policy): readonly string[] {
  return [
    ...rules.map(sentenceOf),
    ...sandboxKeys.map(
      (key) => `the API key ${key} may be used in sandbox mode at the address of the live API`,
    ),
    ...(liftsHalt === undefined ? [] : [`halt ${liftsHalt} is lifted: runs send again`]),
  ];
}

function sentenceOf(rule: PolicyRule): string {
  const batches = `${listOf(rule.kinds, 'and')} in ${rule.mode} mode`;
  if (rule.approvers === 0) return `${batches} need no approval`;
  const approvals =
    rule.approvers === 1 ? '1 approval' : `${rule.approvers} approvals of different approvers`;
  const maker = rule.makerMayApprove ? '; the person who prepared the batch may be one of them' : '';
  const console = rule.console ? '; the console may take them' : '';
  return `${batches} need ${approvals}${occasionsOf(rule)}; an approval counts for ${durationOption(rule.validForInMs)}${maker}${console}`;
}

function occasionsOf({ kinds, fromRows, fromSum, perDay, otherSums, findings }: PolicyRule): string {
  const sizes = sizesOf(fromRows, fromSum);
  const ofDay = sizesOf(perDay?.fromRows ?? null, perDay?.fromSum ?? {});
  if (sizes.length + ofDay.length === 0 && findings.length === 0) return '';
  const asking = [...new Set(['payee_details_changed' as const, ...findings])].map((code) => occasions[code]);
  const changed = `when ${listOf(asking, 'or')}`;
  if (sizes.length + ofDay.length === 0) return ` ${changed}`;
  const whens = [
    ...(sizes.length === 0 ? [] : [`from ${listOf(sizes, 'or')} on`]),
    ...(ofDay.length === 0 ? [] : [`once ${listOf(ofDay, 'or')} of one UTC day would be sent without`]),
  ];
  const paying = kinds.filter((kind) => kind === 'recipients' || kind === 'collections');
  const bare = paying.length === 0 ? '' : `, and for ${listOf(paying, 'and')} without an amount`;
  const others = `in any other currency${bare}`;
  const hasSums = Object.keys({ ...fromSum, ...perDay?.fromSum }).length > 0;
  const rest = !hasSums ? '' : otherSums === 'free' ? `, not ${others}` : `, ${others}`;
  return ` ${listOf(whens, 'or')}${rest}, and ${changed}`;
}

function sizesOf(rows: number | null, sums: Readonly<Record<string, string>>): readonly string[] {
  const amounts = Object.entries(sums).map(([currency, amount]) => `${amount} ${currency}`);
  return rows === null ? amounts : [`${rows} ${rows === 1 ? 'row' : 'rows'}`, ...amounts];
}

const occasions: Readonly<Record<PayeeChangeCode, string>> = {
  payee_details_changed: 'a known payee has other account details',
  account_shared: 'payees share an account',
};

/** The changes by another policy: the sentences that are no longer valid, and the new sentences. */
export interface PolicyDifference {
  readonly dropped: readonly string[];
  readonly added: readonly string[];
}

/** @param before the earlier policy; null if there was none */
export function policyDifference(before: Policy | null, after: Policy): PolicyDifference {
  const [old, now] = [before === null ? [] : policySentences(before), policySentences(after)];
  return {
    dropped: old.filter((sentence) => !now.includes(sentence)),
    added: now.filter((sentence) => !old.includes(sentence)),
  };
}

/*
 * The check whether approvers have signed the policy in force and the appointments of active approvers. The database counts
 * decisions, but cannot check their signatures.
 */

/** The policies in force and active approvers without the signed approvals that they need. */
type UnsoundControl =
  | { readonly what: 'policy'; readonly version: number }
  | { readonly what: 'approver'; readonly name: string };

/** @returns the first policy, or else the first active approver, without the required approvals; null if there is none */
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
  /** The policies that were ever put into force, in that order. */
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
    // Only the owner of the database can restore a policy.
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

  /** Whether the approver was named by the policy, or approved by earlier active approvers. */
  isSoundApprover(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    // An appointment does not count if it depends on the approver's own decision.
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

  /**
   * Whether the approver was named by the first policy that requires approvals for live batches, or by a policy that the
   * owner restored.
   */
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
      /** The policy that was in force at the time of the decision. */
      readonly under: LedgerPolicy;
      readonly until: string;
      readonly proposedBy: string;
      /** What the statement of a decision has to contain; null for a decision about something else. */
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
