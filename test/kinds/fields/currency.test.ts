import { describe, expect, it } from 'vitest';
import { checkCurrency, isSignOf, splitCurrencySign } from '../../../src/kinds/fields/currency.ts';
import { summarise } from './verdicts.ts';

it('a code that is no currency has no sign but itself', () => {
  expect([isSignOf('FCFA', 'FCFA'), isSignOf('$', 'FCFA'), isSignOf('x', 'no code')]).toEqual([
    ...[true, false, false],
  ]);
});

it('the sharp sign before an amount is one of the naira only', () => {
  expect(splitCurrencySign('# 240,000')).toEqual({ sign: '#', number: '240,000' });
  expect([isSignOf('#', 'NGN'), isSignOf('#', 'KES')]).toEqual([true, false]);
  // The naira of typewriters.
  expect(splitCurrencySign('=N=45,000.00')).toEqual({ sign: '=N=', number: '45,000.00' });
  expect(isSignOf('=N=', 'NGN')).toBe(true);
});

describe('checkCurrency', () => {
  it.each([
    ['kes', 'KES'],
    ['Usd', 'USD'],
    ['KSH', 'invalid_currency!'],
    ['US', 'invalid_currency!'],
    ['USDC', 'invalid_currency!'],
    ['$', 'invalid_currency!'],
    ['840', 'invalid_currency!'],
  ])('%s: %s', (text, expected) => {
    expect(summarise(checkCurrency(text))).toBe(expected);
  });
});
