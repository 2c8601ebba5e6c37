/* Who holds a batch: a run that was begun, and is kept alive. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerAccess } from '../call/connections.ts';
import type { Actor, CallContext } from '../call/context.ts';
import { findNamedBatch, requireDurableLedger } from '../call/ledger-access.ts';
import { asFailure } from '../call/start.ts';
import type { BatchRecord, LeasedBatch } from '../domain/batches/batch.ts';
import type { RunRecord } from '../domain/batches/run.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { compareKinds } from '../kinds/registry.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { requireLedgerOfLogs } from '../recover/batch-logs.ts';
import { keepLeases, type Leases, leaseInMs } from './lease.ts';

/** How a batch is held. */
export interface Holding {
  readonly command: string;
  /** Who starts the run: the maker of staged batches. */
  readonly actor: Pick<Actor, 'name' | 'door'>;
  /** Whether other runs may hold the batch as well. False when absent. */
  readonly join?: boolean;
  /** Whether the batch may be one that a person has closed: nothing is sent then. False when absent. */
  readonly ofClosed?: boolean;
  /** Random when absent. */
  readonly newRunId?: () => string;
}

/**
 * Begins a run of a batch, unless another run holds it and this one does not want to join.
 * @throws PaybatchError (`busy`) that names the other run; (`batch_closed`) when a person has closed the batch
 */
export function holdBatch(
  verbs: Pick<LedgerVerbs, 'beginRun'>,
  { id: batchId }: BatchRecord,
  { command, actor, join = false, ofClosed = false, newRunId = randomUUID }: Holding,
): Promise<RunRecord> {
  return verbs.beginRun({ id: newRunId(), batchId, command, leaseInMs, join, actor, ofClosed });
}

/**
 * Begins a run of each of these batches, or of none of them.
 * @throws PaybatchError as `holdBatch` does
 */
export async function holdAll(
  { verbs }: LedgerAccess,
  batches: readonly BatchRecord[],
  holding: Holding,
): Promise<LeasedBatch[]> {
  const held: LeasedBatch[] = [];
  try {
    for (const batch of [...batches].sort((left, right) => compareKinds(left.kind, right.kind)))
      held.push({ batch, run: await holdBatch(verbs, batch, holding), isNew: false });
    return held;
  } catch (error) {
    // Another run holds one of them. The batches that this call holds already must not look as if they were in use.
    for (const { run } of held) await verbs.endRun(run.id, 'busy');
    throw error;
  }
}

/**
 * Works with held batches, whose runs are kept alive, and ends the runs if the work fails: otherwise the batches would look
 * as if they were in use.
 */
export async function whileHeld<Result>(
  app: CallContext,
  { verbs }: LedgerAccess,
  held: readonly LeasedBatch[],
  work: (leases: Leases) => Promise<Result>,
): Promise<Result> {
  const leases = keepLeases({ ledger: verbs, clock: app.clock });
  for (const own of held) leases.keep(own);
  try {
    return await work(leases);
  } catch (error) {
    const failure = asFailure(error);
    const outcome = failure instanceof PaybatchError ? failure.kind : 'internal';
    // If the database is out of reach too, the leases expire; the person needs the original error.
    for (const { run } of held) await verbs.endRun(run.id, outcome).catch(() => {});
    throw error;
  } finally {
    leases.stop();
  }
}

/**
 * Compares the run logs of continued batches with the ledger, before anything else is done to them.
 * @returns the batches, with what was found out about their logs
 * @throws PaybatchError that `requireLedgerOfLogs` throws, and (`lease_lost`); the runs have ended then
 */
export function requireKnownLogs(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<LeasedBatch[]> {
  return whileHeld(app, access, held, async (leases) => {
    const checked = await requireLedgerOfLogs(app, access.verbs, held);
    leases.requireHeld();
    return checked;
  });
}

/**
 * Holds a batch, closed or not, while a person's decision about it is recorded.
 * @param named a batch id, or 4 or more of its first characters
 * @throws PaybatchError (`busy`) while another run holds it; that `findNamedBatch`, `requireDurableLedger` and
 *   `requireLedgerOfLogs` throw
 */
export async function withDecidedBatch<Result>(
  app: CallContext,
  access: LedgerAccess,
  { command, named }: { readonly command: string; readonly named: string },
  work: (own: LeasedBatch, leases: Leases) => Promise<Result>,
): Promise<Result> {
  const batch = await findNamedBatch(access.verbs, named);
  // It is a person's decision about real money: a power cut must not lose it.
  if (batch.mode === 'live') await requireDurableLedger(access);
  const run = await holdBatch(access.verbs, batch, { command, actor: app.actor, ofClosed: true });
  const own = { batch, run, isNew: false };
  return whileHeld(app, access, [own], async (leases) => {
    await requireLedgerOfLogs(app, access.verbs, [own]);
    return work(own, leases);
  });
}

/**
 * While other runs hold rows of a batch, this run waits: if they are lost, it takes their rows over.
 * @param stop ends the wait
 * @returns whether any run holds rows
 */
export async function awaitOthers(
  verbs: Pick<LedgerVerbs, 'hasRowsOfOtherRuns' | 'takeOverExpired'>,
  { batch, run }: LeasedBatch,
  stop: AbortSignal,
): Promise<boolean> {
  if (!(await verbs.hasRowsOfOtherRuns(batch.id, run.id))) return false;
  await sleep(1_000, undefined, { signal: stop }).catch(() => {});
  await verbs.takeOverExpired(batch.id);
  return true;
}
