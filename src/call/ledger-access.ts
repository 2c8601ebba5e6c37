/*
 * Checks before a call works with a ledger, an API key or a batch: whether they are the intended ones. Also finds the batch
 * that a person has named.
 */

import { type BatchRecord, type Environment, shortBatchId } from '../domain/batches/batch.ts';
import { policyLost } from '../domain/controls/controls.ts';
import { policyHashOf, policyInForceOf } from '../domain/controls/policy.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import { canonicalOrigin, isLoopbackUrl } from '../domain/machine/addresses.ts';
import { say } from '../domain/settings/message.ts';
import type { MachineSettingName, MachineSettings } from '../domain/settings/setting.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { LedgerAccess } from './connections.ts';
import type { CallContext, Question } from './context.ts';
import type { OpenedApi } from './opened-api.ts';
import { otherModesKey } from './settings.ts';

/*
 * Whether an API key may be used in the current mode and at the current address. The API has one address for both modes and
 * does not say to which mode a key belongs. So this is decided by the ledger's knowledge and a person's answer.
 */

type AskingContext = Pick<CallContext, 'ask' | 'connections'>;
type KeyVerbs = Pick<LedgerVerbs, 'readKeyUses' | 'findLiveOrigins' | 'readControls'>;
type UsedKey = Pick<OpenedApi, 'credential' | 'environment' | 'isBuiltIn'>;

/** The result for a key that may be used. */
interface CheckedKey {
  /** Whether the API has never accepted the key according to this ledger. */
  readonly isNew: boolean;
}

/**
 * Checks a key before any request is sent with it.
 * @throws PaybatchError (`api_key_of_other_mode`) when it was used in the other mode; (`mode_contradicts`) in sandbox mode
 *   at an address that is known as live, unless the key is known to be a sandbox key; (`key_at_new_address`) at an address
 *   where this key was never used, unless a person agrees
 */
export async function requireKeyOfMode(
  app: AskingContext,
  verbs: KeyVerbs,
  { credential, environment, isBuiltIn }: UsedKey,
): Promise<CheckedKey> {
  const { mode, origin } = environment;
  const known = await verbs.readKeyUses(credential);
  if (known.mode !== null && known.mode !== mode) {
    throw otherModesKey(
      `This API key was used in ${known.mode} mode with this ledger, so it is refused in ${mode} mode.`,
    );
  }
  const checked = { isNew: known.mode === null };
  if (isBuiltIn) return checked;
  const isHere = isSameAs(origin);
  if (known.origins.some(isHere)) return checked;
  const question = { environment, fingerprint: credential };
  if (mode === 'sandbox' && (await verbs.findLiveOrigins()).some(isHere)) {
    const isListed = await isSandboxKey(verbs, credential);
    if (isListed === false) throw modeContradicts(environment, policyListsKeys(credential));
    if (isListed === null) {
      await requireYes(app, { kind: 'sandbox_at_live', ...question }, () =>
        modeContradicts(environment, personConfirms),
      );
    }
  } else if (known.origins.length > 0 && !isTestAddress(environment)) {
    const { origins } = known;
    await requireYes(app, { kind: 'new_address', ...question, origins }, () =>
      newAddress(environment, origins),
    );
  }
  return checked;
}

/**
 * The fingerprint of the live key in force if nothing proves that it is a live key: no person has compared it, and the API
 * has never accepted it with this ledger. Otherwise null.
 */
export async function unprovenKeyOf(
  verbs: Pick<LedgerVerbs, 'readKeyUses'>,
  { credential, environment, isKeyCompared }: Pick<OpenedApi, 'credential' | 'environment' | 'isKeyCompared'>,
): Promise<string | null> {
  if (environment.mode !== 'live' || isKeyCompared) return null;
  return (await verbs.readKeyUses(credential)).mode === null ? credential : null;
}

function isSameAs(origin: string): (other: string) => boolean {
  const place = canonicalOrigin(origin);
  return (other) => canonicalOrigin(other) === place;
}

/** Whether an address is for tests on this machine. Such an API may have another port in each run. */
function isTestAddress({ mode, origin }: Environment): boolean {
  return mode === 'sandbox' && URL.canParse(origin) && isLoopbackUrl(new URL(canonicalOrigin(origin)));
}

/** Whether the policy in force lists a key as a sandbox key; null if no policy is in force. */
async function isSandboxKey(verbs: KeyVerbs, fingerprint: string): Promise<boolean | null> {
  const policy = policyInForceOf(await verbs.readControls());
  return policy === null ? null : (policy.sandboxKeys ?? []).includes(fingerprint);
}

type KeyQuestion = Extract<Question, { readonly kind: 'sandbox_at_live' | 'new_address' }>;

