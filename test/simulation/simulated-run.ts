import type { LimitFunction } from 'p-limit';
import type { Timing } from '../../src/api/limiters.ts';
import type { RunEvent } from '../../src/disk/log/run-event.ts';
import { leaseInMs } from '../../src/send/lease.ts';
import { connectLedger } from './ledger-port.ts';
import { isOfServer } from './model-transactions.ts';
import { createSimulatedClient } from './simulated-client.ts';
import { calendarAt } from './simulated-network.ts';
import type { Simulation } from './simulation.ts';
import { withVirtualIntervals } from './virtual-intervals.ts';
import type { Actor } from './world.ts';

/** A run as somebody starts it. */
export interface RunPlan {
  readonly name: string;
  readonly batchId: string;
  readonly host: 0 | 1;
  readonly join: boolean;
  readonly credential: string;
  readonly concurrency: number;
  readonly requestsPerSecond: number | null;
  readonly maxAttempts: number;
  /** Up to here the log was compared with the ledger; absent where it was not. */
  readonly claimsFrom?: number;
}

/** A run under way: a program of its own, with nothing in memory that another one has. */
export interface SimulatedRun extends Actor {
  readonly plan: RunPlan;
  readonly halt: AbortController;
  hasEnded: boolean;
  /** The name of the failure with which it ended; null while there is none. */
  failure: string | null;
  /** Whether it has come to its end by itself, with nothing in its way. */
  isDone: boolean;
  /** Its pause ends just when another run has its rows. */
  wakesWhenTakenOver: boolean;
  /** How far its calendar is from the true one. */
  calendarErrorInMs: number;
  /** Time that its monotonic clock did not count because the machine was asleep. */
  asleepInMs: number;
}

/** How failures that a program has to expect are called; everything else is a bug. */
const expected: ReadonlySet<string> = new Set([
  'RunStop',
  'PaybatchError',
  'OutputError',
  'LedgerRefusal',
  'OtherLedgerStop',
]);

export function startRun(simulation: Simulation, plan: RunPlan): SimulatedRun {
  const run: SimulatedRun = {
    name: plan.name,
    plan,
    halt: new AbortController(),
    isDead: false,
    pausedUntilInMs: 0,
    mayHaveLostLease: false,
    hasEnded: false,
    failure: null,
    isDone: false,
    wakesWhenTakenOver: false,
    calendarErrorInMs: 0,
    asleepInMs: 0,
  };
  const { world } = simulation;
  const begin = async (): Promise<void> => {
    try {
      await workOn(simulation, run);
      world.note(run.name, 'ends');
      run.isDone = true;
    } catch (error) {
      noteEnd(simulation, run, error);
    }
    run.hasEnded = true;
  };
  world.after(0, run, () => void begin());
  return run;
}

function noteEnd({ world }: Simulation, run: SimulatedRun, error: unknown): void {
  const name = error instanceof Error ? error.name : 'unknown';
  const text = error instanceof Error ? error.message : String(error);
  run.failure = name;
  world.note(run.name, `ends with ${name}: ${text}`);
  if (!expected.has(name) && !isOfServer(error)) world.violate('no internal error', `${name}: ${text}`);
}

