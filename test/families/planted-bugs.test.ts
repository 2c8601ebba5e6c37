import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { runCommandLine } from '../../src/cli/run-command-line.ts';
import { openSourceCopies, type SourceCopies } from '../simulation/patched-source.ts';
import { openFamilyWorld, type Planted } from './family-world.ts';
import { type PlantedBug, plantedBugs } from './planted-bugs.ts';
import { runSchedule } from './schedule.ts';

/** Schedules within which a bug has to show whose own seed does not show it any more. */
const mostSeeds = 64;

/** It has shown that a row which was to be sent besides, and was then corrected, raised the exit code for good. */
const foundOne = 9;

let copies: SourceCopies;
beforeAll(async () => {
  copies = await openSourceCopies(['src', 'migrations']);
});
afterAll(() => copies.remove());

async function programWith({ edits, sql }: Pick<PlantedBug, 'edits' | 'sql'>): Promise<Planted> {
  const load = await copies.copyWith(edits);
  const { runCommandLine: commandLine } = (await load('src/cli/run-command-line.ts')) as {
    runCommandLine: typeof runCommandLine;
  };
  return { commandLine, sql };
}

/** What the schedule of a seed finds wrong with a program. */
async function findWrong(seed: number, program: Planted): Promise<string[]> {
  const world = await openFamilyWorld(seed, program);
  try {
    return await runSchedule(world);
  } catch (error) {
    // The program ended with an internal error, or did what the schedule itself refuses.
    return [String(error)];
  }
}

const noBug = { edits: [], sql: '' };

it('finds nothing in a copy without a bug', async () => {
  const program = await programWith(noBug);
  for (const seed of new Set([foundOne, ...plantedBugs.map((each) => each.seed)]))
    expect([seed, await findWrong(seed, program)]).toEqual([seed, []]);
}, 300_000);

describe('the schedules notice', () => {
  it.each(plantedBugs)(
    '$name',
    async ({ seed, name, ...planted }) => {
      const program = await programWith(planted);
      const others = Array.from({ length: mostSeeds }, (_, at) => at + 1);
      for (const tried of [seed, ...others]) {
        const wrong = await findWrong(tried, program);
        if (wrong.length === 0) continue;
        if (tried !== seed) process.stdout.write(`${name}: seed ${tried}: ${wrong.join('; ')}\n`);
        return;
      }
      expect.fail(`not one of ${mostSeeds} schedules noticed it`);
    },
    600_000,
  );
});
