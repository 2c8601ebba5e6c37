/* Stops everything: no run on any host begins another request, until a person who may change the policy lifts the stop. */

import { type CallResult, noBatches } from '../account/result.ts';
import { keyLifetimeFor } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { asKnownFailure } from '../call/start.ts';
import { provenManager } from '../controls/user-key.ts';
import {
  type Controls,
  type DoubtsOfHalt,
  type Halt,
  type HaltInForce,
  waitingPolicies,
} from '../domain/controls/controls.ts';
import { policyContent, policyIn, policyInForceOf } from '../domain/controls/policy.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { say } from '../domain/settings/message.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/**
 * The request to stop everything or to lift the stop. Without either, the call only reports whether everything is stopped.
 */
interface HaltRequest {
  /** Why everything is to be stopped. */
  readonly note?: string | undefined;
  /** Whether the stop in force is to be lifted. */
  readonly isLifted?: boolean | undefined;
}

/** The state after the call. */
export interface HaltResult extends CallResult {
  /** Null where nothing is stopped. */
  readonly halt: Halt | null;
  /** The change that this call has made. */
  readonly did: 'nothing' | 'halted' | 'lifted' | 'proposed';
  /** Version of the proposed policy that lifts the stop once it is approved; null if no such policy waits. */
  readonly liftedBy: number | null;
  /** Null where no row is in doubt, or nothing is stopped. */
  readonly inDoubt: DoubtsOfHalt | null;
}

/**
 * Stops everything, lifts the stop, or reports the state. A second stop changes nothing. If a change of the policy needs
 * approvals, lifting the stop needs them too: it is proposed as a policy with the same rules.
 * @throws PaybatchError as `provenManager` does, when the stop is lifted
 */
export async function halt(app: CallContext, { note, isLifted = false }: HaltRequest): Promise<HaltResult> {
  const { verbs } = await app.connections.ledger();
  const did = isLifted ? await lift(app, verbs) : await begin(app, verbs, note);
  const { halt, liftedBy, inDoubt } =
    (await readHaltInForce(app, verbs).catch((error: unknown) => {
      throw did === 'nothing' ? error : afterChange(did, error);
    })) ?? nothingHalted;
  return { ...noBatches, halt, did, liftedBy, inDoubt };
}

const changes: Readonly<Record<Exclude<HaltResult['did'], 'nothing'>, string>> = {
  halted: 'Everything is halted: no run begins another request.',
  lifted: 'Lifted: runs send again.',
  proposed: 'The version of the policy that lifts the halt is proposed.',
};

/**
 * The failure after a change that was made. A person who stops everything has to know that it is done, even if the state
 * after it cannot be read.
 */
function afterChange(did: keyof typeof changes, error: unknown): PaybatchError {
  const known = asKnownFailure(error);
  const said = say`${changes[did]} How it stands could not be read. ${known.said}`;
  return new PaybatchError(known.code, said, known.remedies, { kind: known.kind, cause: error });
}

const nothingHalted = { halt: null, liftedBy: null, inDoubt: null } as const;

const longestNote = 1_000;

async function begin(
  { actor }: CallContext,
  verbs: LedgerVerbs,
  text: string | undefined,
): Promise<HaltResult['did']> {
  if (text === undefined) return 'nothing';
  const note = text.trim();
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
  const inForce = policyInForceOf(controls);
  if (inForce === null || controls.approvalsNeeded === 0) {
    await verbs.endHalt({ id: standing.id, by });
    return 'lifted';
  }
  if (liftingVersion(controls, standing) !== null) return 'nothing';
  const policy = { ...inForce, approvers: [], liftsHalt: standing.id };
  await verbs.proposePolicy({ content: policyContent(policy), by });
  return 'proposed';
}

/* Reads the stop that is in force, the rows that it leaves in doubt, and the policy that lifts it. */

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

/** The version of the newest proposed policy that lifts a stop; null if no such policy waits. */
function liftingVersion(controls: Controls, { id }: Halt): number | null {
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
