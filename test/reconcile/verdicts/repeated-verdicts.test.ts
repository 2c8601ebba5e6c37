import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { inScratch } from '../../../src/ledger/connection/scratch.ts';
import { FoundProblems } from '../../../src/reconcile/verdicts/decide-rows.ts';
import type { GivenVerdict } from '../../../src/reconcile/verdicts/decision.ts';
import { noteRepeatedVerdicts } from '../../../src/reconcile/verdicts/repeated-verdicts.ts';
import { forEachLedger } from '../../support/ledger.ts';

function created(row: number, id: string): GivenVerdict {
  return { row, verdict: 'created', id, note: '', key: null, attempts: null };
}

async function* inPages(given: readonly GivenVerdict[]): AsyncGenerator<readonly GivenVerdict[]> {
  for (let at = 0; at < given.length; at += 1_000) yield given.slice(at, at + 1_000);
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function problemsOf(given: readonly GivenVerdict[]): Promise<FoundProblems> {
    const problems = new FoundProblems();
    await inScratch(database, (sql) => noteRepeatedVerdicts(sql, inPages(given), problems));
    return problems;
  }

  describe('verdicts of a long file', () => {
    const apart = Array.from({ length: 2_500 }, (_, at) => created(at + 2, `id-${at}`));

    it('may stand in any number and order, each about a row and an object of its own', async () => {
      const others: GivenVerdict[] = [9_000, 9_001].map((row) => ({
        ...created(row, 'id-1'),
        verdict: 'existing',
      }));
      expect((await problemsOf([...apart.toReversed(), ...others])).count).toBe(0);
    });

    it('are refused where two of them, however far apart, are about one row or one object', async () => {
      const { texts } = await problemsOf([...apart, created(7, 'id-x'), created(5_000, 'id-1')]);
      expect(texts).toEqual([
        'row 7: it has two verdicts',
        'row 3: row 5000 is given the same id',
        'row 5000: row 3 is given the same id',
      ]);
    });

    it('are counted where there are more wrong ones than anybody reads', async () => {
      const same = apart.map(({ row }) => created(row, 'id-same'));
      const problems = await problemsOf(same);
      expect([problems.texts.length, problems.count]).toEqual([1_000, 2_500]);
    });
  });
});
