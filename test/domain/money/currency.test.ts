import { expect, it } from 'vitest';
import { inCurrency } from '../../../src/domain/money/currency.ts';

it.each([
  ['1500', 'KES', '1500.00'],
  ['1500.5', 'KES', '1500.50'],
  ['0.10', 'EUR', '0.10'],
  ['-40', 'EUR', '-40.00'],
  ['1500.00', 'UGX', '1500'],
  ['7', 'KWD', '7.000'],
  // More digits than the currency has are told as they are.
  ['0.125', 'EUR', '0.125'],
  ['100.50', 'JPY', '100.5'],
  // Nobody knows its digits.
  ['1500.5', 'KSh', '1500.5'],
  ['1500.5', '', '1500.5'],
  ['1500.5', null, '1500.5'],
  ['1,500', 'KES', '1,500'],
])('%s %s is written as %s', (amount, currency, written) => {
  expect(inCurrency(amount, currency)).toBe(written);
});
