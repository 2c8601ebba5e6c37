/* What a proposed policy has to be beside a well-formed one: that the users of the ledger can meet it. */

import { activeApprovers, type Controls } from '../domain/controls/controls.ts';
import { type Policy, policyIn, strictestOf } from '../domain/controls/policy.ts';
import type { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { invalid, type StatedPolicy } from './policy-file.ts';

/**
 * A policy with its approvers: those it names where it is the first one that asks for approvals of live batches, none in later
 * ones, since approvers are appointed one by one then.
 * @param file as messages name it
 * @throws PaybatchError (`policy_invalid`) where it names others, or too few can approve
 */
export function completePolicy({ approvers, rules }: StatedPolicy, controls: Controls, file: string): Policy {
  const active = activeApprovers(controls).map(({ name }) => name);
  const strictest = strictestOf({ approvers: [], rules });
  const isFirst = !hasEverAsked(controls);
  if (isFirst) requireUsers(approvers ?? [], controls, file);
  else if (approvers !== null && !isSame(approvers, active)) {
    throw invalid(
      file,
      `names other approvers than those in office (${active.join(', ')}): approvers are added one by one, and approved; leave "approvers" out`,
    );
  }
  const able = isFirst ? new Set([...active, ...(approvers ?? [])]).size : active.length;
  if (isFirst && strictest > 0 && approvers === null && able < strictest) {
    throw invalid(file, 'is the first one, and has to name its approvers: "approvers": ["NAME", "NAME"]');
  }
  if (able < strictest) throw tooFew(file, strictest, able);
  return { approvers: isFirst ? (approvers ?? []) : [], rules };
}

/** Approvers are in office by a policy that asks for approvals of live batches. */
function hasEverAsked({ policies }: Controls): boolean {
  return policies.some(
    ({ inForceAt, content }) => inForceAt !== null && strictestOf(policyIn(content), 'live') > 0,
  );
}

/** @throws PaybatchError (`policy_invalid`) for a name that no approver has */
export function requireUsers(names: readonly string[], { users }: Controls, file: string): void {
  for (const [at, name] of names.entries()) {
    const user = users.find((each) => each.name === name);
    if (user === undefined) throw invalid(file, `names "${name}" as an approver, and there is no such user`);
    if (user.role !== 'approver') throw invalid(file, `names "${name}" as an approver, who is ${user.role}`);
    if (user.lockedAt !== null) throw invalid(file, `names "${name}" as an approver, who is locked`);
    if (names.indexOf(name) !== at) throw invalid(file, `names "${name}" twice`);
  }
}

function isSame(names: readonly string[], active: readonly string[]): boolean {
  return new Set(names).size === active.length && active.every((name) => names.includes(name));
}

function tooFew(file: string, needed: number, able: number): PaybatchError {
  return invalid(file, `asks for ${needed} approvers, and ${able} could approve`);
}

/** Puts a policy into force, or tells that approvers were locked meanwhile. @throws PaybatchError (`policy_invalid`) */
export async function orUnmeetable<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'enough_approvers') {
      throw invalid(file, 'asks for more approvers than can approve now');
    }
    throw error;
  }
}
