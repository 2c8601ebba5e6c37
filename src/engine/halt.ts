/* Stops everything: no run on any host begins a request any more, until somebody who may change the policy lifts that. */

import type { CallResult } from '../account/result.ts';
import { keyLifetimeFor } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { provenManager } from '../controls/deciding.ts';
import { type Controls, type Halt, waitingPolicies } from '../domain/controls/controls.ts';
import { policyContent, policyIn } from '../domain/controls/policy.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** What is asked: to stop everything, to lift that, or, without either, how it stands. */
interface HaltRequest {
  /** Why everything is to be stopped. */
  readonly note?: string | undefined;
  /** Whether the stop in force is to be lifted. */
  readonly isLifted?: boolean | undefined;
}

/** The rows in doubt of the ledger: while nothing is sent, each is held once its key is too old. Times are ISO 8601, UTC. */
interface DoubtsOfHalt {
  readonly rows: number;
  readonly firstHeldAt: string;
  readonly lastHeldAt: string;
}

/** How it stands after the call. */
export interface HaltResult extends CallResult {
  /** Null where nothing is stopped. */
  readonly halt: Halt | null;
  /** What this call has done. */
  readonly did: 'nothing' | 'halted' | 'lifted' | 'proposed';
  /** Version of the policy that lifts the stop once it is approved; null where none waits. */
  readonly liftedBy: number | null;
  /** Null where no row is in doubt, or nothing is stopped. */
  readonly inDoubt: DoubtsOfHalt | null;
}

/**
 * Stops everything, lifts that, or says how it stands. A second stop changes nothing. Where a change of the policy needs
 * approvals, lifting does too: it is a proposed policy with the same rules.
 * @throws PaybatchError as `provenManager` does, when it is lifted
 */
export async function halt(app: CallContext, { note, isLifted = false }: HaltRequest): Promise<HaltResult> {
  const { verbs } = await app.connections.ledger();
  const did = isLifted ? await lift(app, verbs) : await begin(app, verbs, note);
  const standing = await verbs.readHalt();
  return {
    outcome: 'done',
    batches: [],
    failure: null,
    halt: standing,
    did,
    liftedBy: standing === null ? null : liftingVersion(await verbs.readControls(), standing),
    inDoubt: standing === null ? null : await doubtsIn(app, verbs),
  };
}

const longestNote = 1_000;

async function begin(
  { actor }: CallContext,
  verbs: LedgerVerbs,
  given: string | undefined,
): Promise<HaltResult['did']> {
  if (given === undefined) return 'nothing';
  const note = given.trim();
  if (note === '' || note.length > longestNote) {
    throw new PaybatchError(
      'usage',
      `Everything is halted with a note that says why, of ${longestNote} characters at most. Nothing was changed.`,
      { action: 'set', oneOf: [{ setting: 'note' }] },
    );
  }
  return (await verbs.beginHalt({ note, by: actor })) ? 'halted' : 'nothing';
}

async function lift(app: CallContext, verbs: LedgerVerbs): Promise<HaltResult['did']> {
  const standing = await verbs.readHalt();
  if (standing === null) return 'nothing';
  const controls = await verbs.readControls();
  const manager = await provenManager(app, controls, true);
  const by = manager?.actor ?? app.actor;
  const inForce = controls.policies.find(({ version }) => version === controls.policyInForce);
  if (inForce === undefined || controls.approvalsNeeded === 0) {
    await verbs.endHalt({ id: standing.id, by });
    return 'lifted';
  }
  if (liftingVersion(controls, standing) !== null) return 'nothing';
  const policy = { ...policyIn(inForce.content), approvers: [], liftsHalt: standing.id };
  await verbs.proposePolicy({ content: policyContent(policy), by });
  return 'proposed';
}

/** The newest proposed policy that lifts a stop; null where there is none. */
function liftingVersion(controls: Controls, { id }: Halt): number | null {
  const lifting = waitingPolicies(controls).filter(({ content }) => policyIn(content).liftsHalt === id);
  return lifting.at(-1)?.version ?? null;
}

async function doubtsIn(app: CallContext, verbs: LedgerVerbs): Promise<DoubtsOfHalt | null> {
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
