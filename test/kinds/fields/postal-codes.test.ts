import { iso31661 } from 'iso-3166';
import { describe, expect, it } from 'vitest';
import { isZipOfState, postalCodeForm, withLostZeros } from '../../../src/kinds/fields/postal-codes.ts';

describe('postalCodeForm', () => {
  it.each([
    ['DE', '80331', '8033'],
    ['AT', '1010', '0101'],
    ['US', '02108-1234', '2108'],
    ['GB', 'sw1a 1aa', 'SW1A'],
    ['IE', 'D02 AF30', 'Dublin 2'],
    ['NL', '1012 ab', '1012'],
    ['BR', '01310-100', '1310100'],
    ['PT', '1000-205', '100-205'],
    ['KE', '00100', '100'],
    ['NG', '100001', '10001'],
    ['LU', 'L-1234', 'LU1234567'],
    ['CA', 'k1a 0b1', 'K1A'],
  ])('of %s has %s, and not %s', (country, right, wrong) => {
    expect(postalCodeForm(country)?.matches(right)).toBe(true);
    expect(postalCodeForm(country)?.matches(wrong)).toBe(false);
  });

  it('is known for most of the world, and not for countries without codes', () => {
    const countries = iso31661.flatMap((entry) => (entry.state === 'assigned' ? [entry.alpha2] : []));
    expect(countries.filter((country) => postalCodeForm(country) !== undefined).length).toBeGreaterThan(170);
    for (const country of ['UG', 'GH', 'RW', 'AE', 'HK']) expect(postalCodeForm(country)).toBeUndefined();
    expect(postalCodeForm('DE')).toMatchObject({ digits: 5, inWords: 'five digits' });
    expect(postalCodeForm('GB')).toMatchObject({ digits: null, inWords: 'such as SW1A 1AA' });
  });
});

describe('isZipOfState', () => {
  it.each([
    ['02108', 'US-MA', true],
    ['05501', 'US-MA', true],
    ['05501', 'US-VT', false],
    ['00501', 'US-NY', true],
    ['90210', 'US-CA', true],
    ['90210', 'US-NY', false],
    ['00901', 'US-PR', true],
    ['02108', 'US-XX', false],
  ])('%s and %s: %s', (zip, state, isOfState) => {
    expect(isZipOfState(zip, state)).toBe(isOfState);
  });
});

describe('withLostZeros', () => {
  it.each<[string, string, string | undefined, string | undefined]>([
    ['2108', 'US', 'US-MA', '02108'],
    ['901', 'US', 'US-PR', '00901'],
    ['2108', 'US', 'US-CA', undefined],
    ['2108', 'US', undefined, undefined],
    ['184', 'IT', undefined, '00184'],
    ['100', 'FI', undefined, '00100'],
    ['67', 'DE', undefined, undefined],
    ['1067', 'DE', undefined, '01067'],
    ['1067', 'DE', 'DE-BY', undefined],
    ['1067', 'DE', 'DE-SN', '01067'],
    ['5067', 'DE', undefined, undefined],
    ['106', 'DE', undefined, undefined],
    ['1010', 'AT', undefined, undefined],
    ['8001', 'ES', 'ES-B', '08001'],
    ['8001', 'ES', 'ES-M', undefined],
    ['6000', 'FR', undefined, '06000'],
    ['1310100', 'BR', 'BR-SP', '01310100'],
    ['1310100', 'BR', 'BR-RJ', undefined],
    ['100', 'KE', undefined, undefined],
    ['7100', 'IT', undefined, '07100'],
    ['10011', 'RO', undefined, '010011'],
    ['10011', 'RO', 'RO-CJ', undefined],
    ['4001', 'SK', 'SK-KI', '04001'],
    ['1001', 'UA', undefined, '01001'],
    ['50010', 'CO', 'CO-ANT', '050010'],
  ])('%s in %s (%s) is %s', (digits, country, state, code) => {
    expect(withLostZeros(digits, country, state)).toBe(code);
  });
});
