/* A quick look at the audit trail: the ends of the chains that changed last, and whether the triggers that write it are on. */

import { controlsChain, problemOfEnd } from '../domain/controls/audit.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** What a quick look at the trail found. The whole of it is for `verifyAudit`. */
export interface TrailLook {
  /** How many chains were looked at, and how many of their events. */
  readonly chains: number;
  readonly events: number;
  /** Chains whose end does not fit: ids of batches, or `controls`. */
  readonly broken: readonly string[];
  /** Triggers of the ledger that are switched off, as `table.trigger`. */
  readonly triggersOff: readonly string[];
}

/** So many events at the end of each chain; most batches have fewer. */
const eventsOfEach = 200;

/** @param batches whose chains are looked at, beside that of users, keys and policies */
export async function lookAtTrail(
  verbs: Pick<LedgerVerbs, 'readChainEnds' | 'listTriggersOff'>,
  batches: readonly string[],
): Promise<TrailLook> {
  const ends = await verbs.readChainEnds([...batches, controlsChain], eventsOfEach);
  const broken = ends.filter(({ head, events, last }) => problemOfEnd(head, events, last) !== null);
  return {
    chains: ends.length,
    events: ends.reduce((sum, { last }) => sum + last.length, 0),
    broken: broken.map(({ chain }) => chain),
    triggersOff: await verbs.listTriggersOff(),
  };
}
