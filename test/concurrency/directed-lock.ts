import { expect } from 'vitest';
import { banks } from './batch-plan.ts';
import type { Program } from './program.ts';
import { type DirectedSchedule, expectEnds, onceAt, run, type Stage, takesChunks } from './stage.ts';
import type { Step } from './wire.ts';
import type { World } from './world.ts';

/** The longest wait for something that may not happen; real milliseconds. */
const longestHoldInMs = 600;

/** The longest wait for something that certainly happens, also on a busy machine. */
const longHoldInMs = 5_000;

/**
 * Holds a program's step, before it reaches the database, until something has happened.
 * @returns resolves when the program has come to the step
 */
function holdStep(
  world: World,
  program: Program,
  suits: (step: Step, isInTransaction: boolean) => boolean,
  until: () => Promise<unknown>,
  atMostInMs = longestHoldInMs,
): Promise<void> {
  return new Promise((resolve) => {
    onceAt(world, program, suits, () => {
      const others = program.outlast;
      program.outlast = async (hold) => {
        program.outlast = others;
        await Promise.race([until(), others(hold)]);
      };
      resolve();
      return { kind: 'hold_before', durationInMs: atMostInMs };
    });
  });
}

const never = new Promise<never>(() => {});

/** Whether a step begins, or commits, the transaction of a verb. */
function isOf(program: Program, verb: string, kind: Step['kind']): (step: Step) => boolean {
  return (step) => step.kind === kind && (program.underWay.get(verb) ?? 0) > 0;
}

/** A batch whose rows are ready in one chunk, and two programs that join it. */
async function openTwo(stage: Stage): Promise<{ world: World; sending: Program; other: Program }> {
  const world = stage.openWorld(6, { rowsPerClaim: 20 });
  await stage.prepareOnly(world);
  return { world, sending: await stage.open(world, 'sending'), other: await stage.open(world, 'other') };
}

/** What the lock of the batch is there for, and the guards under it. */
export const lockSchedules: readonly DirectedSchedule[] = [
  {
    name: 'a recheck that comes while a claim is being committed takes none of its rows',
    happen: async (stage) => {
      const { world, sending, other } = await openTwo(stage);
      // The recheck moves the rows once the claim is about to be committed, and is committed when they were handed over.
      let committing = Promise.resolve();
      holdStep(world, other, isOf(other, 'writeRechecked', 'commit'), () => never);
      const moving = holdStep(world, other, isOf(other, 'writeRechecked', 'begin'), () => committing);
      const claiming = holdStep(
        world,
        sending,
        ({ sql }) => sql.includes(takesChunks),
        () => moving,
      );
      const runs = [run(world, sending, 'join')];
      await claiming;
      committing = holdStep(world, sending, isOf(sending, 'claimRows', 'commit'), () => never);
      world.api.banks = banks.slice(1);
      runs.push(run(world, other, 'join'));
      await expectEnds(runs);
      await stage.expectRest(world);
    },
  },
  {
    name: 'a recheck that found rows ready leaves them to the worker that has claimed them since',
    happen: async (stage) => {
      const { world, sending, other } = await openTwo(stage);
      world.api.leastLatencyInMs = 2 * longestHoldInMs;
      const firstSent = new Promise<void>((resolve) => {
        world.apiFaultOf = () => {
          resolve();
          return null;
        };
      });
      const [movesRows, claims] = [
        isOf(other, 'writeRechecked', 'begin'),
        isOf(sending, 'claimRows', 'begin'),
      ];
      const moving = holdStep(world, other, movesRows, () => firstSent, longHoldInMs);
      const beforeClaim = holdStep(world, sending, claims, () => moving, longHoldInMs);
      const runs = [run(world, sending, 'join')];
      await beforeClaim;
      world.api.banks = banks.slice(1);
      runs.push(run(world, other, 'join'));
      await expectEnds(runs);
      await stage.expectRest(world);
    },
  },
  {
    name: 'rows that a killed worker claimed are taken over',
    happen: async (stage) => {
      const { world, sending } = await openTwo(stage);
      const isRecording = (): boolean => (sending.underWay.get('recordConclusions') ?? 0) > 0;
      onceAt(world, sending, isRecording, () => {
        sending.kill();
        return null;
      });
      await run(world, sending, 'join');
      await stage.expectRest(world);
    },
  },
  {
    name: 'a run whose files are older than the batch writes them again',
    happen: async (stage) => {
      const { world, sending, other } = await openTwo(stage);
      world.apiFaultOf = (program) => (program === 'sending' ? 'lost_before' : null);
      // The other run joins, sends, and writes its files between this one's reading of the rows and its writing.
      let otherRun: Promise<unknown> = Promise.resolve();
      const hasReadRows = new Promise<void>((resolve) => {
        onceAt(
          world,
          sending,
          ({ sql }) => sql.includes('"originalState"'),
          () => {
            resolve();
            return { kind: 'hold_reply', durationInMs: 0 };
          },
        );
      });
      sending.outlast = () => otherRun.then(() => {});
      const sendingRun = run(world, sending, 'join');
      await hasReadRows;
      otherRun = run(world, other, 'join');
      expect(await otherRun).toMatchObject({ outcome: 'done' });
      await sendingRun;
      await stage.expectFiles(world);
    },
  },
];
