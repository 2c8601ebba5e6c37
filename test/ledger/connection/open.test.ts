import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import { stageRows } from '../../../src/ledger/before-sending/stage.ts';
import { migrate } from '../../../src/ledger/connection/migrate.ts';
import { openEmbeddedLedger, openServerLedger } from '../../../src/ledger/connection/open.ts';
import { uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { copyEmbeddedLedger, forEachLedger } from '../../support/ledger.ts';
import { beginTestBatch, beginTestRun, stagedBatch, stagedRow, statesOf } from '../../support/ledger-rows.ts';
import { nextTyped } from '../../support/words.ts';

forEachLedger((openTestLedger) => {
  it('never lets a value of a failed query into its error', async () => {
    const { database } = await openTestLedger();
    const batch = await beginTestBatch(database);
    const run = await beginTestRun(database, batch);
    await stageRows(database, batch, run.id, [stagedRow(2)]);
    const failing = stageRows(database, batch, run.id, [stagedRow(2, { cells: ['Wanjiru', '0712345678'] })]);
    const message = await failing.catch(String);
    expect(message).toMatch(/violates unique constraint "\w+_pkey"/);
    expect(message).not.toMatch(/Wanjiru|0712345678|example\.test/);
  });
});

it.each([
  ['', 'nothing'],
  ['paybatch', 'a word'],
  ['mysql://u:p@h/d', 'another database'],
  ['postgres://u:p#w@h/d', 'a password that is not encoded'],
])('refuses %j as an address (%s) without repeating it', (url) => {
  let failure: unknown;
  try {
    openServerLedger(url);
  } catch (error) {
    failure = error;
  }
  expect(failure).toMatchObject({ name: 'PaybatchError', kind: 'usage', code: 'database_url' });
  if (url !== '') expect(String(failure)).not.toContain(url);
});

it('keeps the embedded ledger from one program to the next, for its owner only', async () => {
  const directory = join(await copyEmbeddedLedger(), 'new', 'folder');
  const first = await openEmbeddedLedger(directory);
  await migrate(first);
  const batch = await stagedBatch(first.database, 2);
  await first.close();
  const second = await openEmbeddedLedger(directory);
  expect(await statesOf(second.database, batch)).toEqual({ 2: 'staged', 3: 'staged' });
  await second.close();
  expect(statSync(directory).mode & 0o077).toBe(0);
});

it('refuses to open an embedded ledger twice, and opens it again once it is closed', async () => {
  const directory = await copyEmbeddedLedger();
  const first = await openEmbeddedLedger(directory);
  await expect(openEmbeddedLedger(directory)).rejects.toMatchObject({ kind: 'busy', code: 'ledger_locked' });
  await first.close();
  const second = await openEmbeddedLedger(directory);
  expect(await query(second.database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await second.close();
});

it('says what to do about a folder that cannot be a ledger, and leaves no lock in it', async () => {
  const directory = mkdtempSync(join(inject('testFolder'), 'broken-'));
  writeFileSync(join(directory, 'pgdata'), 'not a folder');
  const failure = {
    name: 'PaybatchError',
    kind: 'usage',
    remedies: expect.arrayContaining([expect.objectContaining({ oneOf: [{ setting: 'ledgerDir' }] })]),
  };
  await expect(openEmbeddedLedger(directory)).rejects.toMatchObject(failure);
  await expect(openEmbeddedLedger(directory)).rejects.toMatchObject(failure);
  await expect(openEmbeddedLedger(join(directory, 'pgdata'))).rejects.toMatchObject(failure);
});

it('says what a power cut has left of a ledger at the first opening, not that another program holds it', async () => {
  const directory = await copyEmbeddedLedger();
  writeFileSync(join(directory, 'ledger.lock'), '');
  writeFileSync(join(directory, 'pgdata', 'global', 'pg_control'), '');
  const opened = openEmbeddedLedger(directory);
  await expect(opened).rejects.toMatchObject({ kind: 'usage', code: 'ledger_unreadable' });
  await expect(opened).rejects.toThrow(
    `The embedded ledger in ${directory} cannot be opened: its files are damaged, as a power cut leaves them.`,
  );
});

it.each<[string, string]>([
  ['the number of its version', 'PG_VERSION'],
  ['the end of its log', 'pg_wal'],
])('calls a ledger damaged that has lost %s, and says what to do first', async (_what, lost) => {
  const directory = await copyEmbeddedLedger();
  const path = join(directory, 'pgdata', lost);
  const files = statSync(path).isDirectory() ? readdirSync(path).filter((name) => /^0/.test(name)) : [''];
  for (const name of files) writeFileSync(join(path, name), '');
  const failure = await openEmbeddedLedger(directory).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof PaybatchError)) throw new Error('it was opened');
  expect(failure.message).toBe(
    `The embedded ledger in ${directory} cannot be opened: its files are damaged, as a power cut leaves them.`,
  );
  expect(nextTyped(failure)).toBe(
    'choose another folder: --ledger-dir DIR, then: rebuild its batches from their run logs: paybatch recover --help',
  );
});

it('starts afresh when the first opening was interrupted', async () => {
  const directory = mkdtempSync(join(inject('testFolder'), 'interrupted-'));
  mkdirSync(join(directory, 'pgdata.new'));
  writeFileSync(join(directory, 'pgdata.new', 'half'), '');
  const ledger = await openEmbeddedLedger(directory);
  expect(await migrate(ledger)).not.toEqual([]);
  await ledger.close();
});
