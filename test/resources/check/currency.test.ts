import { describe, expect, it } from 'vitest';
import { checkCurrency, currencyCodes, fractionDigitsOf } from '../../../src/resources/check/currency.ts';
import { summarise } from './verdicts.ts';

describe('the table of currencies', () => {
  it.each([
    ['USD', 2],
    ['EUR', 2],
    ['KES', 2],
    ['NGN', 2],
    ['XCG', 2],
    ['ZWG', 2],
    ['SLE', 2],
    ['IQD', 3],
    ['BHD', 3],
    ['KWD', 3],
    ['TND', 3],
    ['JPY', 0],
    ['UGX', 0],
    ['RWF', 0],
    ['XOF', 0],
    ['ISK', 0],
    ['CLP', 0],
    ['CLF', 4],
    ['UYW', 4],
    ['MGA', 2],
    ['MRU', 2],
    ['HUF', 2],
  ])('%s has %d fraction digits', (code, digits) => {
    expect(fractionDigitsOf(code)).toBe(digits);
  });

  it.each(['ANG', 'HRK', 'BGN', 'SLL', 'ZWL', 'CUC', 'VEF', 'DEM', 'XXX', 'XTS', 'XAU'])(
    '%s is not in use',
    (code) => {
      expect(fractionDigitsOf(code)).toBeUndefined();
    },
  );

  it('lists each code once, in three capitals', () => {
    expect(new Set(currencyCodes).size).toBe(currencyCodes.length);
    expect(currencyCodes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });
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
