import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../simulation/random.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { openFaultProxy } from './fault-proxy.ts';

const rows = 150;

/** The times are the product's own here, so the faults are those that pass within its patience. */
it.each([1, 2])('whole programs send each row once while commits come late: seed %i', async (seed) => {
  const random = createRandom(seed);
  const desk = await openDesk({ program: 'started', latencyInMs: 15 });
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const { summary } = await desk.json(['plan', file]);
  const batch = summary.batches[0]?.batch ?? '';
  let faults = 0;
  const start = async () => {
    const proxy = await openFaultProxy({
      databaseUrl: desk.databaseUrl ?? '',
      faultOf: ({ kind }) => {
        if (kind !== 'commit' || !random.chance(0.15)) return null;
        faults += 1;
        const durationInMs = random.whole(5, 400);
        return { kind: random.pick(['hold_before', 'hold_reply'] as const), durationInMs };
      },
      outlast: ({ durationInMs }) => sleep(durationInMs),
      whileSuspended: () => null,
      isRefusing: () => false,
      administer: async () => {},
    });
    onTestFinished(() => proxy.close());
    return desk.start(['resume', batch, '--join', '--json'], { env: { DATABASE_URL: proxy.databaseUrl } });
  };
  const runs = [await start(), await start(), await start()];
  await sleep(random.whole(600, 1_000));
  runs[0]?.child.kill('SIGSTOP');
  await sleep(random.whole(100, 1_000));
  runs[0]?.child.kill('SIGCONT');
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(faults).toBeGreaterThan(0);
  const { summary: last } = await desk.json(['import', file]);
  expect(last).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
  expect(desk.sandbox.counts().sandbox).toMatchObject({
    created: { customers: rows },
    duplicates: { customers: 0 },
  });
});
