/*
 * How use cases reach the ledger: whether it is the one that is meant, the named batch, and its
 * environment.
 */

import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import { policyLost } from '../domain/controls/controls.ts';
import { policyHashOf, policyIn } from '../domain/controls/policy.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { say } from '../domain/settings/message.ts';
import type { MachineSettingName, MachineSettings } from '../domain/settings/setting.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { LedgerAccess } from './connections.ts';
import type { CallContext } from './context.ts';
import type { OpenedApi } from './opened-api.ts';

/** The ledger for read-only calls. A standby may be behind its primary: a note says so. */
export async function openToRead({
  connections,
  report,
}: Pick<CallContext, 'connections' | 'report'>): Promise<LedgerAccess> {
  const access = await connections.ledgerToRead();
  const { readOnly } = access;
  if (readOnly?.isStandby === true) {
    const { server, knownUntil } = readOnly;
    report({ kind: 'note', note: { code: 'read_from_standby', server, knownUntil } });
  }
  return access;
}

/**
 * Keys and objects belong to one environment: a batch is never sent in another one, where a used key would create a
 * second object.
 * @throws PaybatchError (`usage`) when the batch is of another mode or API
 */
export function requireSameEnvironment(batch: BatchRecord, { environment }: OpenedApi): void {
  if (batch.mode === environment.mode && batch.origin === environment.origin) return;
  throw new PaybatchError(
    'other_environment',
    `Batch ${shortBatchId(batch.id)} belongs to ${batch.mode} at ${batch.origin}, not to ${environment.mode} at ${environment.origin}.`,
    say`give ${{ setting: 'mode' }} and ${{ setting: 'baseUrl' }} that it was imported with`,
  );
}

/**
 * The batch that a person named.
 * @param named a batch id, or an unambiguous beginning of one, of 4 characters or more
 * @throws PaybatchError (`usage`) when there is none, or more than one
 */
export async function findNamedBatch(verbs: LedgerVerbs, named: string): Promise<BatchRecord> {
  if (!/^[0-9a-f-]{4,36}$/i.test(named)) {
    throw refused(`"${named}" is no batch id: 4 or more of its characters are needed.`);
  }
  const [batch, second] = await verbs.findBatchesByPrefix(named);
  if (batch === undefined) throw refused(`There is no batch ${named} in this ledger.`);
  if (second === undefined) return batch;
  throw refused(
    `More than one batch begins with ${named}: ${shortBatchId(batch.id)}, ${shortBatchId(second.id)}.`,
  );
}

function refused(message: string): PaybatchError {
  const next = { action: 'status', effect: 'lists the batches' } as const;
  return new PaybatchError('batch_not_found', message, next);
}

/**
 * Keys and answers of a live run have to survive a power cut, so its database may not confirm a write before the data is
 * on disk.
 * @throws PaybatchError (`usage`) when `fsync` or `synchronous_commit` is off
 */
export async function requireDurableLedger({ verbs }: LedgerAccess): Promise<void> {
  const { fsync, synchronousCommit } = await verbs.readDurability();
  const off = [...(fsync ? [] : ['fsync']), ...(synchronousCommit ? [] : ['synchronous_commit'])];
  if (off.length === 0) return;
  throw new PaybatchError(
    'database_not_durable',
    `The database has ${off.join(' and ')} off: after a power cut it would not know what was sent.`,
    {
      action: 'advice',
      text: `turn ${off.join(' and ')} on in postgresql.conf`,
      next: { action: 'doctor' },
    },
  );
}

/*
 * Whether a ledger is the one that the deployment means. The policy and everything that was sent stand in the ledger, so an
 * empty one in its place would send everything, without approvals and once more.
 */

type IdentityVerbs = Pick<LedgerVerbs, 'nameLedger' | 'isPolicyLost' | 'readControls'>;

/** What a deployment can state about its ledger. */
interface LedgerIdentity {
  readonly ledgerId: string;
  /** Of the policy in force; null where there is none. */
  readonly policyHash: string | null;
}

/** The name of a ledger, and the hash of the policy that is in force in it. */
async function identityOf(verbs: IdentityVerbs): Promise<LedgerIdentity> {
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
