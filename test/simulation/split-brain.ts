import { type Engine, realEngine } from './engine.ts';
import { eventsOf, knowledgeOf } from './restored-ledger.ts';
import { customersBatch } from './scenario.ts';
import { atRest, breakThings, isGone, type Outcome, start, waitUntil } from './simulate.ts';
import type { RunPlan } from './simulated-run.ts';
import { Simulation } from './simulation.ts';

const plan: Omit<RunPlan, 'name'> = {
  batchId: customersBatch,
  host: 0,
  join: true,
  credential: 'key one',
  concurrency: 8,
  requestsPerSecond: null,
  maxAttempts: 2,
};

/** What came of a schedule in which a standby was promoted while the old primary went on. */
export interface SplitOutcome extends Outcome {
  /** Whether both ledgers have made claims that the other one does not know. */
  readonly isSplit: boolean;
  /** Whether the workers at the new primary were refused from the start. */
  readonly isRefused: boolean;
}

/**
 * Two workers at a primary; a standby that has what the primary had at some moment; and, at some later one, two workers at
 * the standby, which was promoted. All write to one log. Each looks at it first, as every command does.
 */
export async function simulateSplitBrain(seed: number, engine: Engine = realEngine): Promise<SplitOutcome> {
  const primary = Simulation.begin(seed, engine, 'two primaries');
  const { world, uses } = primary;
  const { random } = world;
  // What a ledger makes of the answer to a key that the other one sends as well is decided once it is known which one is right.
  world.ignored.add('rejected has no object');
  breakThings(primary);
  const copiedAfter = random.whole(1, 1_200);
  const promotedAfter = copiedAfter + random.pick([0, 20, 200, 600]);
  const old = ['old1', 'old2'].map((name) => start(primary, { ...plan, name }));
  await waitUntil(primary, () => world.eventCount >= copiedAfter || old.every(isGone));
  const standby = primary.withLedger(primary.model.copy());
  await waitUntil(primary, () => world.eventCount >= promotedAfter || old.every(isGone));
  world.note('world', 'the standby is promoted');
  const claimsFrom = primary.diskOf(plan).text.length;
  const { isAhead } = await engine.compareLog(eventsOf(standby), customersBatch, knowledgeOf(standby.model));
  // A person may be asked first, or other batches come before.
  const begunAfter = world.eventCount + random.pick([0, 20, 200]);
  await waitUntil(primary, () => world.eventCount >= begunAfter || old.every(isGone));
  if (!isAhead) for (const name of ['new1', 'new2']) start(standby, { ...plan, name, claimsFrom });
  await waitUntil(primary, () => primary.runs.every(isGone));
  primary.faults.end();
  await atRest(primary);
  const isSplit = isAheadOf(primary, standby) && isAheadOf(standby, primary);
  if (isSplit && primary.runs.every(({ isDone }) => isDone))
    world.violate('two ledgers are noticed', 'every worker has come to its end as if it were the only one');
  return {
    seed,
    violations: world.violations,
    trace: world.trace,
    traceHash: world.traceHash(),
    events: world.eventCount,
    requests: uses.sent + standby.uses.sent,
    isSplit,
    isRefused: isAhead,
  };
}

/** Whether one ledger has claims that the other one does not know. */
function isAheadOf({ model }: Simulation, { model: other }: Simulation): boolean {
  return [...model.runs.values()].some((run) =>
    Array.from({ length: 20 }, (_, at) => at + 1).some(
      (claim) => model.hasClaim(run.id, claim) && !other.hasClaim(run.id, claim),
    ),
  );
}
