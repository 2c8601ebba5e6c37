import { type Engine, realEngine } from './engine.ts';
import { closeLater, resolveRows, resolveRowsLater } from './person.ts';
import { createRandom } from './random.ts';
import {
  accountsBatch,
  type BadCustomers,
  customersBatch,
  type Mishap,
  type ScenarioKind,
  twinsBatch,
} from './scenario.ts';
import { calendarAt } from './simulated-network.ts';
import { type RunPlan, type SimulatedRun, startRun } from './simulated-run.ts';
import { Simulation } from './simulation.ts';
import type { Violation } from './world.ts';

/** What came of one schedule. */
export interface Outcome {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
  readonly traceHash: string;
  readonly events: number;
  readonly requests: number;
}

const longestWaitForTakeoverInMs = 240_000;

/** Passes without faults after which at the latest nothing may be left to do. */
const mostCleanPasses = 8;

/** Lets one schedule happen, from the seed alone, until it is at rest or an invariant is broken. */
export async function simulate(
  seed: number,
  engine: Engine = realEngine,
  kind: ScenarioKind = 'anything',
): Promise<Outcome> {
  const simulation = Simulation.begin(seed, engine, kind);
  const { world } = simulation;
  breakThings(simulation);
  // Drawn apart, so that a schedule without a closing is the one that it was before.
  const closing = createRandom(seed ^ 0x5c105e);
  if (simulation.scenario.bad === null && closing.chance(0.15)) closeLater(simulation, closing);
  await startPlannedRuns(simulation);
  if (simulation.scenario.bad !== null) {
    await waitUntil(simulation, () => simulation.runs.every(isGone));
    checkBadRows(simulation, simulation.scenario.bad);
  }
  simulation.faults.end();
  simulation.heal();
  world.note('world', 'no more faults');
  await atRest(simulation);
  await cleanPasses(simulation);
  return {
    seed,
    violations: world.violations,
    trace: world.trace,
    traceHash: world.traceHash(),
    events: world.eventCount,
    requests: simulation.uses.sent,
  };
}

/** At most this number of requests is needed to find that an API is down, besides those that are in flight together. */
const mostRequestsInOutage = 40;

/** What rows that always fail have done to others, and to an API that is down. */
function checkBadRows({ world, scenario, model, runs, uses }: Simulation, bad: BadCustomers): void {
  if (bad.count === scenario.customers) {
    const [run] = runs;
    const most = mostRequestsInOutage + (run?.plan.concurrency ?? 0);
    if (uses.sent > most) world.violate('an outage is told soon', `${uses.sent} requests were sent`);
    if (run?.failure !== 'RunStop') world.violate('an outage is told soon', 'the run came to its end');
    return;
  }
  for (const { name, failure } of runs) {
    if (failure !== null) world.violate('bad rows stop nothing', `${name} ended with ${failure}`);
  }
  for (const row of model.rowsOf(customersBatch)) {
    const place = row.row - 2;
    const isBad = place >= bad.first && place < bad.first + bad.count;
    const isThrough = row.state === (isBad ? 'unknown' : 'created');
    if (!isThrough) world.violate('bad rows stop nothing', `row ${row.row} is ${row.state}`);
  }
}

/** Starts a run, and notes it. */
export function start(simulation: Simulation, plan: RunPlan): SimulatedRun {
  const run = startRun(simulation, plan);
  simulation.runs.push(run);
  const { name, batchId, host, join, credential } = plan;
  const manner = `${join ? 'joins' : 'begins'} ${batchId.slice(0, 2)} on host ${host} with ${credential}`;
  simulation.world.note(name, manner);
  return run;
}

/** @param withPerson whether somebody decides about rows in between */
export async function startPlannedRuns(simulation: Simulation, withPerson = true): Promise<void> {
  const { world, scenario } = simulation;
  for (const { plan, waitsForEnd, delayInMs } of scenario.runs) {
    const run = start(simulation, plan);
    // The schedule does not wait for ever for a program that hangs.
    const giveUpAtInMs = world.nowInMs + 3_600_000;
    if (waitsForEnd) await waitUntil(simulation, () => isGone(run) || world.nowInMs > giveUpAtInMs);
    await wait(simulation, delayInMs);
    // What is asked for between two runs is answered while a later one is under way, or after it.
    if (withPerson && world.random.chance(0.5)) resolveRowsLater(simulation, world.random.whole(1, 200_000));
  }
}

