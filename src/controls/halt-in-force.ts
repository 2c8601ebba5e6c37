/* Reads the stop of everything that is in force, with what it costs and what lifts it. */

import { keyLifetimeFor } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import {
  type Controls,
  type DoubtsOfHalt,
  type Halt,
  type HaltInForce,
  waitingPolicies,
} from '../domain/controls/controls.ts';
import { policyIn } from '../domain/controls/policy.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** The stop in force; null where nothing is stopped. */
export async function readHaltInForce(
  app: Pick<CallContext, 'settings'>,
  verbs: Pick<LedgerVerbs, 'readHalt' | 'readControls' | 'readAllDoubts'>,
): Promise<HaltInForce | null> {
  const halt = await verbs.readHalt();
  if (halt === null) return null;
  const liftedBy = liftingVersion(await verbs.readControls(), halt);
  return { halt, liftedBy, inDoubt: await doubtsIn(app, verbs) };
}

/** The newest proposed policy that lifts a stop; null where there is none. */
export function liftingVersion(controls: Controls, { id }: Halt): number | null {
  const lifting = waitingPolicies(controls).filter(({ content }) => policyIn(content).liftsHalt === id);
  return lifting.at(-1)?.version ?? null;
}

async function doubtsIn(
  app: Pick<CallContext, 'settings'>,
  verbs: Pick<LedgerVerbs, 'readAllDoubts'>,
): Promise<DoubtsOfHalt | null> {
  const doubts = (await verbs.readAllDoubts()).map(({ mode, rows, oldest, newest }) => {
    const { durationInMs } = keyLifetimeFor(app, mode);
    return { rows, first: oldest.getTime() + durationInMs, last: newest.getTime() + durationInMs };
  });
  if (doubts.length === 0) return null;
  return {
    rows: doubts.reduce((sum, { rows }) => sum + rows, 0),
    firstHeldAt: new Date(Math.min(...doubts.map(({ first }) => first))).toISOString(),
    lastHeldAt: new Date(Math.max(...doubts.map(({ last }) => last))).toISOString(),
  };
}
