import { expect } from 'vitest';

/** Schedules of `npm test`, when `PAYBATCH_SIMULATION_SCHEDULES` says nothing else. */
const defaultSchedules = 100;

/** Up to this number all are of the first share: to load the engine for another one takes as long as to let them happen. */
const fewSchedules = 400;

/** The one seed that a person wants to see again, or null. */
export function replayedSeed(): number | null {
  const given = process.env['PAYBATCH_SIMULATION_SEED'];
  return given === undefined || given === '' ? null : Number(given);
}

/**
 * Lets one share of the schedules happen, a quarter as many on one contended batch, and a twentieth with rows that always
 * fail; the shares run side by side, one a test file.
 */
export async function runShare(share: number, given: number): Promise<void> {
  const schedules = Number(process.env['PAYBATCH_SIMULATION_SCHEDULES'] ?? defaultSchedules);
  const shares = schedules <= fewSchedules ? 1 : given;
  if (share > shares) return;
  const [{ realEngine }, { report, simulate }] = await Promise.all([
    import('./engine.ts'),
    import('./simulate.ts'),
  ]);
  for (let seed = share; seed <= schedules; seed += shares) {
    const outcome = await simulate(seed);
    if (outcome.violations.length > 0) expect.fail(report(outcome));
  }
  for (let seed = share; seed <= schedules / 4; seed += shares) {
    const outcome = await simulate(seed, realEngine, 'one contended batch');
    if (outcome.violations.length > 0) expect.fail(report(outcome));
  }
  for (let seed = share; seed <= schedules / 20; seed += shares) {
    const outcome = await simulate(seed, realEngine, 'rows that always fail');
    if (outcome.violations.length > 0) expect.fail(report(outcome));
  }
}
