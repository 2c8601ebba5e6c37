/* Restoring a policy where nobody is left who can approve one: the owner of the database alone can. */

import type { Actor } from '../call/context.ts';
import { activeApprovers } from '../domain/controls/controls.ts';
import { policyContent, strictestOf } from '../domain/controls/policy.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { invalid, readPolicyFile } from './policy-file.ts';
import { orUnmeetable, requireUsers } from './proposed-policy.ts';

/**
 * Puts the policy of a file into force, with the approvers that it names.
 * @param by who does it, for the trail
 * @returns its version
 * @throws PaybatchError (`restore_refused`) where enough approvers are in office; (`policy_invalid`)
 */
export async function restorePolicy(verbs: LedgerVerbs, file: string, by: Actor): Promise<number> {
  const { approvers, rules } = readPolicyFile(file);
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
    throw invalid(
      file,
      `asks for ${needed} approvers, and ${able} could approve: name them, and add them first`,
    );
  }
  const content = policyContent({ approvers: named, rules });
  return orUnmeetable(file, () => verbs.restorePolicy({ content, by }));
}
