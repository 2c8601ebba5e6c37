import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindVerbs, type LedgerVerbs } from '../../src/ledger/verbs.ts';
import { forEachLedger } from '../support/ledger.ts';
import { compareSequence } from './ledger-sequence.ts';
import { ledgerSqlBugs } from './ledger-sql-bugs.ts';
import { openSourceCopies, type SourceCopies } from './patched-source.ts';

/** Sequences of random verbs for each engine; every step compares all rows. */
const sequences = 25;

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it('the model does what the ledger does, whatever the order of the verbs', async () => {
    const verbs = bindVerbs(database);
    for (let seed = 1; seed <= sequences; seed += 1) await compareSequence(seed, database, verbs, randomUUID);
  });
});
