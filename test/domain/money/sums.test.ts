import { describe, expect, it } from 'vitest';
import { AmountSums, differencesFrom, joinSums, type ReadSums } from '../../../src/domain/money/sums.ts';

const read: ReadSums = {
  rows: 3,
  amounts: [
    { currency: 'KES', rows: 2, amount: '9007199254740993.03' },
    { currency: 'UGX', rows: 1, amount: '500' },
  ],
};

describe('what a file is expected to hold', () => {
  it('is compared by value, exactly', () => {
    const totals = { KES: '9007199254740993.030', UGX: '500.00' };
    expect(differencesFrom({ rows: 3, totals }, read)).toEqual([]);
    expect(differencesFrom({ rows: null, totals: null }, read)).toEqual([]);
  });

  it('differs by a row, by a cent, by a missing currency and by an unexpected one', () => {
    const totals = { KES: '9007199254740993.02', EUR: '1' };
    expect(differencesFrom({ rows: 4, totals }, read)).toEqual([
      { kind: 'rows', expected: 4, found: 3 },
      { kind: 'total', currency: 'KES', expected: '9007199254740993.02', found: '9007199254740993.03' },
      { kind: 'total', currency: 'EUR', expected: '1', found: '0' },
      { kind: 'total', currency: 'UGX', expected: null, found: '500' },
    ]);
  });

  it('is compared with all tables together', () => {
    expect(joinSums([read, { rows: 2, amounts: [{ currency: 'KES', rows: 2, amount: '0.97' }] }])).toEqual({
      rows: 5,
      amounts: [
        { currency: 'KES', rows: 4, amount: '9007199254740994.00' },
        { currency: 'UGX', rows: 1, amount: '500' },
      ],
    });
  });

  it('leaves out what is no plain decimal', () => {
    const sums = new AmountSums();
    sums.add('KES', '1.500,00');
    sums.add('KES', '1e3');
    sums.add('KES', '0.10');
    expect(sums.result()).toEqual([{ currency: 'KES', rows: 1, amount: '0.10' }]);
  });
});
