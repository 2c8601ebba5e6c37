import { expect, it } from 'vitest';
import { currencyNamed } from '../../../src/propose/columns/currencies.ts';

it.each([
  ['US Dollar', 'USD'],
  ['euros', 'EUR'],
  ['Türk lirası', 'TRY'],
  ['₺', 'TRY'],
  ['€', 'EUR'],
  ['₦', 'NGN'],
  // Signs of several currencies, and marks that are no sign of any.
  ['$', undefined],
  ['kr', undefined],
  ['?', undefined],
  ['-', undefined],
  ['', undefined],
])('%j means %s', (text, code) => {
  expect(currencyNamed(text)).toBe(code);
});
