import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edit, openSourceCopies, type SourceCopies } from '../simulation/patched-source.ts';
import type * as directed from './directed-schedules.ts';
import type * as lanes from './lane.ts';
import { plantedBugs } from './planted-bugs.ts';
import type * as stages from './stage.ts';
import { startWorldServer, type WorldServer } from './world-server.ts';

type Parts = typeof directed & typeof lanes & typeof stages;

let server: WorldServer;
let copies: SourceCopies;

/** Program and test of one piece, compiled, with these edits. */
async function copyWith(edits: readonly Edit[]): Promise<Parts> {
  const load = await copies.copyWith(edits);
  const names = ['directed-schedules', 'lane', 'stage'];
  return Object.assign({}, ...(await Promise.all(names.map((name) => load(`test/concurrency/${name}.ts`)))));
}

async function happen(parts: Parts, name: string, sql: string | undefined): Promise<void> {
  const schedule = parts.directedSchedules.find((each) => each.name === name);
  if (schedule === undefined) throw new Error(`there is no directed schedule "${name}"`);
  const lane = await parts.openLane(server);
  if (sql !== undefined) await lane.administer(sql);
  const stage = new parts.Stage(lane);
  try {
    await schedule.happen(stage);
  } finally {
    await stage.close();
  }
}

describe('the concurrency test', () => {
  beforeAll(async () => {
    copies = await openSourceCopies([
      ...['src', 'migrations', 'test/concurrency', 'test/simulation', 'test/recover'],
    ]);
    server = await startWorldServer();
  });
  afterAll(async () => {
    await copies.remove();
    await server.dispose();
  });

  it('passes in a copy without any bug', async () => {
    const parts = await copyWith([]);
    // The schedules that notice nothing planted happen in the sources themselves, in known-defects.test.ts.
    for (const name of new Set(plantedBugs.map(({ noticedBy }) => noticedBy)))
      await happen(parts, name, undefined);
  }, 600_000);

  for (const { name, edits, sql, noticedBy } of plantedBugs) {
    // Whether two programs meet at the very moment that a mistake needs is a matter of a busy machine's times.
    it(`notices: ${name}`, { retry: 2, timeout: 100_000 }, async () => {
      const parts = await copyWith(edits);
      await expect(happen(parts, noticedBy, sql)).rejects.toThrow();
    });
  }
});
