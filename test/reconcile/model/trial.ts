import { createRandom, type Random } from '../../simulation/random.ts';
import { compareWorld, type Engine } from './engine.ts';
import { judge, type Violation, verdictsOf } from './judge.ts';
import type { Variation } from './rendering.ts';
import { statementTrial } from './statements.ts';
import { makeWorld, shuffled, type ThereRecord, type World } from './world.ts';

/** Does work on temporary tables that are gone afterwards. */
export type WithTables = <Result>(
  work: (sql: Parameters<Engine['compareSides']>[0]) => Promise<Result>,
) => Promise<Result>;

/**
 * Compares the two sides of a seed's world, and once more after a change that must not matter: another order
 * of either side, the export in two files, copies in a third that lacks a column, more columns. And ours with a bank's statement.
 */
export async function trial(seed: number, engine: Engine, withTables: WithTables): Promise<Violation[]> {
  const world = makeWorld(seed);
  const plain: Variation = { files: [world.there], hasExtraColumns: false, copies: [] };
  const first = await withTables((sql) => compareWorld(engine, sql, world.plan, world.here, plain));
  const violations = judge(world, first);
  const random = createRandom(seed + 1_000_003);
  const here = shuffled(world.here, random);
  const again = variationOf(world, random);
  const second = await withTables((sql) => compareWorld(engine, sql, world.plan, here, again));
  const [before, after] = [verdictsOf(world.plan, first), verdictsOf(world.plan, second)];
  const lost = before.find((verdict, at) => verdict !== after[at]);
  if (before.join('\n') !== after.join('\n')) {
    violations.push({ promise: 'stability', told: `another order, and other verdicts: ${lost ?? 'more'}` });
  }
  return [...violations, ...(await statementTrial(seed, engine, withTables))];
}

/** Copies of one record stay in one file: in two overlapping files they would be one record. */
function variationOf({ there }: World, random: Random): Variation {
  const files: [ThereRecord[], ThereRecord[]] = [[], []];
  const place = new Map<string, 0 | 1>();
  for (const record of shuffled(there, random)) {
    const label = record.thing.label;
    const at = place.get(label) ?? (random.chance(0.5) ? 0 : 1);
    place.set(label, at);
    files[at].push(record);
  }
  const isSplit = random.chance(0.5);
  // Without an id or a reference they could not be recognised; without two values the missing one could not be filled in.
  const parts = there.filter(({ group, id }) => group !== null && id !== null);
  const copies = shuffled(parts, random).slice(0, random.whole(0, 2));
  return { files: isSplit ? files : [files.flat()], hasExtraColumns: random.chance(0.5), copies };
}
