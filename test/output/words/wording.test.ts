import { expect, it } from 'vitest';
import {
  checkedHeadline,
  headline,
  partialSums,
  standingHeadline,
} from '../../../src/output/words/wording.ts';

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

it('counts a single row as one, and not as all of one', () => {
  expect(headline(1, { created: 1 })).toBe('1 row created');
  expect(headline(2, { created: 2 })).toBe('All 2 rows created');
  expect(headline(1, { rejected: 1 })).toBe('0 of 1 row created; 1 rejected');
  expect(checkedHeadline({ not_sent: 1 })).toBe('1 row is ready to be sent');
  expect(checkedHeadline({ not_sent: 3, invalid: 1 })).toBe('3 of 4 rows are ready to be sent; 1 invalid');
});

it('says of rows of which none was sent yet how many passed the check, and not that none was created', () => {
  expect(standingHeadline(226, { not_sent: 226 }, false)).toBe('All 226 rows passed the check');
  expect(standingHeadline(3, { not_sent: 1, existing: 1, invalid: 1 }, false)).toBe(
    '1 of 3 rows passed the check; 1 existing, 1 invalid',
  );
  expect(standingHeadline(3, { not_sent: 2, created: 1 }, false)).toBe('1 of 3 rows created; 2 not sent');
  expect(standingHeadline(2, { not_sent: 2 }, true)).toBe('0 of 2 rows created; 2 not sent');
});
