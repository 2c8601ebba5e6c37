import { expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { administer } from '../../support/durable-database.ts';
import { createDatabase, dropDatabase } from '../../support/ledger.ts';

/** What an administrator may have set for a database or a user, for the sake of other programs. */
const ofTheDatabase = {
  default_transaction_isolation: 'repeatable read',
  default_transaction_deferrable: 'on',
  synchronous_commit: 'off',
  array_nulls: 'off',
};

async function setDefaults(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const statements = Object.entries(ofTheDatabase).map(
    ([setting, value]) => `ALTER DATABASE ${name} SET ${setting} = '${value}'`,
  );
  await administer(databaseUrl, statements.join('; '));
}

it('sets what the protocol needs for each transaction, whatever the defaults of database and user', async () => {
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  await setDefaults(databaseUrl);
  const ledger = openServerLedger(databaseUrl);
  onTestFinished(() => ledger.close());
  const settings = `SELECT current_setting('transaction_isolation') AS isolation,
    current_setting('transaction_deferrable') AS deferrable,
    current_setting('synchronous_commit') AS "synchronousCommit", current_setting('array_nulls') AS "arrayNulls"`;
  const needed = {
    isolation: 'read committed',
    deferrable: 'off',
    synchronousCommit: 'on',
    arrayNulls: 'on',
  };
  for (const database of [ledger.database, ledger.shortStatements]) {
    expect(await query(database, settings)).toEqual([needed]);
    expect(await database.transaction((transaction) => query(transaction, settings))).toEqual([needed]);
  }
});

it('leaves a stricter synchronous_commit as it is', async () => {
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  const name = new URL(databaseUrl).pathname.slice(1);
  await administer(databaseUrl, `ALTER DATABASE ${name} SET synchronous_commit = 'remote_apply'`);
  const ledger = openServerLedger(databaseUrl);
  onTestFinished(() => ledger.close());
  const [found] = await query(ledger.database, `SELECT current_setting('synchronous_commit') AS value`);
  expect(found).toEqual({ value: 'remote_apply' });
});

it('two runs that join a batch end well on such a database', async () => {
  const desk = await openDesk({ latencyInMs: 1 });
  await setDefaults(desk.databaseUrl ?? '');
  const file = await desk.write('people.csv', csvOf(customers(300)));
  const planned = await desk.json(['plan', file]);
  expect(planned.summary).toMatchObject({ exit_code: 0, error: null });
  const words = ['resume', planned.summary.batches[0]?.batch ?? '', '--join', '--json'];
  const ends = await Promise.all([1, 2].map(() => desk.start(words).ended));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(desk.sandbox.counts().sandbox.duplicates.customers).toBe(0);
});
