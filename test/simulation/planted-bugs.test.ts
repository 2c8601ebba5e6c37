import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulateDamagedLog } from './damaged-log.ts';
import type { Engine } from './engine.ts';
import { patchedEngine } from './patched-engine.ts';
import { openSourceCopies, type SourceCopies } from './patched-source.ts';
import { engineBugs, ledgerBugs, logBugs, overlapBugs, type PlantedBug } from './planted-bugs.ts';
import { type Outcome, simulate } from './simulate.ts';
import { simulateSplitBrain } from './split-brain.ts';

/** Schedules within which every planted bug has to show. */
const mostSchedules = 15_000;

let copies: SourceCopies;
beforeAll(async () => {
  copies = await openSourceCopies();
});
afterAll(() => copies.remove());

function scheduleOf({ scenario, shownBy }: PlantedBug): (seed: number, engine: Engine) => Promise<Outcome> {
  if (shownBy === 'split brain') return simulateSplitBrain;
  if (shownBy === 'damaged log') return simulateDamagedLog;
  return (seed, engine) => simulate(seed, engine, scenario);
}

async function firstCatch(bug: PlantedBug): Promise<Outcome | undefined> {
  const { edits, caughtBy } = bug;
  const engine = await patchedEngine(copies, edits);
  const schedule = scheduleOf(bug);
  for (let tried = 0; tried <= mostSchedules; tried += 1) {
    const outcome = await schedule(tried === 0 ? (bug.seed ?? 1) : tried, engine);
    if (outcome.violations.some(({ invariant }) => caughtBy.includes(invariant))) return outcome;
  }
  return undefined;
}

describe('the simulation notices', () => {
  it.each([...engineBugs, ...logBugs, ...ledgerBugs, ...overlapBugs])(
    '$name',
    async (bug) => {
      const caught = await firstCatch(bug);
      expect(caught, `not one of ${mostSchedules} schedules noticed it`).toBeDefined();
      const [first] = caught?.violations ?? [];
      if (process.env['PAYBATCH_SIMULATION_TABLE'] !== undefined) {
        process.stdout.write(`| ${bug.name} | ${first?.invariant} | ${caught?.seed} |\n`);
      }
    },
    900_000,
  );
});

it('a planted bug whose snippet is gone fails, instead of passing unplanted', async () => {
  const edits = [{ within: 'tryOnce', find: 'no such snippet', replace: '' }];
  await expect(patchedEngine(copies, edits)).rejects.toThrow('has 0 times, and not once');
});