export function isGone(run: SimulatedRun): boolean {
  return run.isDead || run.hasEnded;
}

export async function waitUntil({ world }: Simulation, isDone: () => boolean): Promise<void> {
  await world.run(isDone);
}

/** Lets time pass. */
export async function wait({ world }: Simulation, durationInMs: number): Promise<void> {
  let isOver = false;
  world.after(durationInMs, null, () => {
    isOver = true;
  });
  await world.run(() => isOver);
}

/** Every program has come to its end, and nothing is under way any more. */
export async function atRest(simulation: Simulation): Promise<void> {
  const { network, api, runs } = simulation;
  await waitUntil(simulation, () => runs.every(isGone));
  // As long as a lease of a dead program may last.
  await wait(simulation, 61_000);
  await waitUntil(simulation, () => network.underWay === 0 && api.underWay === 0);
}

/** Resumes all batches, with a person deciding in between, until nothing is left; then once more. */
async function cleanPasses(simulation: Simulation): Promise<void> {
  const { world, uses, watch } = simulation;
  for (let pass = 1; pass <= mostCleanPasses && world.violations.length === 0; pass += 1) {
    const sentBefore = uses.sent;
    await resumeAll(simulation, `${pass}`);
    const isIdle = uses.sent === sentBefore;
    if (resolveRows(simulation, true) > 0 || !isIdle) continue;
    watch.checkEnd(cleanPlan.credential);
    return;
  }
  if (world.violations.length === 0)
    world.violate('a second resume sends nothing', 'there is always more to send');
}

const cleanPlan = {
  host: 0,
  join: false,
  credential: 'key one',
  concurrency: 4,
  requestsPerSecond: null,
  maxAttempts: 5,
} as const;

async function resumeAll(simulation: Simulation, pass: string): Promise<void> {
  for (const batchId of [customersBatch, accountsBatch, twinsBatch]) {
    if (simulation.model.rowsOf(batchId).length === 0 || simulation.model.isClosed(batchId)) continue;
    const run = start(simulation, { ...cleanPlan, batchId, name: `clean${pass}${batchId.charAt(0)}` });
    await waitUntil(simulation, () => isGone(run));
  }
}

/** Breaks what the scenario says, when it says so. */
export function breakThings(simulation: Simulation): void {
  const { world, scenario, faults } = simulation;
  const coming = [...scenario.mishaps].sort((left, right) => left.afterEvent - right.afterEvent);
  world.afterEvent = () => {
    wakeTakenOver(simulation);
    while (!faults.isOver && coming[0] !== undefined && coming[0].afterEvent <= world.eventCount) {
      const mishap = coming.shift();
      if (mishap !== undefined) breakOne(simulation, mishap);
    }
  };
}

function breakOne(simulation: Simulation, { kind, durationInMs }: Mishap): void {
  const { world, faults, api, runs } = simulation;
  const living = runs.filter((run) => !isGone(run));
  const victim = living.length === 0 ? undefined : world.random.pick(living);
  const untilInMs = world.nowInMs + durationInMs;
  world.note('world', `${kind} ${victim?.name ?? ''} for ${durationInMs} ms`);
  switch (kind) {
    case 'api_down':
      faults.apiDownUntilInMs = untilInMs;
      return;
    case 'api_restart':
      api.restart();
      return;
    case 'ledger_down':
      faults.ledgerDownUntilInMs = untilInMs;
      return;
    case 'disk_full':
      faults.diskFullUntilInMs = untilInMs;
      return;
    case 'log_moved':
      world.random.pick(simulation.disksOfHost(victim?.plan.host ?? 0)).moveAway();
      return;
    case 'credentials_revoked':
      faults.credentialsRevokedUntilInMs = untilInMs;
      return;
    case 'person':
      resolveRows(simulation, false);
      return;
    case 'recheck':
      recheckRows(simulation);
      return;
    default:
      if (victim !== undefined) hurt(simulation, victim, kind, untilInMs);
  }
}

