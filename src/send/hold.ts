/* Holding a batch: a run is begun for it, and kept alive. */

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

/** Options for holding a batch. */
export interface Holding {
  readonly command: string;
  /** Who starts the run. For staged batches, this is the maker. */
  readonly actor: Pick<Actor, 'name' | 'channel'>;
  /** Whether other runs may hold the batch as well. False when absent. */
  readonly join?: boolean;
  /** Whether the batch may be one that a person has closed. Nothing is sent from a closed batch. False when absent. */
  readonly ofClosed?: boolean;
  /** Makes the run's id; the id is random when absent. */
  readonly newRunId?: () => string;
}

/**
 * Begins a run of a batch. Refuses if another run holds the batch and this one does not join.
 * @throws PaybatchError (`busy`) with the name of the other run; (`batch_closed`) when a person has closed the batch
 */
export function holdBatch(
  verbs: Pick<LedgerVerbs, 'beginRun'>,
  { id: batchId }: BatchRecord,
  { command, actor, join = false, ofClosed = false, newRunId = randomUUID }: Holding,
): Promise<RunRecord> {
  return verbs.beginRun({ id: newRunId(), batchId, command, leaseInMs, join, actor, ofClosed });
}

/**
 * Begins a run of each of these batches, or, if one is refused, of none of them.
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
    // Another run holds one of the batches. The batches that this call has begun to hold must not look as if they were in
    // use.
    for (const { run } of held) await verbs.endRun(run.id, 'busy');
    throw error;
  }
}

/**
 * Works with held batches while their runs are kept alive. Ends the runs if the work fails, since the batches would look as
 * if they were in use otherwise.
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
    // If the database cannot be reached either, the leases expire. The person needs the original error.
    for (const { run } of held) await verbs.endRun(run.id, outcome).catch(() => {});
    throw error;
  } finally {
    leases.stop();
  }
}

/**
 * Compares the run logs of continued batches with the ledger, before anything else is done to them.
 * @returns the batches, with the findings about their logs
 * @throws PaybatchError as `requireLedgerOfLogs` does, and (`lease_lost`); the runs have ended then
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
 * @throws PaybatchError (`busy`) while another run holds it; as `findNamedBatch`, `requireDurableLedger` and
 *   `requireLedgerOfLogs` do
 */
export async function withDecidedBatch<Result>(
  app: CallContext,
  access: LedgerAccess,
  { command, named }: { readonly command: string; readonly named: string },
  work: (own: LeasedBatch, leases: Leases) => Promise<Result>,
): Promise<Result> {
  const batch = await findNamedBatch(access.verbs, named);
  // The decision is about real money: a power failure must not lose it.
  if (batch.mode === 'live') await requireDurableLedger(access);
  const run = await holdBatch(access.verbs, batch, { command, actor: app.actor, ofClosed: true });
  const own = { batch, run, isNew: false };
  return whileHeld(app, access, [own], async (leases) => {
    await requireLedgerOfLogs(app, access.verbs, [own]);
    return work(own, leases);
  });
}

/**
 * Waits while other runs hold rows of a batch. If those runs are lost, this run takes their rows over.
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
