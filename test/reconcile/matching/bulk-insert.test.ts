import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { inScratch } from '../../../src/ledger/connection/open.ts';
import { BulkInsert } from '../../../src/reconcile/matching/bulk-insert.ts';
import { forEachLedger } from '../../support/ledger.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const inAndOut = (values: readonly (readonly (string | number | null)[])[]): Promise<unknown[]> =>
    inScratch(database, async (sql) => {
      await sql.run('CREATE TEMP TABLE taken (n int, told text, amount numeric) ON COMMIT DROP');
      const insert = new BulkInsert(sql, 'taken', ['int', 'text', 'numeric']);
      for (const [at, record] of values.entries()) {
        insert.add(record);
        if (at % 1_000 === 0) await insert.sendFull();
      }
      await insert.finish();
      return sql.query('SELECT n, told, amount::text FROM taken ORDER BY n');
    });

  it('brings every text to the table as it is, those with the marks between values in them too', async () => {
    const texts = [
      ...['', ' ', 'NULL', '\\N', '\\', '"', "'", '{}', ',', '\n', '?', '$1', 'é€😀'],
      ...['\x1d', '\x1e', '\x1f', '\x1d1', 'a\x1f1b\x1e', '\x1e\x1d\x1f2'],
    ];
    const records = texts.map((text, at) => [at, text, `${at}.50`]);
    expect(await inAndOut([...records, [texts.length, null, null]])).toEqual([
      ...texts.map((told, n) => ({ n, told, amount: `${n}.50` })),
      { n: texts.length, told: null, amount: null },
    ]);
  });

  it('replaces a NUL, which the database cannot hold, and nothing else of its chunk', async () => {
    expect(
      await inAndOut([
        [1, 'a\0b', null],
        [2, 'c', '1'],
      ]),
    ).toEqual([
      { n: 1, told: 'a\uFFFDb', amount: null },
      { n: 2, told: 'c', amount: '1' },
    ]);
  });

  it('sends chunk by chunk, loses none, and does nothing without records', async () => {
    const records = Array.from({ length: 9_500 }, (_, at) => [at, `row ${at}`, null]);
    const taken = await inAndOut(records);
    expect([taken.length, taken[0], taken.at(-1)]).toEqual([
      9_500,
      { n: 0, told: 'row 0', amount: null },
      { n: 9_499, told: 'row 9499', amount: null },
    ]);
    expect(await inAndOut([])).toEqual([]);
  });
});
