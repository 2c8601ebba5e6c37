import { expect, it } from 'vitest';
import { plantedBugs as concurrencyBugs } from '../concurrency/planted-bugs.ts';
import { plantedMistakes as consoleMistakes } from '../console/planted-mistakes.ts';
import { plantedBugs as familyBugs } from '../families/planted-bugs.ts';
import { plantedBugs as reconciliationBugs } from '../reconcile/model/planted-bugs.ts';
import { ledgerSqlBugs } from './ledger-sql-bugs.ts';
import { overlapBugs as callBugs } from './overlap-bugs.ts';
import { misplacedEdits } from './patched-source.ts';
import { engineBugs, ledgerBugs, logBugs, overlapBugs } from './planted-bugs.ts';

/** The tests that plant them take long; this one says at once that the place of a mistake has changed. */
it('every planted mistake finds its place', async () => {
  const edits = [
    ...[engineBugs, logBugs, ledgerBugs, overlapBugs, callBugs, concurrencyBugs, familyBugs]
      .flat()
      .flatMap((bug) => bug.edits),
    ...ledgerSqlBugs,
    ...consoleMistakes.map(({ edit }) => edit),
    ...reconciliationBugs.map(({ edit }) => edit),
  ];
  expect(await misplacedEdits(['src', 'test/simulation'], edits)).toEqual([]);
});
