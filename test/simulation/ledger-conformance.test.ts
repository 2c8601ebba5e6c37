import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindVerbs } from '../../src/ledger/verbs.ts';
import { forEachLedger, onServer } from '../support/ledger.ts';
import { isSampled } from '../support/sampled.ts';
import { compareSequence } from './ledger-sequence.ts';
import { ledgerSqlBugs } from './ledger-sql-bugs.ts';
import { openSourceCopies, type SourceCopies } from './patched-source.ts';

/**
 * Sequences of random verbs for each engine; after every verb all rows are compared. A mistake in the SQL has
 * to show within these very sequences, which the SQL as it is passes.
 */
const sequences = 40;

/** On the embedded ledger in a sampled run. What differs there is the driver, which every sequence goes through. */
const sampledSequences = 10;

const longestInMs = 300_000;

forEachLedger((openTestLedger, engine) => {
  const count = isSampled && engine === 'embedded ledger' ? sampledSequences : sequences;

  it(
    'the model of the ledger does what the ledger does, in whatever order',
    async () => {
      const { database } = await openTestLedger();
      const verbs = bindVerbs(database);
      for (let seed = 0; seed < count; seed += 1) await compareSequence(seed, database, verbs, randomUUID);
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
      const others = Array.from({ length: sequences }, (_, at) => at);
      for (const seed of [bug.seed, ...others]) {
        const seen = await compareSequence(seed, database, verbs, randomUUID).catch(
          (error: unknown) => error,
        );
        if (seen === undefined) continue;
        if (seed !== bug.seed) process.stdout.write(`${bug.name}: seed ${seed}\n`);
        return;
      }
      expect.fail(`not one of ${sequences} sequences noticed it`);
    },
    longestInMs,
  );
});
