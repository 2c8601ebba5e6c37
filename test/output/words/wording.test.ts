import { expect, it } from 'vitest';
import { partialSums } from '../../../src/output/words/wording.ts';

it('says of a sum that rows have no amount, and only of invalid ones that it cannot be read', () => {
  const totals = [
    { status: 'created', currency: 'KES', rows: 2, amount: '26500.00' },
    { status: 'invalid', currency: 'KES', rows: 11, amount: '4105.00' },
    { status: 'held', currency: 'KES', rows: 1, amount: '1.00' },
  ] as const;
  expect(partialSums(totals, { created: 3, invalid: 17, held: 1 })).toEqual([
    'created: 2 of 3 rows have an amount',
    'invalid: 11 of 17 rows have an amount that can be read',
  ]);
  expect(partialSums([], { created: 3 })).toEqual([]);
});
