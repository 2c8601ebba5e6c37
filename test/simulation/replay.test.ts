import { expect, it } from 'vitest';
import { realEngine } from './engine.ts';
import { replayedSeed } from './run-schedules.ts';
import { report, simulate } from './simulate.ts';

const seed = replayedSeed();

it.runIf(seed !== null).each(['anything', 'one contended batch', 'rows that always fail'] as const)(
  `seed ${seed} of %s, with everything that happens in it`,
  async (kind) => {
    const outcome = await simulate(seed ?? 0, realEngine, kind);
    process.stdout.write(`${report(outcome)}\n`);
    expect(outcome.violations).toEqual([]);
  },
);

it('the same seed gives the same trace, and another seed another one', async () => {
  const hashes: string[] = [];
  for (let again = 0; again < 2; again += 1) {
    for (let other = 1; other <= 40; other += 1) hashes.push((await simulate(other)).traceHash);
  }
  expect(hashes.slice(40)).toEqual(hashes.slice(0, 40));
  expect(new Set(hashes).size).toBe(40);
});
