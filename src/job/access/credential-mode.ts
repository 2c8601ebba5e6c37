import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { ApiTarget } from './api-target.ts';
import { otherModesKey } from './credentials.ts';

/**
 * An API key belongs to one mode, and the API does not say to which: a live key in sandbox mode creates live
 * objects. What this ledger has seen tells.
 * @throws Failure (exit 2) when the key was used in the other mode
 */
export async function requireCredentialOfMode(
  verbs: Pick<LedgerVerbs, 'findCredentialMode'>,
  { credential, environment: { mode } }: ApiTarget,
): Promise<void> {
  const known = await verbs.findCredentialMode(credential);
  if (known === undefined || known === mode) return;
  throw otherModesKey(
    `This API key was used in ${known} mode with this ledger, so it is refused in ${mode} mode.`,
  );
}

/**
 * Notes the mode of a key that the API has taken. One that it refused says nothing: whoever mistook the mode
 * would find the right one closed.
 */
export async function noteCredentialOfMode(
  verbs: Pick<LedgerVerbs, 'findCredentialMode' | 'hasAnsweredBefore' | 'noteCredential'>,
  { credential, environment }: ApiTarget,
): Promise<void> {
  if ((await verbs.findCredentialMode(credential)) !== undefined) return;
  if (await verbs.hasAnsweredBefore(environment)) await verbs.noteCredential(credential, environment.mode);
}
