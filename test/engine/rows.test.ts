import { describe, expect, inject, it } from 'vitest';
import { planCustomers } from '../support/planned-batch.ts';

describe.each(inject('ledgers'))('the rows of a batch on the %s ledger', (ledger) => {
  it('are found by conditions, page by page in both directions, with the counts of all of them', async () => {
    const { engine, batch } = await planCustomers(25, (number) => number % 5 === 0, { ledger });
    const first = await engine.rows({ batch: batch.slice(0, 8), limit: 10 }).result;
    expect(first.batch).toEqual({ id: batch, file: 'people.csv', sheet: null });
    expect(first.rows.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(first).toMatchObject({ next: 11, isCutShort: false, draft: { rows: 0, edits: 0 } });
    expect(first.groups).toMatchObject([
      { status: 'invalid', code: 'invalid_email', column: 'email', rows: 5, example: 6 },
    ]);
    const last = await engine.rows({ batch, from: { row: 21, direction: 'after' }, limit: 10 }).result;
    expect([last.rows.map(({ row }) => row), last.next]).toEqual([[22, 23, 24, 25, 26], null]);
    const before = await engine.rows({ batch, from: { row: 22, direction: 'before' }, limit: 3 }).result;
    expect([before.rows.map(({ row }) => row), before.next]).toEqual([[19, 20, 21], 19]);
    const invalid = await engine.rows({ batch, filter: { status: 'invalid' } }).result;
    expect(invalid.rows.map(({ row, code }) => `${row} ${code}`)).toEqual(
      [6, 11, 16, 21, 26].map((row) => `${row} invalid_email`),
    );
    // The groups count all rows, whatever the filter is.
    expect(invalid.groups).toEqual(first.groups);
    const { rows } = await engine.rows({ batch, filter: { text: 'NOWHERE15' } }).result;
    expect(rows.map(({ row, status }) => [row, status])).toEqual([[16, 'invalid']]);
  });
});

it('has one row at least on a page, and a thousand at most', async () => {
  const { engine, batch } = await planCustomers(1_010, () => false);
  const sizeOf = async (limit?: number): Promise<number> =>
    (await engine.rows({ batch, ...(limit === undefined ? {} : { limit }) }).result).rows.length;
  expect([await sizeOf(0), await sizeOf(), await sizeOf(5_000)]).toEqual([1, 50, 1_000]);
});

it('counts the rows again once rows have changed', async () => {
  const { engine, batch } = await planCustomers(3, (number) => number === 3);
  const codes = async (): Promise<string[]> =>
    (await engine.rows({ batch }).result).groups.map(({ status, code, rows }) => `${rows} ${status} ${code}`);
  expect(await codes()).toEqual(['1 invalid invalid_email']);
  await engine.closeBatch({ batch, note: 'the wrong month' }).result;
  expect(await codes()).toEqual(expect.arrayContaining(['2 invalid closed', '1 invalid invalid_email']));
});

it('stops where very many rows were read, and continues from there', async () => {
  const { engine, batch } = await planCustomers(10_050, () => false);
  const filter = { text: 'amina10050@' };
  const first = await engine.rows({ batch, filter }).result;
  expect(first).toMatchObject({ rows: [], isCutShort: true, next: 10_001 });
  const from = { row: first.next ?? 0, direction: 'after' } as const;
  const second = await engine.rows({ batch, filter, from }).result;
  expect(second).toMatchObject({ rows: [{ row: 10_051 }], isCutShort: false, next: null });
}, 120_000);

it('refuses a batch that does not exist', async () => {
  const { engine } = await planCustomers(1, () => false);
  await expect(engine.rows({ batch: '00000000' }).result).rejects.toMatchObject({ code: 'batch_not_found' });
});
