import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edit, openSourceCopies, type SourceCopies } from '../simulation/patched-source.ts';
import type * as directed from './directed-schedules.ts';
import type * as lanes from './lane.ts';
import { type PlantedBug, plantedBugs } from './planted-bugs.ts';
import type * as schedules from './schedule.ts';
import type { Theme } from './schedule-plan.ts';
import type * as stages from './stage.ts';
import { startWorldServer, type WorldServer } from './world-server.ts';

/** Schedules of a theme within which a bug that no directed one notices has to show. */
const mostSchedules = 200;

/** Schedules that happen beside each other, since they wait more than they work. */
const lanesAtOnce = 8;

type Parts = typeof directed & typeof lanes & typeof schedules & typeof stages;

let server: WorldServer;
let copies: SourceCopies;

/** Program and test of one piece, compiled, with these edits. */
async function copyWith(edits: readonly Edit[]): Promise<Parts> {
  const load = await copies.copyWith(edits);
  const names = ['directed-schedules', 'lane', 'schedule', 'stage'];
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

/** @returns the first seed that notices; null when none does */
async function firstSeed(parts: Parts, theme: Theme, sql: string | undefined): Promise<number | null> {
  let next = 1;
  let found: number | null = null;
  const work = async (): Promise<void> => {
    const lane = await parts.openLane(server);
    if (sql !== undefined) await lane.administer(sql);
    while (next <= mostSchedules && found === null) {
      const seed = next;
      next += 1;
      const { violations } = await parts.runSchedule(lane, seed, undefined, theme);
      if (violations.length === 0) continue;
      found ??= seed;
      // What hangs there keeps its connections.
      return;
    }
    await lane.close();
  };
  await Promise.all(Array.from({ length: lanesAtOnce }, work));
  return found;
}

async function notice(bug: PlantedBug, parts: Parts): Promise<string> {
  const { noticedBy, sql } = bug;
  if ('theme' in noticedBy) {
    const seed = await firstSeed(parts, noticedBy.theme, sql);
    expect(seed, `not one of ${mostSchedules} schedules noticed it`).not.toBeNull();
    return `${noticedBy.theme}, seed ${seed}`;
  }
  await expect(happen(parts, noticedBy.directed, sql)).rejects.toThrow();
  return noticedBy.directed;
}

describe.runIf(process.env['PAYBATCH_CONCURRENCY_BUGS'] !== undefined)('the concurrency test', () => {
  beforeAll(async () => {
    copies = await openSourceCopies(['src', 'migrations', 'test/concurrency', 'test/simulation']);
    server = await startWorldServer();
  });
  afterAll(async () => {
    await copies.remove();
    await server.dispose();
  });

  it('passes in a copy without any bug', async () => {
    const parts = await copyWith([]);
    for (const { name } of parts.directedSchedules) await happen(parts, name, undefined);
  }, 600_000);

  for (const bug of plantedBugs) {
    it(`notices: ${bug.name}`, async () => {
      const by = await notice(bug, await copyWith(bug.edits));
      if (process.env['PAYBATCH_CONCURRENCY_TABLE'] !== undefined) {
        process.stdout.write(`| ${bug.name} | ${by} |\n`);
      }
    }, 300_000);
  }
});
