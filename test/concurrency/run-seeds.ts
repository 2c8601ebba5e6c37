import { expect } from 'vitest';
import type { Outcome } from './schedule.ts';

/** Schedules of `npm test`, when `PAYBATCH_CONCURRENCY_SEEDS` says nothing else. */
const defaultSeeds = 6;

/** Schedules that happen beside each other, since they wait more than they work. */
const lanesPerShare = 10;

/** What a share needs that has any schedules. */
async function loadWorld() {
  const [{ openLane }, { report, runSchedule }, { startWorldServer }] = await Promise.all([
    import('./lane.ts'),
    import('./schedule.ts'),
    import('./world-server.ts'),
  ]);
  return { openLane, report, runSchedule, startWorldServer };
}

/** The one seed that a person wants to see again, or null. */
export function replayedSeed(): number | null {
  const given = process.env['PAYBATCH_CONCURRENCY_SEED'];
  return given === undefined || given === '' ? null : Number(given);
}

/**
 * Lets one share of the schedules happen; the shares run side by side, one a test file. Few schedules are all of the first
 * share: a server for each takes longer than they do.
 */
export async function runShare(share: number, given: number): Promise<void> {
  const count = Number(process.env['PAYBATCH_CONCURRENCY_SEEDS'] ?? defaultSeeds);
  const shares = count <= lanesPerShare ? 1 : given;
  if (share > shares) return;
  const { openLane, report, runSchedule, startWorldServer } = await loadWorld();
  const first = Number(process.env['PAYBATCH_CONCURRENCY_FIRST_SEED'] ?? 1);
  const mostFailures = Number(process.env['PAYBATCH_CONCURRENCY_FAILURES'] ?? 1);
  let next = first + share - 1;
  const failed: number[] = [];
  const late: number[] = [];
  const server = await startWorldServer();
  const work = async (): Promise<void> => {
    let lane = await openLane(server);
    while (next < first + count && failed.length < mostFailures) {
      const seed = next;
      next += shares;
      const outcome = await runSchedule(lane, seed);
      if (outcome.violations.length === 0) continue;
      process.stderr.write(`${report(outcome)}\n\n`);
      (isOnlyLate(outcome) ? late : failed).push(seed);
      // What hangs there may go on.
      lane = await openLane(server);
    }
    await lane.close();
  };
  try {
    await Promise.all(Array.from({ length: Math.min(lanesPerShare, Math.ceil(count / shares)) }, work));
    for (const seed of late) {
      const { violations } = await runSchedule(await openLane(server), seed);
      if (violations.length > 0) failed.push(seed);
    }
  } finally {
    await server.dispose();
  }
  if (failed.length > 0) expect.fail(`seeds that cost a row, see above: ${failed.join(', ')}`);
}

/**
 * Whether the first violation is about time. A busy machine may cause that, so such a schedule runs once more, alone. A
 * program that really hangs hangs again.
 */
function isOnlyLate({ violations: [first = ''] }: Outcome): boolean {
  return /\bhangs? for \d+ ms$/.test(first);
}

/** Lets the schedule of one seed happen and tells all that happened. */
export async function runSeed(seed: number): Promise<void> {
  const { openLane, report, runSchedule, startWorldServer } = await loadWorld();
  const server = await startWorldServer();
  const lane = await openLane(server);
  const outcome = await runSchedule(lane, seed);
  process.stdout.write(`${report(outcome)}\n`);
  await server.dispose();
  expect(outcome.violations).toEqual([]);
}
