import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { leaseInMs } from '../../src/send/lease.ts';
import { banks, planBatch } from './batch-plan.ts';
import { realMs } from './fast-time.ts';
import type { Fault } from './fault-proxy.ts';
import { createWorld, type Lane, type WorldOptions } from './lane.ts';
import type { Program } from './program.ts';
import { bringToRest, checkFiles } from './rest.ts';
import { type Command, runWhole } from './whole-run.ts';
import type { Step } from './wire.ts';
import type { RunEnd, World } from './world.ts';

/** A way in which the ledger lost rows, made duplicates or kept its users waiting, made to happen step by step. */
export interface DirectedSchedule {
  readonly name: string;
  /** @throws when what has to hold does not */
  readonly happen: (stage: Stage) => Promise<void>;
}

/** Where one directed schedule happens: a lane with its worlds and programs. */
export class Stage {
  readonly lane: Lane;
  readonly worlds: World[] = [];
  readonly #programs: Program[] = [];

  constructor(lane: Lane) {
    this.lane = lane;
  }

  /**
   * A world with a batch of this number of rows, all at the first bank.
   * @param origin of its API, for batches of one environment
   */
  openWorld(
    rows: number,
    { origin, ...options }: Omit<WorldOptions, 'seed' | 'plan'> & { readonly origin?: string } = {},
  ): World {
    const seed = this.worlds.length + 1;
    const plan = planBatch(
      `defect-${seed}`,
      rows,
      () => banks[0],
      () => null,
      origin,
    );
    const world = createWorld(this.lane, { seed, plan, ...options });
    this.worlds.push(world);
    return world;
  }

  async open(world: World, name: string): Promise<Program> {
    const program = await this.lane.openProgram(name, world.newRandom());
    this.#programs.push(program);
    return program;
  }

  /** Stages the batch and writes its requests, and is killed before it claims any. */
  async prepareOnly(world: World): Promise<void> {
    const program = await this.open(world, 'preparer');
    const groups = Math.ceil(world.plan.rows.length / world.rowsPerPreparation);
    const isPrepared = (): boolean => (program.ended.get('writePreparations') ?? 0) >= groups;
    // On a busy machine a sign of life may be under way beside the claim.
    const isClaiming = (): boolean => (program.underWay.get('claimRows') ?? 0) > 0;
    onceAt(
      world,
      program,
      () => isPrepared() && isClaiming(),
      () => {
        program.kill();
        return null;
      },
    );
    await run(world, program, 'import');
    world.ends.length = 0;
  }

  async expectRest(world: World): Promise<void> {
    await bringToRest(world, this.lane);
    expect(world.violations).toEqual([]);
  }

  /** The files tell of the batch as it is. */
  async expectFiles(world: World): Promise<void> {
    await checkFiles(world, this.lane);
    expect(world.violations).toEqual([]);
  }

  async close(): Promise<void> {
    for (const program of this.#programs) program.kill();
    await this.lane.close();
  }
}

const longestRunInMs = 8_000;

/** Nobody waits for ever: all of these runs come to an end. */
export async function expectEnds(runs: readonly Promise<RunEnd>[]): Promise<void> {
  const ends = await Promise.race([Promise.all(runs), sleep(longestRunInMs, 'some run does not end')]);
  expect(ends).toHaveLength(runs.length);
}

export function run(world: World, program: Program, command: Command, maxAttempts = 1): Promise<RunEnd> {
  return runWhole(world, program, { command, concurrency: 4, maxAttempts });
}

/** Whether a program's steps are those of this verb, and of no other that is under way beside it. */
function isOnly({ underWay }: Program, verb: string): boolean {
  const names = [...underWay].flatMap(([name, count]) => (count > 0 ? [name] : []));
  return names.length === 1 && names[0] === verb;
}

/** What a connection begins with, or is asked before it is used again. */
function isOfDriver({ sql }: Step): boolean {
  return /^(SET|select version|SELECT 1$|SELECT set_config\(name)/i.test(sql);
}

/** Once for the first step of a verb that suits. */
export function onceIn(
  world: World,
  program: Program,
  verb: string,
  suits: (step: Step, isInTransaction: boolean) => boolean,
  fault: () => Fault | null,
): void {
  onceAt(
    world,
    program,
    (step, isInTransaction) => isOnly(program, verb) && suits(step, isInTransaction),
    fault,
  );
}

/** Once for the first step of a program that suits. */
export function onceAt(
  world: World,
  program: Program,
  suits: (step: Step, isInTransaction: boolean) => boolean,
  fault: () => Fault | null,
): void {
  const others = program.faultOf;
  let isDone = false;
  program.faultOf = (step, isInTransaction) => {
    if (isDone || isOfDriver(step) || !suits(step, isInTransaction)) return others(step, isInTransaction);
    isDone = true;
    world.note(`${program.name} meets a fault at ${step.sql.replaceAll(/\s+/g, ' ').slice(0, 80)}`);
    return fault();
  };
}

/** A moment that a schedule brings about: what waits for it waits however busy the machine is. */
export function openMoment(): { readonly comes: Promise<void>; readonly come: () => void } {
  let come = (): void => {};
  const comes = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { comes, come };
}

/**
 * Runs a command as soon as the program that holds the batch, which is suspended on another host, is considered lost.
 * Its last sign of life may arrive late on a busy machine.
 */
export async function runOnceLost(world: World, program: Program, command: Command): Promise<RunEnd> {
  for (;;) {
    await sleep(realMs(1.2 * leaseInMs));
    const end = await run(world, program, command);
    if (end.outcome !== 'busy') return end;
  }
}

export async function whenSuspended(program: Program): Promise<void> {
  while (!program.isSuspended) await sleep(1);
}

export const any = (): boolean => true;

/** A step that makes what was done before, or itself, visible to others. */
export function commits(step: Step, isInTransaction: boolean): boolean {
  return step.kind === 'commit' || (step.kind === 'statement' && !isInTransaction);
}

/** Part of the statement with which a claim takes chunks. */
export const takesChunks = 'UPDATE send_chunks c SET lease_token';

/** The COMMIT of the next claim that takes chunks; most claims that are tried find nothing to take. */
export function commitsClaim(): (step: Step) => boolean {
  let hasTaken = false;
  return ({ sql, kind }) => {
    if (sql.includes(takesChunks)) hasTaken = true;
    return hasTaken && kind === 'commit';
  };
}
