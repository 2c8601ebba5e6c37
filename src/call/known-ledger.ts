/*
 * Whether a ledger is the one that the deployment means. The policy and everything that was sent stand in the ledger, so an
 * empty one in its place would send everything, without approvals and once more.
 */

import { policyLost } from '../domain/controls/controls.ts';
import { policyHashOf, policyIn } from '../domain/controls/policy.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { say } from '../domain/settings/message.ts';
import type { MachineSettingName, MachineSettings } from '../domain/settings/setting.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

type IdentityVerbs = Pick<LedgerVerbs, 'nameLedger' | 'isPolicyLost' | 'readControls'>;

/** What a deployment can state about its ledger. */
export interface LedgerIdentity {
  readonly ledgerId: string;
  /** Of the policy in force; null where there is none. */
  readonly policyHash: string | null;
}

/** The name of a ledger, and the hash of the policy that is in force in it. */
export async function identityOf(verbs: IdentityVerbs): Promise<LedgerIdentity> {
  const ledgerId = await verbs.nameLedger();
  const { policies, policyInForce } = await verbs.readControls();
  const inForce = policies.find(({ version }) => version === policyInForce);
  return { ledgerId, policyHash: inForce === undefined ? null : policyHashOf(policyIn(inForce.content)) };
}

/**
 * Checks a ledger before a live key is used with it.
 * @throws PaybatchError (`ledger_differs`), (`policy_differs`) where it is not what the settings of this machine state;
 *   (`policy_lost`) where live batches were recovered into it and nobody has restored or waived the policy
 */
export async function requireKnownLedger(
  verbs: IdentityVerbs,
  machine: MachineSettings,
): Promise<LedgerIdentity> {
  const identity = await identityOf(verbs);
  const { ledgerId, policyHash } = identity;
  const stated = statedIn(machine, 'ledgerId');
  if (stated !== null && stated !== ledgerId) {
    throw new PaybatchError(
      'ledger_differs',
      say`This is the ledger ${ledgerId}, and ${{ setting: 'ledgerId' }} is ${stated}. Another ledger knows neither the policy nor what was sent. Nothing was sent.`,
      say`check ${{ setting: 'databaseUrl' }}; if the ledger was replaced, set ${{ setting: 'ledgerId' }} to ${ledgerId}`,
    );
  }
  if (await verbs.isPolicyLost()) throw policyLost();
  const statedPolicy = statedIn(machine, 'policyHash');
  if (statedPolicy !== null && statedPolicy !== policyHash) {
    const has = policyHash === null ? 'has no policy in force' : `has a policy with the hash ${policyHash}`;
    const set = policyHash === null ? say`unset ${{ setting: 'policyHash' }}` : setHash(policyHash);
    throw new PaybatchError(
      'policy_differs',
      say`This ledger ${has}, and ${{ setting: 'policyHash' }} is ${statedPolicy}. Nothing was sent.`,
      say`look at the policy in force; if approvers have changed it, ${set}`,
    );
  }
  return identity;
}

function setHash(hash: string): ReturnType<typeof say> {
  return say`set ${{ setting: 'policyHash' }} to ${hash}`;
}

/** What a setting states, in one spelling; null where it is not set. */
export function statedIn(
  machine: MachineSettings,
  setting: Extract<MachineSettingName, 'ledgerId' | 'policyHash'>,
): string | null {
  const stated = (machine[setting] ?? '').trim().toLowerCase();
  return stated === '' ? null : stated;
}
