import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindVerbs } from '../../src/ledger/verbs.ts';
import { forEachLedger, onServer } from '../support/ledger.ts';
import { compareSequence } from './ledger-sequence.ts';
import { ledgerSqlBugs } from './ledger-sql-bugs.ts';
import { openSourceCopies, type SourceCopies } from './patched-source.ts';

/**
 * Sequences of random verbs for each engine; after every verb all rows are compared. A mistake in the SQL has
 * to show within these very sequences, which the SQL as it is passes.
 */
const sequences = 40;

const longestInMs = 300_000;

forEachLedger((openTestLedger) => {
  it(
    'the model of the ledger does what the ledger does, in whatever order',
    async () => {
      const { database } = await openTestLedger();
      const verbs = bindVerbs(database);
      for (let seed = 1; seed <= sequences; seed += 1)
        await compareSequence(seed, database, verbs, randomUUID);
    },
    longestInMs,
  );
});

let copies: SourceCopies;
beforeAll(async () => {
  copies = await openSourceCopies();
});
afterAll(() => copies.remove());

onServer((openTestLedger) => {
  it.each([...ledgerSqlBugs])(
    'the comparison notices in the SQL: $name',
    async (bug) => {
      const { database } = await openTestLedger();
      const load = await copies.copyWith([bug]);
      const { bindVerbs: bindPatched } = (await load('src/ledger/verbs.ts')) as {
        bindVerbs: typeof bindVerbs;
      };
      const verbs = bindPatched(database);
      const compareAll = async (): Promise<void> => {
        for (let tried = 0; tried <= sequences; tried += 1) {
          await compareSequence(tried === 0 ? (bug.seed ?? 1) : tried, database, verbs, randomUUID);
        }
      };
      await expect(compareAll()).rejects.toThrow();
    },
    longestInMs,
  );
});
