import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { exitCodes } from '../../src/domain/exit-code.ts';
import { leaseInMs } from '../../src/pipeline/heartbeat.ts';
import { banks, planBatch } from './batch-plan.ts';
import { realMs } from './fast-time.ts';
import type { Fault } from './fault-proxy.ts';
import { createWorld, type Lane, moveClock, openLane, type WorldOptions } from './lane.ts';
import type { Program } from './program.ts';
import { bringToRest, checkFiles } from './rest.ts';
import { type Command, runWhole } from './whole-run.ts';
import type { Step } from './wire.ts';
import type { RunEnd, World } from './world.ts';
import { startWorldServer, type WorldServer } from './world-server.ts';

/*
 * One schedule for each way in which the ledger lost rows, made duplicates or kept its users waiting. Times are real
 * milliseconds; a lease lasts 1,000 of them.
 */

let server: WorldServer;
let lane: Lane;
let programs: Program[] = [];
beforeAll(async () => {
  server = await startWorldServer();
});
beforeEach(async () => {
  lane = await openLane(server);
});
afterEach(async () => {
  for (const program of programs) program.kill();
  programs = [];
  await lane.close();
});
afterAll(() => server.dispose());

let worlds = 0;

/** A world with a batch of so many rows, all at the first bank; what happened in it is shown when the test fails. */
function openWorld(rows: number, options: Omit<WorldOptions, 'seed' | 'plan'> = {}): World {
  worlds += 1;
  const plan = planBatch(`defect-${worlds}`, rows, () => banks[0]);
  const world = createWorld(lane, { seed: worlds, plan, ...options });
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`${task.name}:\n${world.trace.join('\n')}\n`);
  });
  return world;
}

async function open(world: World, name: string): Promise<Program> {
  const program = await lane.openProgram(name, world.newRandom());
  programs.push(program);
  return program;
}

/** Nobody waits for ever: all of these runs come to an end. */
async function expectEnds(runs: readonly Promise<RunEnd>[]): Promise<void> {
  const ends = await Promise.race([Promise.all(runs), sleep(longestRunInMs, 'some run does not end')]);
  expect(ends).toHaveLength(runs.length);
}

const longestRunInMs = 8_000;

function run(world: World, program: Program, command: Command, maxAttempts = 1): Promise<RunEnd> {
  return runWhole(world, program, { command, concurrency: 4, maxAttempts });
}

/** Whether a program's steps are those of this verb, and of no other that is under way beside it. */
function isOnly({ underWay }: Program, verb: string): boolean {
  const names = [...underWay].flatMap(([name, count]) => (count > 0 ? [name] : []));
  return names.length === 1 && names[0] === verb;
}

/** What a connection begins with. */
function isOfDriver({ sql }: Step): boolean {
  return /^(SET|select version)/i.test(sql);
}

/** Once for the first step of a verb that suits. */
function onceIn(
  world: World,
  program: Program,
  verb: string,
  suits: (step: Step, isInTransaction: boolean) => boolean,
  fault: () => Fault | null,
): void {
  const others = program.faultOf;
  let isDone = false;
  program.faultOf = (step, isInTransaction) => {
    if (isDone || !isOnly(program, verb) || isOfDriver(step) || !suits(step, isInTransaction)) {
      return others(step, isInTransaction);
    }
    isDone = true;
    world.note(`${program.name} in ${verb}: ${step.sql.replaceAll(/\s+/g, ' ').slice(0, 80)}`);
    return fault();
  };
}

const any = (): boolean => true;

/** A step that makes what was done before, or itself, visible to others. */
function commits(step: Step, isInTransaction: boolean): boolean {
  return step.kind === 'commit' || (step.kind === 'statement' && !isInTransaction);
}

/** Stages the batch and writes its requests, and is killed before it claims any. */
async function prepareOnly(world: World): Promise<void> {
  const program = await open(world, 'preparer');
  onceIn(world, program, 'claimRows', any, () => {
    program.kill();
    return null;
  });
  await run(world, program, 'import');
  world.ends.length = 0;
}

async function expectRest(world: World): Promise<void> {
  await bringToRest(world, lane);
  expect(world.violations).toEqual([]);
}

test('1: a recheck takes no rows that a claim takes while it waits for another claim', async () => {
  const world = openWorld(30, { rowsPerClaim: 5 });
  await prepareOnly(world);
  const [first, second, rechecking] = [
    await open(world, 'first'),
    await open(world, 'second'),
    await open(world, 'rechecking'),
  ];
  const hold =
    (durationInMs: number): (() => Fault) =>
    () => ({ kind: 'hold_before', durationInMs });
  // The first claim is committed at 200; its program is suspended before it can make the next one.
  onceIn(world, first, 'claimRows', commits, () => {
    setTimeout(() => void first.suspend(500), 190);
    return hold(200)();
  });
  // The other claim begins when the recheck has waited for the first one, and is committed after the recheck.
  onceIn(world, second, 'claimRows', commits, hold(300));
  onceIn(world, second, 'claimRows', any, hold(220));
  onceIn(
    world,
    rechecking,
    'writeRechecked',
    (step, isInTransaction) => {
      if (isInTransaction && step.kind === 'statement') steps += 1;
      return steps === 2;
    },
    hold(150),
  );
  let steps = 0;
  const runs = [run(world, first, 'join'), run(world, second, 'join')];
  await sleep(100);
  world.api.banks = banks.slice(1);
  runs.push(run(world, rechecking, 'join'));
  await expectEnds(runs);
  await expectRest(world);
});

