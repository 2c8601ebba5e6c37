import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../simulation/random.ts';
import { banks, planBatch } from './batch-plan.ts';
import { realMs } from './fast-time.ts';
import { createWorld, type Lane, loseLedger, moveClock } from './lane.ts';
import type { Program } from './program.ts';
import { bringToRest, checkFiles } from './rest.ts';
import {
  drawApiFault,
  drawFault,
  type PlannedProgram,
  planSchedule,
  type SchedulePlan,
  type WorldEvent,
} from './schedule-plan.ts';
import { runWhole } from './whole-run.ts';
import type { Step } from './wire.ts';
import { violate, type World } from './world.ts';

/** What came of one schedule. */
export interface Outcome {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
}

/** No program hangs: this number of real milliseconds after its faults a schedule is over, on a machine that is busy. */
const longestEndInMs = 15_000;

/**
 * Lets the schedule of one seed happen on a lane of its own, brings it to rest, and compares it with the truth.
 */
export async function runSchedule(
  lane: Lane,
  seed: number,
  alsoHappens: (world: World) => Promise<void> = async () => {},
): Promise<Outcome> {
  const random = createRandom(seed);
  const plan = planSchedule(random);
  const name = `s${seed}-${Math.floor(performance.now())}`;
  const bankOf = seeded(random, plan.rows, () => random.pick(banks));
  const copies = seeded(random, plan.rows, (row) =>
    row > 2 && random.chance(plan.duplicateRate) ? random.whole(2, row - 1) : null,
  );
  const batch = planBatch(name, plan.rows, bankOf, copies);
  const world = createWorld(lane, { ...plan, seed, plan: batch });
  const { programs, ...others } = plan;
  world.note(`seed ${seed}: ${JSON.stringify(others)}`);
  for (const planned of programs) world.note(JSON.stringify(planned));
  [world.api.leastLatencyInMs, world.api.latencyInMs] = plan.apiLatencyInMs;
  for (const number of batch.numberOf.values())
    if (random.chance(plan.refusalRate)) world.api.refused.add(number);
  const schedule: Schedule = {
    world,
    lane,
    plan,
    endsAt: performance.now() + plan.faultsEndAt,
    isOver: false,
  };
  try {
    const all = Promise.all([happen(schedule), alsoHappens(world)]);
    await bounded(schedule, all, plan.faultsEndAt + longestEndInMs, 'the programs hang');
    if (world.violations.length === 0) await checkFiles(world, lane);
    if (world.violations.length === 0 && plan.isLedgerLost) await loseAndRecover(schedule);
    if (world.violations.length === 0) {
      await bounded(schedule, bringToRest(world, lane), longestEndInMs, 'a quiet run hangs');
    }
  } finally {
    await moveClock(lane, 0);
    if (world.violations.length > 0) lane.abandon();
    lane.clear();
  }
  return { seed, violations: world.violations, trace: world.trace };
}

interface Schedule {
  readonly world: World;
  readonly lane: Lane;
  readonly plan: SchedulePlan;
  /** By the monotonic clock, in real milliseconds: nothing waits longer for something to happen. */
  readonly endsAt: number;
  /** Whether the time of faults is over. */
  isOver: boolean;
}

/** The same answer for a row however often it is asked. */
function seeded<Value>(_: Random, rows: number, draw: (row: number) => Value): (row: number) => Value {
  const drawn = Array.from({ length: rows }, (__, at) => draw(at + 2));
  return (row) => drawn[row - 2] as Value;
}

async function bounded(
  { world, lane }: Schedule,
  work: Promise<unknown>,
  limitInMs: number,
  problem: string,
): Promise<void> {
  const timer = new AbortController();
  const limit = sleep(limitInMs, 'late', { signal: timer.signal }).catch(() => 'done');
  const first = await Promise.race([work.then(() => 'done'), limit]);
  timer.abort();
  if (first !== 'late') return;
  violate(world, `${problem} for ${limitInMs} ms`);
  world.note(await standstill(lane, world.plan.id));
}

