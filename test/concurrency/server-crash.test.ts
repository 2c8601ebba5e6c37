import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../simulation/random.ts';
import { openLane } from './lane.ts';
import { report, runSchedule } from './schedule.ts';
import { startWorldServer, type WorldServer } from './world-server.ts';

/** Schedules in each of which the server crashes; a crash takes most of a second. */
const crashes = Number(process.env['PAYBATCH_CONCURRENCY_CRASHES'] ?? 3);

let server: WorldServer;
beforeAll(async () => {
  server = await startWorldServer();
});
afterAll(() => server.dispose());

it.each(Array.from({ length: crashes }, (_, at) => at + 1))(
  'no crash of the database server costs a row: seed %i',
  async (seed) => {
    const lane = await openLane(server);
    const random = createRandom(seed + 1_000_000);
    const outcome = await runSchedule(lane, seed, async ({ progress, note }) => {
      await progress.reach(random.whole(30, 250), 1_000);
      note('the server crashes');
      await server.server.stop('immediate');
      await sleep(random.whole(0, 200));
      await server.server.start();
      note('the server is there again');
    });
    await lane.close();
    if (outcome.violations.length > 0) expect.fail(report(outcome));
  },
);
