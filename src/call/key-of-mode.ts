/*
 * Whether an API key may be used in the mode and at the address in force. The API has one address for both modes and does
 * not say of which mode a key is, so the ledger's knowledge and a person's word have to.
 */

import { canonicalOrigin, type Environment, isLoopbackUrl } from '../domain/batches/batch.ts';
import { policyIn } from '../domain/controls/policy.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import { type Message, say } from '../domain/settings/message.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { CallContext, Question } from './context.ts';
import type { OpenedApi } from './opened-api.ts';
import { otherModesKey } from './settings.ts';

type AskingContext = Pick<CallContext, 'ask' | 'connections'>;
type KeyVerbs = Pick<LedgerVerbs, 'readKeyUses' | 'findLiveOrigins' | 'readControls'>;
type UsedKey = Pick<OpenedApi, 'credential' | 'environment' | 'isBuiltIn'>;

/** What is known of a key that may be used. */
interface CheckedKey {
  /** Whether this ledger has never seen the API accept it. */
  readonly isNew: boolean;
}

/**
 * Checks a key before anything is sent with it.
 * @throws PaybatchError (`api_key_of_other_mode`) when it was used in the other mode; (`mode_contradicts`) in sandbox mode
 *   at an address that is known as live, unless the key is known to be a sandbox one; (`key_at_new_address`) at an address
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
 * The fingerprint of the live key in force where nothing proves that it is one: nobody has compared it, and with this ledger
 * the API has never accepted it. Null otherwise.
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

/** An API for tests on this machine has another port from run to run. */
function isTestAddress({ mode, origin }: Environment): boolean {
  return mode === 'sandbox' && URL.canParse(origin) && isLoopbackUrl(new URL(canonicalOrigin(origin)));
}

/** Whether the policy in force lists a key as a sandbox one; null where there is no policy. */
async function isSandboxKey(verbs: KeyVerbs, fingerprint: string): Promise<boolean | null> {
  const { policies, policyInForce } = await verbs.readControls();
  const inForce = policies.find(({ version }) => version === policyInForce);
  return inForce === undefined ? null : (policyIn(inForce.content).sandboxKeys ?? []).includes(fingerprint);
}

type KeyQuestion = Extract<Question, { readonly kind: 'sandbox_at_live' | 'new_address' }>;

/** Asks a person once; the answer counts until the API has accepted the key, or the engine is closed. */
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
  const text: Message = say`check ${{ setting: 'mode' }} and the key; if it is the sandbox key, have its fingerprint ${fingerprint} added to "sandboxKeys" of the policy (docs/controls.md)`;
  return text;
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
 * Records the mode and the address of a key that the API has accepted. A refused key is not recorded: after a mistaken
 * mode, the right one would be blocked.
 * @param batchId of a batch that was sent under it
 */
export async function noteKeyAccepted(
  verbs: Pick<LedgerVerbs, 'readKeyUses' | 'noteCredential'>,
  { credential, environment, isKeyCompared: isCompared }: OpenedApi,
  batchId: string,
): Promise<void> {
  if ((await verbs.readKeyUses(credential)).origins.includes(environment.origin)) return;
  await verbs.noteCredential(credential, { batchId, isCompared });
}
