import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { banks } from './batch-plan.ts';
import type { Fault } from './fault-proxy.ts';
import { moveClock } from './lane.ts';
import {
  any,
  commits,
  commitsClaim,
  type DirectedSchedule,
  expectEnds,
  onceAt,
  onceIn,
  openMoment,
  run,
  runOnceLost,
  whenSuspended,
} from './stage.ts';

/**
 * One schedule for each way in which claims by portions lost rows, made duplicates or kept their users waiting;
 * numbered as they were reported. Times are real milliseconds; a lease lasts 1,000 of them.
 */
export const portionDefects: readonly DirectedSchedule[] = [
  {
    name: '1: a recheck takes no rows that a claim takes while it waits for another claim',
    happen: async (stage) => {
      const world = stage.openWorld(30, { rowsPerClaim: 5 });
      await stage.prepareOnly(world);
      const [first, second, rechecking] = [
        await stage.open(world, 'first'),
        await stage.open(world, 'second'),
        await stage.open(world, 'rechecking'),
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
      await stage.expectRest(world);
    },
  },
  ...(
    [
      ['comes late', { kind: 'late', durationInMs: 300 }],
      ['waits for a replica', { kind: 'stalled_commit', durationInMs: 300, isCut: true }],
    ] as const
  ).map(
    ([how, fault]): DirectedSchedule => ({
      name: `2: a claim whose connection breaks while its COMMIT ${how} is not made twice`,
      happen: async (stage) => {
        const world = stage.openWorld(40, { rowsPerPreparation: 10, rowsPerClaim: 8 });
        await stage.prepareOnly(world);
        const program = await stage.open(world, 'program');
        // No answer is there before both claims are.
        world.api.leastLatencyInMs = 300;
        onceAt(world, program, commitsClaim(), () => fault);
        expect(await run(world, program, 'resume')).toMatchObject({ outcome: 'done' });
        world.api.leastLatencyInMs = 0;
        await stage.expectRest(world);
      },
    }),
  ),
  {
    name: '3: a worker that was suspended while it waited for a retry sends nothing under a lost lease',
    happen: async (stage) => {
      const world = stage.openWorld(3, { isOneHost: false });
      const [suspended, successor] = [
        await stage.open(world, 'suspended'),
        await stage.open(world, 'successor'),
      ];
      const awakening = openMoment();
      world.apiFaultOf = (program) => {
        if (program === 'successor') return 'lost_before';
        if (program !== 'suspended' || suspended.isSuspended) return 'server_error';
        void suspended.suspend(awakening.comes);
        return 'server_error';
      };
      const suspendedRun = run(world, suspended, 'import', 4);
      await whenSuspended(suspended);
      const end = await runOnceLost(world, successor, 'resume');
      expect(end).toMatchObject({ outcome: 'decision_needed' });
      world.apiFaultOf = () => null;
      expect(await run(world, await stage.open(world, 'person'), 'resolve')).toMatchObject({
        outcome: 'done',
      });
      expect(await run(world, await stage.open(world, 'last'), 'resume')).toMatchObject({
        outcome: 'done',
      });
      awakening.come();
      await suspendedRun;
      await stage.expectRest(world);
    },
  },
  {
    name: '4: a run that joins while the last run writes the files makes it write them again',
    happen: async (stage) => {
      const world = stage.openWorld(6);
      await stage.prepareOnly(world);
      const [first, second] = [await stage.open(world, 'first'), await stage.open(world, 'second')];
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
      await stage.expectFiles(world);
    },
  },
  {
    name: '4: who ends while a killed worker still has its lease does not leave rows without files behind',
    happen: async (stage) => {
      const world = stage.openWorld(6, { isOneHost: false });
      await stage.prepareOnly(world);
      for (const number of world.plan.numberOf.values()) world.api.refused.add(number);
      const killed = await stage.open(world, 'killed');
      onceIn(world, killed, 'claimRows', any, () => {
        killed.kill();
        return null;
      });
      await run(world, killed, 'join');
      const end = await run(world, await stage.open(world, 'other'), 'join');
      expect(end).toEqual(
        expect.objectContaining({ outcome: 'rows_need_correction', hasWrittenFiles: true }),
      );
    },
  },
  {
    name: '9: rows that were put back are sent although the clock was set back',
    happen: async (stage) => {
      const world = stage.openWorld(6);
      world.apiFaultOf = () => 'not_sent';
      await run(world, await stage.open(world, 'first'), 'import');
      world.apiFaultOf = () => null;
      await moveClock(stage.lane, -3_600_000);
      await stage.expectRest(world);
    },
  },
  {
    name: '9: who waits for a killed worker ends although the clock was set back',
    happen: async (stage) => {
      const world = stage.openWorld(40, { rowsPerClaim: 4 });
      await stage.prepareOnly(world);
      const [killed, other] = [await stage.open(world, 'killed'), await stage.open(world, 'other')];
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
      await moveClock(stage.lane, -25 * 3_600_000);
      await expectEnds(runs);
      await stage.expectRest(world);
    },
  },
];
