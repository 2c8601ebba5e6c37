import { expect, it } from 'vitest';
import { openFamilyWorld } from './family-world.ts';
import { runSchedule } from './schedule.ts';

/** `PAYBATCH_FAMILY_SEED=7` repeats one schedule, `PAYBATCH_FAMILY_SEEDS=500` tries this number. */
const one = Number(process.env['PAYBATCH_FAMILY_SEED'] ?? '');
const count = Number(process.env['PAYBATCH_FAMILY_SEEDS'] ?? 32);

/**
 * Defines the tests of one of two files, which run beside each other.
 * @param share 1 for the odd seeds, 2 for the even ones
 */
export function testSeeds(share: 1 | 2): void {
  const all = one > 0 ? [one] : Array.from({ length: count }, (_, at) => at + 1);
  const seeds = all.filter((seed) => seed % 2 === share % 2);
  it.each(seeds)(
    'of a row, its corrections and its other readings one is created: schedule %i',
    async (seed) => {
      const world = await openFamilyWorld(seed);
      const violations = await runSchedule(world);
      expect(violations, world.story.join('\n')).toEqual([]);
    },
    5 * 60_000,
  );
  // A single seed is in one of the two files only; a file without a test would be a failure.
  if (seeds.length === 0) it('has no schedule of its own', () => {});
}
