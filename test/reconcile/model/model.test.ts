import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { inScratch } from '../../../src/ledger/connection/open.ts';
import { onServer } from '../../support/ledger.ts';
import { engine } from './engine.ts';
import { trial } from './trial.ts';

/** Worlds of the whole suite when `PAYBATCH_RECONCILE_SEEDS` says nothing else. */
const seeds = Number(process.env['PAYBATCH_RECONCILE_SEEDS'] ?? 5);
const onlySeed = process.env['PAYBATCH_RECONCILE_SEED'];
/** The first seed, for worlds that no run has judged before. */
const firstSeed = Number(process.env['PAYBATCH_RECONCILE_FIRST_SEED'] ?? 1);

onServer((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it(`is never sure and wrong, misses no certain tie, loses nothing, and is stable (${seeds} seeds)`, async () => {
    const [first, last] =
      onlySeed === undefined ? [firstSeed, firstSeed + seeds - 1] : [Number(onlySeed), Number(onlySeed)];
    const broken: string[] = [];
    for (let seed = first; seed <= last; seed += 1) {
      const violations = await trial(seed, engine, (work) => inScratch(database, work));
      broken.push(...violations.map(({ promise, told }) => `seed ${seed}: ${promise}: ${told}`));
    }
    expect(broken).toEqual([]);
  }, 3_600_000);
});