test.each<[string, Fault]>([
  ['comes late', { kind: 'late', durationInMs: 300 }],
  ['waits for a replica', { kind: 'stalled_commit', durationInMs: 300, isCut: true }],
])('2: a claim whose connection breaks while its COMMIT %s is not made twice', async (_, fault) => {
  const world = openWorld(40, { rowsPerPreparation: 10, rowsPerClaim: 8 });
  await prepareOnly(world);
  const program = await open(world, 'program');
  // No answer is there before both claims are.
  world.api.leastLatencyInMs = 300;
  onceIn(world, program, 'claimRows', commits, () => fault);
  await run(world, program, 'resume');
  world.api.leastLatencyInMs = 0;
  await expectRest(world);
});

test('3: a worker that was suspended while it waited for a retry sends nothing under a lost lease', async () => {
  const world = openWorld(3, { isOneHost: false });
  const [suspended, successor] = [await open(world, 'suspended'), await open(world, 'successor')];
  world.apiFaultOf = (program) => {
    if (program === 'successor') return 'lost_before';
    if (program !== 'suspended' || suspended.isSuspended) return 'server_error';
    void suspended.suspend(realMs(8 * leaseInMs));
    return 'server_error';
  };
  const suspendedRun = run(world, suspended, 'import', 4);
  await sleep(realMs(1.2 * leaseInMs));
  expect(await run(world, successor, 'resume')).toMatchObject({ exitCode: exitCodes.rowsNeedDecision });
  world.apiFaultOf = () => null;
  expect(await run(world, await open(world, 'person'), 'resolve')).toMatchObject({
    exitCode: exitCodes.done,
  });
  expect(await run(world, await open(world, 'last'), 'resume')).toMatchObject({ exitCode: exitCodes.done });
  expect(suspended.isSuspended).toBe(true);
  await suspendedRun;
  await expectRest(world);
});

test('4: who joins while the last run writes the files is told to write them again', async () => {
  const world = openWorld(6);
  await prepareOnly(world);
  const [first, second] = [await open(world, 'first'), await open(world, 'second')];
  world.apiFaultOf = (program) => (program === 'first' ? 'lost_before' : null);
  let whenEnding = (): void => {};
  const ending = new Promise<void>((resolve) => {
    whenEnding = resolve;
  });
  onceIn(world, first, 'endRunWithFiles', any, () => {
    whenEnding();
    return { kind: 'hold_before', durationInMs: 400 };
  });
  const firstRun = run(world, first, 'join');
  await ending;
  await run(world, second, 'join');
  await firstRun;
  await checkFiles(world, lane);
  expect(world.violations).toEqual([]);
});

test('4: who ends while a killed worker still has its lease does not leave rows without files behind', async () => {
  const world = openWorld(6, { isOneHost: false });
  await prepareOnly(world);
  for (const number of world.plan.numberOf.values()) world.api.refused.add(number);
  const killed = await open(world, 'killed');
  onceIn(world, killed, 'claimRows', any, () => {
    killed.kill();
    return null;
  });
  await run(world, killed, 'join');
  const end = await run(world, await open(world, 'other'), 'join');
  expect(end).toEqual(
    expect.objectContaining({ exitCode: exitCodes.rowsNeedCorrection, hasWrittenFiles: true }),
  );
});

test('9: rows that were put back are sent although the clock was set back', async () => {
  const world = openWorld(6);
  world.apiFaultOf = () => 'not_sent';
  await run(world, await open(world, 'first'), 'import');
  world.apiFaultOf = () => null;
  await moveClock(lane, -3_600_000);
  await expectRest(world);
});

test('9: who waits for a killed worker ends although the clock was set back', async () => {
  const world = openWorld(40, { rowsPerClaim: 4 });
  await prepareOnly(world);
  const [killed, other] = [await open(world, 'killed'), await open(world, 'other')];
  world.api.leastLatencyInMs = 300;
  const whenSent = new Promise<void>((resolve) => {
    world.apiFaultOf = () => {
      resolve();
      return null;
    };
  });
  const runs = [run(world, killed, 'join')];
  await whenSent;
  runs.push(run(world, other, 'join'));
  await sleep(150);
  killed.kill();
  await moveClock(lane, -25 * 3_600_000);
  await expectEnds(runs);
  await expectRest(world);
});
