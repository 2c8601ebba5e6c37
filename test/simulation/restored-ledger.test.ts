import { expect, it } from 'vitest';
import { realEngine } from './engine.ts';
import { simulateRestored } from './restored-ledger.ts';
import { report } from './simulate.ts';

const schedules = 80;

it('a ledger that was restored from a backup sends nothing that was sent since, unless its log was moved away', async () => {
  let refused = 0;
  let wentOn = 0;
  for (let seed = 1; seed <= schedules; seed += 1) {
    const outcome = await simulateRestored(seed);
    if (outcome.trace.some((line) => line.includes('log_moved'))) continue;
    if (outcome.violations.length > 0) expect.fail(report(outcome));
    if (outcome.isRefused) refused += 1;
    else if (outcome.sentSince === 0) wentOn += 1;
  }
  expect(refused).toBeGreaterThan(10);
  expect(wentOn).toBeGreaterThan(2);
});

it('a run that does not look at its log creates objects twice', async () => {
  const blind = { ...realEngine, compareLog: async () => ({ isAhead: false, unknownRuns: [] }) };
  const broken = new Set<string>();
  for (let seed = 1; seed <= schedules; seed += 1) {
    const { violations } = await simulateRestored(seed, blind);
    for (const { invariant } of violations) broken.add(invariant);
  }
  expect(broken).toContain('one object for a natural key');
});
