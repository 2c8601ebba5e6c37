import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ClaimedRow, RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import type { Attempt } from '../../src/domain/sending/outcome.ts';
import { leaseInMs } from '../../src/send/lease.ts';
import { realMs } from './fast-time.ts';
import type { Fault } from './fault-proxy.ts';
import type { Program } from './program.ts';
import {
  type DirectedSchedule,
  expectEnds,
  onceAt,
  onceIn,
  openMoment,
  run,
  runOnceLost,
  type Stage,
  whenSuspended,
} from './stage.ts';
import { credential } from './whole-run.ts';
import type { Step } from './wire.ts';
import { type RunEnd, readFiled, type World } from './world.ts';

/**
 * Suspends a program at the BEGIN of a verb, which reaches the database when the program is awake again. Its other work
 * ends first and begins nothing new, so that the suspension affects only the verb.
 */
function standStillIn(world: World, program: Program, verb: string, awakening: Promise<void>): void {
  const untilAwake: Fault = { kind: 'hold_before', durationInMs: 50 };
  program.outlast = async ({ durationInMs }) => {
    await awakening;
    await sleep(durationInMs);
  };
  const beginsVerb = ({ kind }: Step): boolean => kind === 'begin' && (program.underWay.get(verb) ?? 0) > 0;
  onceAt(world, program, beginsVerb, () => {
    void program.suspendAtRest(awakening);
    const others = program.faultOf;
    let isStillBusy = true;
    void whenSuspended(program).then(() => {
      isStillBusy = false;
    });
    program.faultOf = (step, isInTransaction) =>
      isStillBusy && !isInTransaction ? untilAwake : others(step, isInTransaction);
    return untilAwake;
  });
}

/** Resolves when a program has called a verb this number of times more. */
async function untilCalled({ ended }: Program, verb: string, times: number): Promise<void> {
  const before = ended.get(verb) ?? 0;
  while ((ended.get(verb) ?? 0) < before + times) await sleep(1);
}

/**
 * One schedule for each guard of the ledger: the case that the guard prevents happens, and the guard has to hold. Times
 * as above.
 */