/** The state of everything that hangs, for people. */
async function standstill(lane: Lane, batch: string): Promise<string> {
  const states = `SELECT state, count(*)::int AS rows FROM rows WHERE batch_id = $1 GROUP BY state`;
  const sessions = `SELECT state, wait_event, left(query, 80) AS query FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const [rows, active] = [await lane.administer(states, [batch]), await lane.administer(sessions)];
  return JSON.stringify({ rows: rows.rows, sessions: active.rows });
}

/** Faults end with the last program, or when their time is over. */
async function happen(schedule: Schedule): Promise<void> {
  const { plan, world } = schedule;
  const end = (): void => {
    if (!schedule.isOver) world.note('no more faults');
    schedule.isOver = true;
    // A program that sends one row after the other would end too late without any defect.
    [world.api.leastLatencyInMs, world.api.latencyInMs] = [0, quietLatencyInMs];
  };
  const timer = setTimeout(end, plan.faultsEndAt);
  const ended = Promise.all(plan.programs.map((planned) => live(schedule, planned, world.newRandom())));
  const changed = changeWorld(schedule, ended);
  await ended;
  clearTimeout(timer);
  end();
  await changed;
}

/** What is still on its way to the lost database is lost with it. */
async function loseAndRecover({ world, lane, plan }: Schedule): Promise<void> {
  if (!world.log.some(({ event }) => event === 'run.started')) return;
  await sleep(plan.atCommits.longestInMs);
  await loseLedger(lane);
  world.note('the ledger is lost');
  const program = await lane.openProgram('recovering', world.newRandom());
  const { outcome } = await runWhole(world, program, { command: 'recover', concurrency: 1, maxAttempts: 1 });
  if (outcome !== 'done') violate(world, `the ledger is not recovered: ${outcome}`);
}

/** One program's life: its commands one after the other, with all that is done to it. */
async function live(schedule: Schedule, planned: PlannedProgram, random: Random): Promise<void> {
  const { world, lane, plan } = schedule;
  await Promise.all([reach(schedule, planned.startsAt), sleep(planned.notBefore)]);
  const program = await lane.openProgram(planned.name, random);
  program.outlast = ({ steps = Number.POSITIVE_INFINITY, durationInMs }) =>
    world.progress.reach(world.progress.count + steps, durationInMs);
  const trouble = createRandom(random.whole(1, 1_000_000_000));
  program.faultOf = (step, isInTransaction) => {
    world.progress.tick();
    const fault = drawFault(trouble, plan, commits(step, isInTransaction));
    const isCalm = schedule.isOver || world.progress.count < plan.faultsBeginAt;
    if (fault === null || isCalm || step.kind === 'begin' || step.kind === 'rollback') return null;
    world.note(`${program.name} ${JSON.stringify(fault)} at ${summaryOf(step.sql)}`);
    return fault;
  };
  const apiTrouble = createRandom(random.whole(1, 1_000_000_000));
  const others = world.apiFaultOf;
  world.apiFaultOf = (name) => {
    if (name !== program.name) return others(name);
    return schedule.isOver ? null : drawApiFault(apiTrouble, plan);
  };
  void suspend(schedule, program, planned);
  void kill(schedule, program, planned);
  for (const run of planned.runs) {
    if (program.isKilled || schedule.isOver) break;
    const { outcome } = await runWhole(world, program, run);
    if (outcome === 'busy') await Promise.race([program.sleep(whenHeldInMs), program.killed]);
  }
}

/** What a request takes at most on each way once the faults are over, in real milliseconds. */
const quietLatencyInMs = 3;

/** A program that finds the batch held tries the next thing a little later. */
const whenHeldInMs = realMs(3_000);

/** Whether a step makes a change take effect: what only reads, and what sets a connection up, makes none. */
function commits({ kind, sql }: Step, isInTransaction: boolean): boolean {
  return kind === 'commit' || (kind === 'statement' && !isInTransaction && !/^\s*(SELECT|SET)\b/i.test(sql));
}

function summaryOf(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim().slice(0, 70);
}

/** Waits until so much has happened, or the time of faults is over. */
function reach({ world, endsAt }: Schedule, count: number): Promise<void> {
  return world.progress.reach(count, endsAt - performance.now());
}

async function suspend(schedule: Schedule, program: Program, planned: PlannedProgram): Promise<void> {
  const { world } = schedule;
  if (planned.suspendedAt === null) return;
  await reach(schedule, planned.suspendedAt);
  if (schedule.isOver) return;
  world.note(`${program.name} is suspended for ${planned.suspendedFor} ms`);
  await program.suspend(planned.suspendedFor);
  world.note(`${program.name} wakes up`);
}

async function kill(schedule: Schedule, program: Program, planned: PlannedProgram): Promise<void> {
  const { world } = schedule;
  if (planned.killedAt === null) return;
  await reach(schedule, planned.killedAt);
  if (schedule.isOver) return;
  world.note(`${program.name} is killed`);
  program.kill();
}

/** One event after the other; what has not happened when all programs have ended happens then. */
async function changeWorld(schedule: Schedule, ended: Promise<unknown>): Promise<void> {
  for (const event of [...schedule.plan.events].sort((one, other) => one.at - other.at)) {
    await Promise.race([reach(schedule, event.at), ended]);
    await change(schedule, event);
  }
}

async function change({ world, lane }: Schedule, event: WorldEvent): Promise<void> {
  switch (event.kind) {
    case 'bank_closes':
      world.note(`bank ${event.bank} leaves the directory`);
      world.api.banks = banks.filter((_, at) => at !== event.bank);
      return;
    case 'refusals_end':
      world.api.refused.clear();
      return;
    case 'clock_moves':
      world.note(`the database's clock is set to ${event.shiftInMs} ms off`);
      await moveClock(lane, event.shiftInMs);
  }
}

/** A schedule that failed, for people: what was broken, how to see it again, and what happened. */
export function report({ seed, violations, trace }: Outcome): string {
  return [
    `seed ${seed} breaks: ${violations.join('; ') || 'nothing'}`,
    `to run it again alone: PAYBATCH_CONCURRENCY_SEED=${seed} npx vitest run test/concurrency/seeds`,
    ...trace,
  ].join('\n');
}
