import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inScratch } from '../../../src/ledger/connection/open.ts';
import { type Edit, openSourceCopies, type SourceCopies } from '../../simulation/patched-source.ts';
import { onServer } from '../../support/ledger.ts';
import type { Engine } from './engine.ts';
import { plantedBugs } from './planted-bugs.ts';
import { trial } from './trial.ts';

/** Worlds within which a bug has to show whose own seed does not show it any more. */
const mostSeeds = 400;

const folders = ['src/domain', 'src/kinds', 'src/reconcile'];
const parts = [
  'comparing/comparable',
  'comparing/compare',
  'export/columns',
  'export/mapping',
  'export/records',
  'export/values',
];

onServer((openTestLedger) => {
  let database: Knex;
  let copies: SourceCopies;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
    copies = await openSourceCopies(folders);
  });
  afterAll(() => copies.remove());

  async function notices(seed: number, engine: Engine): Promise<boolean> {
    const violations = await trial(seed, engine, (work) => inScratch(database, work));
    return violations.length > 0;
  }

  async function engineWith(edits: readonly Edit[]): Promise<Engine> {
    const load = await copies.copyWith(edits);
    const loaded = await Promise.all(parts.map((part) => load(`src/reconcile/${part}.ts`)));
    return Object.assign({}, ...loaded) as Engine;
  }

  it('finds nothing in a copy without a bug', async () => {
    const engine = await engineWith([]);
    for (const seed of new Set(plantedBugs.map((each) => each.seed))) {
      expect([seed, await notices(seed, engine)]).toEqual([seed, false]);
    }
  });

  describe('the model notices', () => {
    it.each(plantedBugs)(
      '$name',
      async ({ edit, seed }) => {
        const engine = await engineWith([edit]);
        if (await notices(seed, engine)) return;
        const others = Array.from({ length: mostSeeds }, (_, at) => at + 1);
        for (const other of others) {
          if (!(await notices(other, engine))) continue;
          process.stdout.write(`${edit.find}: seed ${other}\n`);
          return;
        }
        expect.fail(`not one of ${mostSeeds} worlds noticed it`);
      },
      600_000,
    );
  });
});
