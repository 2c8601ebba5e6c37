import { parseRunEvent } from '../../src/disk/log/run-event.ts';
import type { LoggedEvent } from '../../src/recover/logged-rows.ts';
import { type Engine, realEngine } from './engine.ts';
import type { ModelLedger } from './model-ledger.ts';
import { customersBatch } from './scenario.ts';
import { atRest, breakThings, isGone, type Outcome, start, waitUntil } from './simulate.ts';
import type { RunPlan } from './simulated-run.ts';
import { Simulation } from './simulation.ts';

const plan: Omit<RunPlan, 'name'> = {
  batchId: customersBatch,
  host: 0,
  join: false,
  credential: 'key one',
  concurrency: 4,
  requestsPerSecond: null,
  maxAttempts: 2,
};

/** What came of a schedule in which the ledger was put back to what it once was. */
export interface RestoredOutcome extends Outcome {
  /** Requests that left between the backup and the moment at which it was put back. */
  readonly sentSince: number;
  /** Whether the run after that was refused because the log knows more. */
  readonly isRefused: boolean;
}

/**
 * A run, of which everything can fail; a backup of the ledger at some moment before its end; and, once it has ended, a
 * ledger that is restored from it, and a run that looks at its log first, as every command does.
 */
export async function simulateRestored(seed: number, engine: Engine = realEngine): Promise<RestoredOutcome> {
  const simulation = Simulation.begin(seed, engine);
  const { world, model, uses } = simulation;
  breakThings(simulation);
  const backedUpAfter = world.random.whole(0, 200);
  const first = start(simulation, { ...plan, name: 'first' });
  await waitUntil(simulation, () => world.eventCount >= backedUpAfter || isGone(first));
  const restore = model.backUp();
  const sentBefore = uses.sent;
  await waitUntil(simulation, () => isGone(first));
  simulation.faults.end();
  await atRest(simulation);
  const sentSince = uses.sent - sentBefore;
  restore();
  world.note('world', 'the ledger is put back');
  const { isAhead } = await engine.compareLog(eventsOf(simulation), customersBatch, knowledgeOf(model));
  if (!isAhead) {
    const second = start(simulation, { ...plan, name: 'second' });
    await waitUntil(simulation, () => isGone(second));
    await atRest(simulation);
  }
  return {
    seed,
    violations: world.violations,
    trace: world.trace,
    traceHash: world.traceHash(),
    events: world.eventCount,
    requests: uses.sent,
    sentSince,
    isRefused: isAhead,
  };
}

/** What a ledger knows of a log, as the verbs that compare them say it. */
export function knowledgeOf(model: ModelLedger): Parameters<Engine['compareLog']>[2] {
  return {
    findClosing: async (batchId) => (model.isClosed(batchId) ? { at: '', by: null, note: null } : null),
    countUnknownClaims: async (_, claims) => model.countUnknownClaims(claims),
    countUnknownAnswers: async (_, keys) => model.countUnknownAnswers(keys),
  };
}

/** The events of the log of the first host, as they are there now. */
export async function* eventsOf(simulation: Simulation): AsyncGenerator<LoggedEvent> {
  for (const line of simulation.diskOf(plan).text.split('\n')) {
    const event = parseRunEvent(line);
    if (event === null || ['run.stopped', 'log.mended', 'audit.head'].includes(event.event)) continue;
    yield event as LoggedEvent;
  }
}
