import { expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { createRandom } from '../simulation/random.ts';
import { openDesk } from '../support/cli-desk.ts';
import { answerOf, type FamilyWorld, writeFirstFiles } from './family-world.ts';
import { runSchedule } from './schedule.ts';

/** `PAYBATCH_FAMILY_SEED=7` repeats one schedule, `PAYBATCH_FAMILY_SEEDS=500` tries so many. */
const one = process.env['PAYBATCH_FAMILY_SEED'];
const seeds =
  one === undefined || one === ''
    ? Array.from({ length: Number(process.env['PAYBATCH_FAMILY_SEEDS'] ?? 3) }, (_, at) => at + 1)
    : [Number(one)];

it.each(seeds)(
  'of a row, its corrections and its other readings one is created: schedule %i',
  async (seed) => {
    const random = createRandom(seed);
    const desk = await openDesk({ onRequest: () => answerOf(world) });
    const ledger = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(() => ledger.close());
    const world: FamilyWorld = {
      ...{ desk, ledger, random, corrected: [], failed: [], words: new Map(), story: [], isWell: false },
    };
    await writeFirstFiles(world);
    const violations = await runSchedule(world);
    expect(violations, world.story.join('\n')).toEqual([]);
  },
  10 * 60_000,
);
