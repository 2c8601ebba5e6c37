/* The approvals that a batch needs before it is sent: the policy, its canonical bytes, and its rules in words. */

import type { Kind, Mode } from '../batches/batch.ts';
import type { PayeeChangeCode } from '../rows/finding.ts';
import { listOf } from '../settings/message.ts';
import { durationOption } from '../settings/setting.ts';
import { canonicalJson, sha256 } from './statement.ts';

/** From so many rows, or such a sum of a currency, on one day on, counted over what was sent on it without approvals. */
interface DayThresholds {
  readonly fromRows: number | null;
  readonly fromSum: Readonly<Record<string, string>>;
}

/** The approvals that batches of a mode and of some kinds need. */
export interface PolicyRule {
  readonly mode: Mode;
  readonly kinds: readonly Kind[];
  /** This many different approvers; with 0 no approval is needed. */
  readonly approvers: number;
  /** From this many rows on; null where their number does not matter. */
  readonly fromRows: number | null;
  /** From this sum on, a plain decimal by currency. */
  readonly fromSum: Readonly<Record<string, string>>;
  /** What batches of a kind may add up to on one day without approvals; null where days are not counted. */
  readonly perDay: DayThresholds | null;
  /**
   * What holds, where `fromSum` names currencies, for sums of other ones, and for recipients and collections without an
   * amount: `approve` needs approvals, `free` needs none.
   */
  readonly otherSums: 'approve' | 'free';
  /** Findings that need approvals below the thresholds too; `payee_details_changed` applies wherever thresholds exist. */
  readonly findings: readonly PayeeChangeCode[];
  /** How long an approval is valid. */
  readonly validForInMs: number;
  /** Whether the maker of the batch counts as an approver. */
  readonly makerMayApprove: boolean;
  /** Whether approvals may be given in the console. */
  readonly console: boolean;
}

export interface Policy {
  /** Users whom the first policy makes approvers; empty in later ones. */
  readonly approvers: readonly string[];
  readonly rules: readonly PolicyRule[];
  /** Fingerprints of API keys that are used in sandbox mode at an address of the live API; none when absent. */
  readonly sandboxKeys?: readonly string[];
  /** Number of the stop of everything that it lifts once it is in force; none when absent. */
  readonly liftsHalt?: number;
}

/** The bytes of a policy: approvers sign them, and the database reads them. */
export function policyContent({ approvers, rules, sandboxKeys = [], liftsHalt }: Policy): string {
  return canonicalJson({
    approvers,
    rules,
    ...(sandboxKeys.length === 0 ? {} : { sandboxKeys }),
    liftsHalt,
  });
}

/** @param content as `policyContent` wrote it */
export function policyIn(content: string): Policy {
  return JSON.parse(content);
}

/**
 * SHA-256 of what a policy asks for, in hex. Approvers that it names, and a stop that it lifts, are not in it: they concern one
 * moment, and a deployment states the hash for long.
 */
export function policyHashOf({ rules, sandboxKeys = [] }: Policy): string {
  return sha256(canonicalJson({ rules, sandboxKeys }));
}

/** How many approvers the strictest rule asks for; only rules of a mode where one is named. */
export function strictestOf({ rules }: Policy, mode?: Mode): number {
  const meant = rules.filter((rule) => mode === undefined || rule.mode === mode);
  return Math.max(0, ...meant.map(({ approvers }) => approvers));
}

/** Whether batches of a mode and kind may be approved at the console. */
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
  const maker = rule.makerMayApprove ? '; whoever prepared the batch may be one of them' : '';
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

/** What another policy changes: the sentences that no longer hold, and the new ones. */
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
