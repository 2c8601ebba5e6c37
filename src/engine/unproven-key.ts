/* Whether anything proves that the live key in force is one, for a channel that says so before anything is sent. */

import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { unprovenKeyOf } from '../call/key-of-mode.ts';

/** What is known of the key in force. */
interface UnprovenKey extends CallResult {
  /** The fingerprint of the live key where nothing proves that it is one; null where it is known, and in sandbox mode. */
  readonly unprovenKey: string | null;
}

/**
 * Read only: the API is not asked.
 * @throws PaybatchError (`usage`) when the settings name no API or no key
 */
export async function readUnprovenKey(
  { connections }: CallContext,
  _: Readonly<Record<never, never>>,
): Promise<UnprovenKey> {
  const target = await connections.api();
  const { verbs } = await connections.ledgerToRead();
  return { outcome: 'done', batches: [], failure: null, unprovenKey: await unprovenKeyOf(verbs, target) };
}
