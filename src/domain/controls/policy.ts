/* What a batch needs before it is sent: the policy, its canonical bytes, and what it says in words. */

import type { Kind, Mode } from '../batches/batch.ts';
import type { PayeeChangeCode } from '../rows/finding.ts';
import { durationOption } from '../sending/retry-policy.ts';
import { canonicalJson } from './statement.ts';

/** What batches of a mode and of some kinds need. */
export interface PolicyRule {
  readonly mode: Mode;
  readonly kinds: readonly Kind[];
  /** So many different approvers; with 0 nothing is needed. */
  readonly approvers: number;
  /** From so many rows on; null where their number does not matter. */
  readonly fromRows: number | null;
  /** From such a sum on, a plain decimal by currency. */
  readonly fromSum: Readonly<Record<string, string>>;
  /** Whatever the thresholds; `payee_details_changed` asks for approvals wherever there are thresholds. */
  readonly findings: readonly PayeeChangeCode[];
  /** How long an approval counts. */
  readonly validForInMs: number;
  /** Whether whoever had the batch staged counts as an approver. */
  readonly makerMayApprove: boolean;
  /** Whether approvals may be given in the console. */
  readonly console: boolean;
}

export interface Policy {
  /** Users whom the first policy makes approvers; empty in later ones. */
  readonly approvers: readonly string[];
  readonly rules: readonly PolicyRule[];
}

/** The bytes of a policy: what approvers sign, and what the database reads. */
export function policyContent({ approvers, rules }: Policy): string {
  return canonicalJson({ approvers, rules });
}

/** @param content as `policyContent` wrote it */
export function policyIn(content: string): Policy {
  return JSON.parse(content);
}

/** How many approvers the strictest rule asks for; of one mode where that is named. */
export function strictestOf({ rules }: Policy, mode?: Mode): number {
  const meant = rules.filter((rule) => mode === undefined || rule.mode === mode);
  return Math.max(0, ...meant.map(({ approvers }) => approvers));
}

/** Whether batches of a mode and kind may be approved at the console. */
export function takesConsole({ rules }: Policy, mode: Mode, kind: Kind): boolean {
  return rules.some((rule) => rule.mode === mode && rule.kinds.includes(kind) && rule.console);
}

/** A policy as sentences without full stops, one for each rule, in the order of the policy. */
export function policySentences({ rules }: Policy): readonly string[] {
  return rules.map(sentenceOf);
}

function sentenceOf(rule: PolicyRule): string {
  const batches = `${listed(rule.kinds, 'and')} in ${rule.mode} mode`;
  if (rule.approvers === 0) return `${batches} need no approval`;
  const approvals =
    rule.approvers === 1 ? '1 approval' : `${rule.approvers} approvals of different approvers`;
  const maker = rule.makerMayApprove ? '; whoever prepared the batch may be one of them' : '';
  const console = rule.console ? '; the console may take them' : '';
  return `${batches} need ${approvals}${occasionsOf(rule)}; an approval counts for ${durationOption(rule.validForInMs)}${maker}${console}`;
}

function occasionsOf({ fromRows, fromSum, findings }: PolicyRule): string {
  const sums = Object.entries(fromSum).map(([currency, amount]) => `${amount} ${currency}`);
  const sizes = [...(fromRows === null ? [] : [`${fromRows} ${fromRows === 1 ? 'row' : 'rows'}`]), ...sums];
  if (sizes.length === 0 && findings.length === 0) return '';
  const asking = [...new Set(['payee_details_changed' as const, ...findings])].map((code) => occasions[code]);
  const changed = `when ${listed(asking, 'or')}`;
  return sizes.length === 0 ? ` ${changed}` : ` from ${listed(sizes, 'or')} on, and ${changed}`;
}

const occasions: Readonly<Record<PayeeChangeCode, string>> = {
  payee_details_changed: 'a known payee has other account details',
  account_shared: 'payees share an account',
};

function listed(texts: readonly string[], word: 'and' | 'or'): string {
  if (texts.length < 2) return texts.join();
  return `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}

/** What another policy changes: the sentences that hold no longer, and those that are new. */
export interface PolicyDifference {
  readonly dropped: readonly string[];
  readonly added: readonly string[];
}

/** @param before null where there was no policy */
export function policyDifference(before: Policy | null, after: Policy): PolicyDifference {
  const [old, now] = [before === null ? [] : policySentences(before), policySentences(after)];
  return {
    dropped: old.filter((sentence) => !now.includes(sentence)),
    added: now.filter((sentence) => !old.includes(sentence)),
  };
}
