import { expect, it } from 'vitest';
import { realEngine } from './engine.ts';
import { report } from './simulate.ts';
import { simulateSplitBrain } from './split-brain.ts';

/** `PAYBATCH_SPLIT_SEEDS=1000` tries this number of schedules. */
const schedules = Number(process.env['PAYBATCH_SPLIT_SEEDS'] ?? 30);

it('two ledgers that write to one log send no row under two keys, and not all of their workers end well', async () => {
  let [split, refused] = [0, 0];
  for (let seed = 1; seed <= schedules; seed += 1) {
    const outcome = await simulateSplitBrain(seed);
    if (outcome.violations.length > 0) expect.fail(report(outcome));
    if (outcome.isSplit) split += 1;
    if (outcome.isRefused) refused += 1;
  }
  expect(split).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
}, 600_000);

it('a worker that does not look at what others claim creates objects twice', async () => {
  const blind = { ...realEngine, compareLog: async () => ({ isAhead: false, unknownRuns: [] }) };
  const broken = new Set<string>();
  for (let seed = 1; seed <= schedules && broken.size === 0; seed += 1) {
    for (const { invariant } of (await simulateSplitBrain(seed, blind)).violations) broken.add(invariant);
  }
  expect(broken).toContain('one object for a natural key');
}, 600_000);