/** Somebody checks a batch again, beside whatever is under way, and some of its rows no longer pass. */
function recheckRows({ world, model, transactions, watch, faults }: Simulation): void {
  const batchId = world.random.pick([customersBatch, accountsBatch, twinsBatch]);
  const reason = { code: 'institution_unknown', field: null, message: 'It is not in the list any more.' };
  const failed = model.rowsOf(batchId).filter(() => world.random.chance(0.5));
  transactions.begin({
    name: 'writeRechecked',
    batchId,
    actor: null,
    patienceInMs: 30_000,
    workInMs: 2,
    commitInMs: faults.commitDelayInMs(),
    act: (draft) =>
      draft.writeRechecked(
        batchId,
        failed.map(({ row }) => ({ row, to: 'invalid', findings: [], reason })),
      ),
    onCommitSent: () => {},
    onCommitted: (moved) => {
      world.note('world', `a recheck takes ${moved} rows out of ${batchId.slice(0, 2)}`);
      watch.afterCommit();
    },
    onUndone: () => world.note('world', 'a recheck does not come to the lock'),
  });
}

function wakeTakenOver({ world, model, runs }: Simulation): void {
  for (const run of runs) {
    if (!run.wakesWhenTakenOver) continue;
    const isTaken = model.rowsOf(run.plan.batchId).some(({ state, runId }) => {
      return state === 'sending' && model.runs.get(runId ?? '')?.owner !== run.name;
    });
    if (!isTaken || !world.random.chance(0.1)) continue;
    run.wakesWhenTakenOver = false;
    world.note('world', `${run.name} wakes up`);
    world.wake(run);
  }
}

type Blow = 'crash' | 'power_cut' | 'pause' | 'pause_until_taken_over' | 'sleep' | 'stop' | 'calendar_jump';

function hurt(simulation: Simulation, victim: SimulatedRun, blow: Blow, untilInMs: number): void {
  const { world, runs } = simulation;
  if (blow === 'sleep' || blow.startsWith('pause')) victim.mayHaveLostLease = true;
  switch (blow) {
    case 'crash':
      victim.isDead = true;
      return;
    case 'power_cut':
      for (const run of runs) if (run.plan.host === victim.plan.host) run.isDead = true;
      for (const disk of simulation.disksOfHost(victim.plan.host)) disk.cutPower();
      return;
    case 'sleep':
      victim.asleepInMs += Math.max(0, untilInMs - Math.max(world.nowInMs, victim.pausedUntilInMs));
      victim.pausedUntilInMs = Math.max(victim.pausedUntilInMs, untilInMs);
      return;
    case 'pause_until_taken_over':
      victim.wakesWhenTakenOver = true;
      victim.pausedUntilInMs = Math.max(victim.pausedUntilInMs, world.nowInMs + longestWaitForTakeoverInMs);
      return;
    case 'pause':
      victim.pausedUntilInMs = Math.max(victim.pausedUntilInMs, untilInMs);
      return;
    case 'stop':
      world.after(0, victim, () => victim.halt.abort());
      return;
    case 'calendar_jump':
      victim.calendarErrorInMs += (untilInMs - world.nowInMs) * world.random.pick([-1, 1]);
  }
}

/** A schedule that failed, for people: what was broken, how to see it again, and what happened. */
export function report({ seed, violations, trace }: Outcome): string {
  const broken = violations.map(({ invariant, what }) => `${invariant}: ${what}`).join('; ') || 'nothing';
  const start = new Date(calendarAt(0)).toISOString();
  return [
    `seed ${seed} breaks ${broken}`,
    `to see it again: PAYBATCH_SIMULATION_SEED=${seed} npx vitest run test/simulation`,
    `seconds since ${start}, who, what:`,
    ...trace,
  ].join('\n');
}
