import { expect, it } from 'vitest';
import { damages } from '../support/damaged-log.ts';
import { simulateDamagedLog } from './damaged-log.ts';
import { report } from './simulate.ts';

/** How many schedules each kind of damage gets: `PAYBATCH_DAMAGE_SEEDS=1000`. */
const seeds = Number(process.env['PAYBATCH_DAMAGE_SEEDS'] ?? 8);

it('a batch that is recovered from a damaged log creates nothing twice, and the damage is named', async () => {
  let [named, unnamed, held] = [0, 0, 0];
  for (let seed = 1; seed <= seeds * damages.length; seed += 1) {
    const outcome = await simulateDamagedLog(seed);
    if (outcome.violations.length > 0) expect.fail(`${outcome.damage}: ${report(outcome)}`);
    held += outcome.held;
    if (outcome.damage === 'cut') continue;
    if (outcome.isNamed) named += 1;
    else unnamed += 1;
  }
  expect(held).toBeGreaterThan(0);
  // What is changed within a piece that a crash has left says nothing, changed or not.
  expect(unnamed).toBeLessThan(named / 10);
}, 600_000);