/** Asks a person once per engine. After the API has accepted the key, the ledger knows it, and no question is needed. */
async function requireYes(
  { ask, connections }: AskingContext,
  question: KeyQuestion,
  refusal: () => PaybatchError,
): Promise<void> {
  if (connections.agreedKeys.has(question.fingerprint)) return;
  if ((await ask(question)) !== 'yes') throw refusal();
  connections.agreedKeys.add(question.fingerprint);
}

function modeContradicts({ origin }: Environment, next: Remedies): PaybatchError {
  return new PaybatchError(
    'mode_contradicts',
    say`${{ origin }} is known as live in this ledger, and nothing says that this API key is a sandbox key. With a live key, sandbox mode would create live objects without any approval. Nothing was sent.`,
    next,
  );
}

const personConfirms: Remedies = say`check ${{ setting: 'mode' }} and the key; if it is the sandbox key, run the command on a terminal, where a person can confirm that`;

function policyListsKeys(fingerprint: string): Remedies {
  return say`check ${{ setting: 'mode' }} and the key; if it is the sandbox key, have its fingerprint ${fingerprint} added to "sandboxKeys" of the policy (docs/controls.md)`;
}

function newAddress({ mode, origin }: Environment, origins: readonly string[]): PaybatchError {
  const [before = ''] = origins;
  return new PaybatchError(
    'key_at_new_address',
    say`This API key was used in ${mode} mode at ${{ origin: before }} with this ledger, and never at ${{ origin }}. What was created there would be created again. Nothing was sent.`,
    say`check ${{ setting: 'baseUrl' }}; if the API has moved, run the command on a terminal, where a person can confirm that`,
  );
}

/**
 * Records the mode and the address of a key that the API has accepted. A refused key is not recorded: if the mode was a
 * mistake, the right mode would be blocked later.
 * @param batchId a batch that was sent with this key
 */
export async function noteKeyAccepted(
  verbs: Pick<LedgerVerbs, 'readKeyUses' | 'noteCredential'>,
  { credential, environment, isKeyCompared: isCompared }: OpenedApi,
  batchId: string,
): Promise<void> {
  if ((await verbs.readKeyUses(credential)).origins.includes(environment.origin)) return;
  await verbs.noteCredential(credential, { batchId, isCompared });
}

/** The ledger for read-only calls. A standby may be behind its primary; a note reports that. */
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
 * Checks that a batch belongs to the current environment. A batch is never sent in another environment: its keys are
 * unknown there, so a second object would be created.
 * @throws PaybatchError (`usage`) when the batch belongs to another mode or API
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
 * @throws PaybatchError (`usage`) when no batch has this id, or several batches have this beginning
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
 * Checks that the database is durable. Keys and answers of a live run have to survive a power failure, so its database must
 * not confirm a write before the data is on disk.
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
 * Whether a ledger is the one that the deployment intends. The policy and all results are in the ledger. If an empty ledger
 * took its place, everything would be sent again, without approvals.
 */

type IdentityVerbs = Pick<LedgerVerbs, 'nameLedger' | 'isPolicyLost' | 'readControls'>;

/** The values that a deployment can state about its ledger. */
interface LedgerIdentity {
  readonly ledgerId: string;
  /** The hash of the policy in force; null if no policy is in force. */
  readonly policyHash: string | null;
}

/** Reads the id of a ledger, and the hash of its policy in force. */
async function identityOf(verbs: IdentityVerbs): Promise<LedgerIdentity> {
  const ledgerId = await verbs.nameLedger();
  const policy = policyInForceOf(await verbs.readControls());
  return { ledgerId, policyHash: policy === null ? null : policyHashOf(policy) };
}

/**
 * Checks a ledger before a live key is used with it.
 * @throws PaybatchError (`ledger_differs`), (`policy_differs`) if it differs from what the settings of this machine state;
 *   (`policy_lost`) if live batches were recovered into it and no person has restored or waived the policy
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
    const set =
      policyHash === null
        ? say`unset ${{ setting: 'policyHash' }}`
        : say`set ${{ setting: 'policyHash' }} to ${policyHash}`;
    throw new PaybatchError(
      'policy_differs',
      say`This ledger ${has}, and ${{ setting: 'policyHash' }} is ${statedPolicy}. Nothing was sent.`,
      say`look at the policy in force; if approvers have changed it, ${set}`,
    );
  }
  return identity;
}

/** The value of a setting in a normalised spelling; null if it is not set. */
export function statedIn(
  machine: MachineSettings,
  setting: Extract<MachineSettingName, 'ledgerId' | 'policyHash'>,
): string | null {
  const stated = (machine[setting] ?? '').trim().toLowerCase();
  return stated === '' ? null : stated;
}
