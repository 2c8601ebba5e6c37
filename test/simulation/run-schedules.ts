import { expect } from 'vitest';
import { realEngine } from './engine.ts';
import { report, simulate } from './simulate.ts';

/** Schedules of `npm test`, when `PAYBATCH_SIMULATION_SCHEDULES` says nothing else. */
const defaultSchedules = 500;

/** The one seed that a person wants to see again, or null. */
export function replayedSeed(): number | null {
  const given = process.env['PAYBATCH_SIMULATION_SEED'];
  return given === undefined || given === '' ? null : Number(given);
}

/** Lets one share of the schedules happen, and a quarter as many on one contended batch; the shares run side by side, one a test file. */
export async function runShare(share: number, shares: number): Promise<void> {
  const schedules = Number(process.env['PAYBATCH_SIMULATION_SCHEDULES'] ?? defaultSchedules);
  for (let seed = share; seed <= schedules; seed += shares) {
    const outcome = await simulate(seed);
    if (outcome.violations.length > 0) expect.fail(report(outcome));
  }
  for (let seed = share; seed <= schedules / 4; seed += shares) {
    const outcome = await simulate(seed, realEngine, 'one contended batch');
    if (outcome.violations.length > 0) expect.fail(report(outcome));
  }
}
