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
  run,
  type Stage,
  whenSuspended,
} from './stage.ts';
import { credential } from './whole-run.ts';
import type { Step } from './wire.ts';
import { readFiled, type World } from './world.ts';

/** When a program that was suspended at 0 is taken for lost for certain. */
const whenLost = realMs(1.2 * leaseInMs);

/**
 * Suspends a program at the BEGIN of a verb, which reaches the database when the program is awake again. What it does
 * beside that ends first, and begins nothing new, so that the verb is all that the suspension meets.
 */
function standStillIn(world: World, program: Program, verb: string, durationInMs: number): void {
  const untilAwake: Fault = { kind: 'hold_before', durationInMs: durationInMs + 50 };
  const beginsVerb = ({ kind }: Step): boolean => kind === 'begin' && (program.underWay.get(verb) ?? 0) > 0;
  onceAt(world, program, beginsVerb, () => {
    void program.suspendAtRest(durationInMs);
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

/** One schedule for each guard of the ledger: what it is there for happens, and it has to hold. Times as above. */
export const guards: readonly DirectedSchedule[] = [
  {
    name: 'a run that was taken for lost does not finish the staging of the next import',
    happen: async (stage) => {
      const world = stage.openWorld(6, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      standStillIn(world, late, 'finishStaging', whenLost + 300);
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
        () => ({ kind: 'hold_before', durationInMs: 0 }),
      );
      await whenSuspended(late);
      await sleep(whenLost);
      const nextRun = run(world, next, 'import');
      expect(await lateRun).toMatchObject({ outcome: null });
      expect(await nextRun).toMatchObject({ outcome: 'done' });
      await stage.expectRest(world);
    },
  },
  {
    name: 'a run that was taken for lost prepares nothing over what a person decided meanwhile',
    happen: async (stage) => {
      const world = stage.openWorld(2, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      standStillIn(world, late, 'writePreparations', 3 * whenLost);
      const lateRun = run(world, late, 'import');
      await whenSuspended(late);
      await sleep(whenLost);
      world.apiFaultOf = () => 'lost_before';
      expect(await run(world, next, 'resume')).toMatchObject({ outcome: 'decision_needed' });
      world.apiFaultOf = () => null;
      expect(await run(world, await stage.open(world, 'person'), 'resolve')).toMatchObject({
        outcome: 'done',
      });
      expect(late.isSuspended).toBe(true);
      await lateRun;
      expect(world.violations).toEqual([]);
      await stage.expectRest(world);
    },
  },
  {
    name: 'a run that gives a sign of life while it is taken for lost stays what it is',
    happen: async (stage) => {
      const world = stage.openWorld(3, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      let awake = (): void => {};
      const isAwake = new Promise<void>((resolve) => {
        awake = resolve;
      });
      world.apiFaultOf = (program) => {
        if (program === 'late') void late.suspend(isAwake);
        return null;
      };
      // It has found the other run's lease over, and writes so when that one has been awake for two signs of life.
      onceIn(
        world,
        next,
        'beginRun',
        ({ sql }) => sql.startsWith('UPDATE runs SET ended_at'),
        () => {
          awake();
          return { kind: 'hold_before', durationInMs: 0 };
        },
      );
      next.outlast = () => untilCalled(late, 'prolongRun', 2);
      const lateRun = run(world, late, 'import');
      await whenSuspended(late);
      await sleep(whenLost);
      expect(await run(world, next, 'resume')).toMatchObject({ outcome: 'busy' });
      expect(await lateRun).toMatchObject({ outcome: 'done' });
      await stage.expectRest(world);
    },
  },
  {
    name: 'an object that was created after a person had decided otherwise is kept as evidence',
    happen: async (stage) => {
      const world = stage.openWorld(1, { isOneHost: false });
      const [late, next] = [await stage.open(world, 'late'), await stage.open(world, 'next')];
      world.apiFaultOf = (program) => {
        if (program === 'late') void late.suspend(2 * whenLost + 200);
        return program === 'next' ? 'lost_before' : null;
      };
      world.api.leastLatencyInMs = 2 * whenLost;
      const lateRun = run(world, late, 'import');
      await whenSuspended(late);
      world.api.leastLatencyInMs = 0;
      await sleep(whenLost);
      await run(world, next, 'resume');
      // The person does not wait, as people are told to.
      world.api.isUnderWay = () => false;
      await run(world, await stage.open(world, 'person'), 'resolve');
      await run(world, await stage.open(world, 'last'), 'resume');
      const objectsBefore = world.api.objects.length;
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
      await Promise.all(sides.map(recordBoth));
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
async function recordBoth({ world, program, runId, conclusions }: Side): Promise<void> {
  let inserted = 0;
  onceIn(
    world,
    program,
    'recordConclusions',
    ({ sql }) => {
      if (sql.includes('INSERT INTO created_objects')) inserted += 1;
      return inserted === 2;
    },
    () => ({ kind: 'hold_before', durationInMs: 300 }),
  );
  await program.verbs.recordConclusions(world.plan.id, runId, conclusions);
}
