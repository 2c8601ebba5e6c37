import { expect, it } from 'vitest';
import { RowsWalk } from '../../src/account/read-accounts.ts';
import type { ResultRow } from '../../src/domain/rows/result-row.ts';
import { sampleRow } from './sample-rows.ts';

const money = (amount: string, currency = 'KES') => ({ money: { amount, currency } });

function totalsOf(rows: readonly ResultRow[]) {
  const walk = new RowsWalk(['name', 'Phone']);
  walk.add(rows);
  return walk.result().totals;
}

it('adds up one group after the other', () => {
  const walk = new RowsWalk(['name', 'Phone']);
  walk.add([sampleRow()]);
  walk.add([sampleRow({ row: 3, status: 'held' })]);
  expect(walk.result().totals.counts).toEqual({ created: 1, held: 1 });
});

it('counts a row that repeats another one, and its money once', () => {
  const rows = [
    sampleRow({ status: 'not_sent', ...money('10.50') }),
    sampleRow({ row: 3, status: 'not_sent', ...money('10.50'), sameAs: 2 }),
    sampleRow({ row: 4, status: 'held', code: 'key_expired', ...money('2') }),
    sampleRow({ row: 5, status: 'held', code: 'key_expired', ...money('2'), sameAs: 4 }),
  ];
  expect(totalsOf(rows)).toMatchObject({
    counts: { not_sent: 2, held: 2 },
    repeats: { not_sent: 1, held: 1 },
    sums: [
      { status: 'not_sent', currency: 'KES', rows: 1, amount: '10.50' },
      { status: 'held', currency: 'KES', rows: 1, amount: '2' },
    ],
    open: [{ status: 'held', rows: 2, sums: [{ currency: 'KES', rows: 1, amount: '2' }] }],
  });
});

it('does not add up what a currency cannot have', () => {
  const invalid = (row: number, amount: string, currency: string) =>
    sampleRow({ row, status: 'invalid', code: 'amount_decimals', ...money(amount, currency) });
  const { sums, open } = totalsOf([
    invalid(2, '6898300', 'XOF'),
    invalid(3, '1.5', 'XOF'),
    invalid(4, '1.00', 'XOF'),
    invalid(5, '1000.5', 'USD'),
  ]);
  expect(sums.map(({ currency, rows, amount }) => [currency, rows, amount])).toEqual([
    ['USD', 1, '1000.5'],
    ['XOF', 2, '6898301.00'],
  ]);
  expect(open[0]?.sums?.map(({ currency, rows }) => [currency, rows])).toEqual([
    ['USD', 1],
    ['XOF', 2],
  ]);
});

it('knows the column with few values for which the API refused rows', () => {
  const refused = (row: number, value: string) =>
    sampleRow({
      row,
      status: 'rejected',
      code: 'invalid_value',
      field: 'Phone',
      message: 'no',
      cells: ['', value],
    });
  const same = Array.from({ length: 6 }, (_, at) => refused(at + 2, 'Privat'));
  expect(totalsOf(same).valuesRefusedIn).toBe('Phone');
  const own = Array.from({ length: 6 }, (_, at) => refused(at + 2, `value ${at}`));
  expect(totalsOf(own).valuesRefusedIn).toBeNull();
});