export const guards: readonly DirectedSchedule[] = [
  {
    name: 'a run that was considered lost does not finish the staging of the next import',
    happen: async (stage) => {
      const world = stage.openWorld(6, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      const awakening = openMoment();
      standStillIn(world, late, 'finishStaging', awakening.comes);
      const lateRun = run(world, late, 'import');
      // The batch is empty when the other run would finish it.
      next.outlast = async () => {
        await lateRun;
      };
      onceIn(
        world,
        next,
        'stageRows',
        ({ kind }) => kind === 'begin',
        () => {
          awakening.come();
          return { kind: 'hold_before', durationInMs: 0 };
        },
      );
      await whenSuspended(late);
      const nextRun = runOnceLost(world, next, 'import');
      expect(await lateRun).toMatchObject({ outcome: null });
      expect(await nextRun).toMatchObject({ outcome: 'done' });
      await stage.expectRest(world);
    },
  },
  {
    name: 'a run that was considered lost does not overwrite what a person decided meanwhile',
    happen: async (stage) => {
      const world = stage.openWorld(2, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      const awakening = openMoment();
      standStillIn(world, late, 'writePreparations', awakening.comes);
      const lateRun = run(world, late, 'import');
      await whenSuspended(late);
      world.apiFaultOf = () => 'lost_before';
      expect(await runOnceLost(world, next, 'resume')).toMatchObject({ outcome: 'decision_needed' });
      world.apiFaultOf = () => null;
      expect(await run(world, await stage.open(world, 'person'), 'resolve')).toMatchObject({
        outcome: 'done',
      });
      awakening.come();
      await lateRun;
      expect(world.violations).toEqual([]);
      await stage.expectRest(world);
    },
  },
  {
    name: 'a run that gives a sign of life while it is considered lost stays alive',
    happen: async (stage) => {
      const world = stage.openWorld(3, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      const awakening = openMoment();
      world.apiFaultOf = (program) => {
        if (program === 'late') void late.suspend(awakening.comes);
        return null;
      };
      // It has found the other run's lease over, and writes so when that one has been awake for two signs of life.
      onceIn(
        world,
        next,
        'beginRun',
        ({ sql }) => sql.startsWith('UPDATE runs SET ended_at'),
        () => {
          awakening.come();
          return { kind: 'hold_before', durationInMs: 0 };
        },
      );
      next.outlast = () => untilCalled(late, 'prolongRun', 2);
      const lateRun = run(world, late, 'import');
      await whenSuspended(late);
      let end: RunEnd;
      // As long as the other run is not found lost it keeps its batch without that.
      do {
        await sleep(realMs(1.2 * leaseInMs));
        end = await run(world, next, 'resume');
      } while (late.isSuspended);
      expect(end).toMatchObject({ outcome: 'busy' });
      expect(await lateRun).toMatchObject({ outcome: 'done' });
      await stage.expectRest(world);
    },
  },
  {
    name: 'an object that was created after a person had decided otherwise is kept as evidence',
    happen: async (stage) => {
      const world = stage.openWorld(1, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      const [arrival, awakening] = [openMoment(), openMoment()];
      world.apiFaultOf = (program) => {
        if (program === 'late') void late.suspend(awakening.comes);
        return program === 'next' ? 'lost_before' : null;
      };
      world.api.heldUntil = arrival.comes;
      const lateRun = run(world, late, 'import');
      await whenSuspended(late);
      world.api.heldUntil = null;
      await runOnceLost(world, next, 'resume');
      // The person does not wait, against the instructions.
      world.api.isUnderWay = () => false;
      await run(world, await stage.open(world, 'person'), 'resolve');
      await run(world, await stage.open(world, 'last'), 'resume');
      const objectsBefore = world.api.objects.length;
      arrival.come();
      while (world.api.objects.length === objectsBefore) await sleep(1);
      awakening.come();
      await lateRun;
      const kept = await late.verbs.listLateCreations(world.plan.id, 10);
      expect(kept.map(({ objectId }) => objectId)).toEqual(
        world.api.objects.slice(objectsBefore).map(({ id }) => id),
      );
      expect(kept).toHaveLength(1);
    },
  },
  {
    name: 'a run does not claim again what it put back itself',
    happen: async (stage) => {
      const world = stage.openWorld(3);
      world.apiFaultOf = () => 'not_sent';
      await expectEnds([run(world, await stage.open(world, 'first'), 'import')]);
      world.apiFaultOf = () => null;
      await stage.expectRest(world);
    },
  },
  {
    name: 'one id for rows of two batches at once is one row’s, and the other is held',
    happen: async (stage) => {
      const origin = 'https://both.example.test';
      const sides = [
        await openSide(stage, stage.openWorld(2, { origin }), ['object-1', 'object-2']),
        await openSide(stage, stage.openWorld(2, { origin }), ['object-2', 'object-1']),
      ];
      const halfDone = sides.map(() => openMoment());
      const allHalfDone = Promise.all(halfDone.map(({ comes }) => comes));
      await Promise.all(sides.map((side, at) => recordBoth(side, () => halfDone[at]?.come(), allHalfDone)));
      const rows = await Promise.all(
        sides.map(({ world, program }) => readFiled(program.verbs, world.plan.id)),
      );
      const created = rows.flat().filter(({ status }) => status === 'created');
      expect(created.map(({ objectId }) => objectId).sort()).toEqual(['object-1', 'object-2']);
      const others = rows.flat().filter(({ status }) => status !== 'created');
      expect(others).toMatchObject([
        { status: 'held', code: 'id_seen_before' },
        { status: 'held', code: 'id_seen_before' },
      ]);
    },
  },
];

/** A program that has claimed its batch's two rows and knows of an object for each. */
interface Side {
  readonly world: World;
  readonly program: Program;
  readonly runId: string;
  readonly conclusions: readonly RowConclusion[];
}

async function openSide(stage: Stage, world: World, objectIds: readonly string[]): Promise<Side> {
  await stage.prepareOnly(world);
  const program = await stage.open(world, 'recording');
  const [batchId, runId] = [world.plan.id, program.random.uuid()];
  await program.verbs.beginRun({
    id: runId,
    batchId,
    command: 'resume',
    leaseInMs: 60 * leaseInMs,
    join: false,
  });
  const rows = await program.verbs.claimRows({
    batchId,
    runId,
    credential,
    leaseToken: '7',
    keyLifetimeInMs: 86_400_000,
    approvalId: undefined,
    limit: 10,
    rows: 'all',
  });
  const conclusions = rows.map((row, at) => created(row, objectIds[at] ?? '', at === 0));
  return { world, program, runId, conclusions };
}

/** The first row is recorded without a word, the second with a note: each in a statement of its own. */
function created(row: ClaimedRow, objectId: string, isPlain: boolean): RowConclusion {
  const { row: number, generation, idempotencyKey, leaseToken } = row;
  const note = isPlain ? { code: null, message: null } : { code: 'answer_differs', message: 'In a name.' };
  const attempt: Attempt = {
    number: 1,
    outcome: 'created',
    reason: null,
    httpStatus: 201,
    objectId,
    durationInMs: 1,
    answer: null,
  };
  const conclusion = { state: 'created', objectId, ...note, attempts: [attempt] } as const;
  return { row: number, generation, idempotencyKey, leaseToken, conclusion };
}

/** Between its two statements the other side has made its first one, so that each waits for the other. */
async function recordBoth(
  { world, program, runId, conclusions }: Side,
  isHalfDone: () => void,
  allHalfDone: Promise<unknown>,
): Promise<void> {
  let inserted = 0;
  program.outlast = async () => {
    await allHalfDone;
  };
  onceIn(
    world,
    program,
    'recordConclusions',
    ({ sql }) => {
      if (sql.includes('INSERT INTO created_objects')) inserted += 1;
      return inserted === 2;
    },
    () => {
      isHalfDone();
      return { kind: 'hold_before', durationInMs: 0 };
    },
  );
  await program.verbs.recordConclusions(world.plan.id, runId, conclusions);
}