/** As the command line puts the parts together: begin, log, sign of life, move on, end. */
async function workOn(simulation: Simulation, run: SimulatedRun): Promise<void> {
  const { world, engine, model } = simulation;
  const { batchId, join } = run.plan;
  const connection = connectLedger({
    world,
    faults: simulation.faults,
    model,
    actor: run,
    transactions: simulation.transactions,
    onCommit: () => simulation.watch.afterCommit(),
  });
  const id = world.random.uuid();
  const begun = await connection.beginRun({
    id,
    batchId,
    leaseInMs,
    join,
    mayBeAlive: simulation.aliveFor(run),
  });
  const now = (): Date => new Date(calendarAt(world.nowInMs) + run.calendarErrorInMs);
  const runLog = await engine.openRunLog(`${batchId}.run.jsonl`, {
    batch: batchId,
    now,
    files: simulation.diskOf(run.plan).filesFor(run),
    ...(run.plan.claimsFrom === undefined ? {} : { claimsFrom: run.plan.claimsFrom }),
  });
  runLog.append([startedEvent(id, run)]);
  const clock = { now, monotonicInMs: () => world.nowInMs - run.asleepInMs };
  let lost: unknown;
  const heartbeat = withVirtualIntervals(world, run, () =>
    engine.startHeartbeat({
      ledger: connection.ledger,
      clock,
      runId: id,
      batchId,
      onLost: (failure) => {
        lost = failure;
        run.halt.abort();
      },
    }),
  );
  try {
    await engine.processBatch({
      ledger: { ...unusedVerbs, ...connection.ledger },
      references: connection.references,
      ...senderOf(simulation, run, clock),
      runLog,
      clock,
      batchId,
      run: { id, number: begun.number },
      leaseInMs,
      credential: run.plan.credential,
      keyLifetimeInMs: simulation.keyLifetimeInMs,
      approvalId: undefined,
      checkContent: undefined,
      payees: undefined,
      concurrency: run.plan.concurrency,
      readAnswer: (definition, json) => definition.readAnswer(json, { customerIdPaths: ['data.id'] }),
      rows: 'all',
      latestRunWasWhole: false,
      waitingCodes: [],
      waitingDelayInMs: 0,
      newKey: world.random.uuid,
      halt: run.halt,
      holdsBatch: heartbeat.holds,
      onProgress: () => {},
    });
    // Before its files say how it ends.
    await engine.requireKnownClaims(connection.ledger, batchId, await runLog.seal());
    await runLog.close();
  } finally {
    heartbeat.stop();
    await connection.ledger.endRun(id, 'done');
  }
  if (lost !== undefined) throw lost;
}

/** The first event of a run in the log, as the command line writes it. */
function startedEvent(id: string, { name, plan }: SimulatedRun): RunEvent {
  const hash = '0'.repeat(64);
  return {
    event: 'run.started',
    run: id,
    version: '0.0.0',
    mode: 'sandbox',
    origin: 'https://api.example.test',
    kind: 'customers',
    sheet: null,
    content_hash: hash,
    reading_hash: hash,
    credential: null,
    host: `host ${plan.host}`,
    process: name,
    rows: 0,
    counts: {},
  };
}

function senderOf(
  simulation: Simulation,
  run: SimulatedRun,
  clock: Pick<Timing, 'now' | 'monotonicInMs'>,
): Pick<Parameters<Simulation['engine']['processBatch']>[0], 'sender' | 'onLimiter'> {
  const { world, engine } = simulation;
  const { plan } = run;
  const timing: Timing = {
    ...clock,
    random: world.random.fraction,
    sleep: (durationInMs, signal) => sleep(simulation, run, durationInMs, signal),
  };
  let limiter: LimitFunction | undefined;
  const concurrency = engine.createConcurrencyLimit({
    maximum: plan.concurrency,
    onLimitChange: (limit) => {
      if (limiter !== undefined) limiter.concurrency = limit;
    },
  });
  const sender = engine.createSender({
    client: createSimulatedClient({
      world,
      network: simulation.network,
      uses: simulation.uses,
      actor: run,
      disk: simulation.diskOf(plan),
      credential: plan.credential,
      keyLifetimeInMs: simulation.keyLifetimeInMs,
      concurrency: plan.concurrency,
      requestsPerSecond: plan.requestsPerSecond,
      maxAttempts: plan.maxAttempts,
      isHalted: () => run.halt.signal.aborted,
    }),
    timing,
    maxAttempts: plan.maxAttempts,
    concurrency,
    stopSignal: run.halt.signal,
    ...(plan.requestsPerSecond === null
      ? {}
      : { rate: engine.createRateLimiter(plan.requestsPerSecond, timing) }),
  });
  return {
    sender,
    onLimiter: (next) => {
      limiter = next;
      next.concurrency = concurrency.current();
    },
  };
}

function sleep(
  { world }: Simulation,
  run: SimulatedRun,
  durationInMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (durationInMs <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const alarm = world.after(durationInMs, run, () => {
      signal.removeEventListener('abort', wake);
      resolve();
    });
    const wake = (): void => {
      alarm.isCancelled = true;
      resolve();
    };
    signal.addEventListener('abort', wake, { once: true });
  });
}

const unused = (): never => {
  throw new Error('staging is not simulated');
};

const unusedVerbs = {
  beginBatch: unused,
  findBatch: unused,
  emptyUnstaged: unused,
  finishStaging: unused,
  giveUpBatch: unused,
  stageRows: unused,
  countStatuses: unused,
  endRunWithFiles: unused,
  readRevision: unused,
  beginRun: unused,
};
