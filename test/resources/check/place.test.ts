import { describe, expect, it } from 'vitest';
import { checkCountry, checkState, checkStateOfCountry } from '../../../src/resources/check/place.ts';
import { summarise } from './verdicts.ts';

describe('checkCountry', () => {
  it.each([
    ['KE', 'KE'],
    ['ke', 'KE'],
    ['De', 'DE'],
    ['GB', 'GB'],
    ['SS', 'SS'],
    ['CW', 'CW'],
    ['TL', 'TL'],
  ])('%s is %s', (text, code) => {
    expect(checkCountry(text)).toBe(code);
  });

  it.each([
    ['UK', 'GB'],
    ['EL', 'GR'],
    ['Kenya', 'KE'],
    ['USA', 'US'],
    ['XK', 'two letters'],
    ['ZZ', 'two letters'],
    ['AN', 'two letters'],
    ['K', 'two letters'],
    ['KE ', 'two letters'],
    ['404', 'two letters'],
  ])('refuses %s, and says %s', (text, advice) => {
    expect(checkCountry(text)).toMatchObject({
      code: 'invalid_country',
      message: expect.stringContaining(advice),
    });
  });
});

describe('checkState', () => {
  it.each([
    ['US-CA', 'US-CA'],
    ['us-ny', 'US-NY'],
    ['KE-30', 'KE-30'],
    ['GB-ENG', 'GB-ENG'],
    ['FR-75C', 'FR-75C'],
    ['DE-BE', 'DE-BE'],
    ['US-ZZ', 'US-ZZ (unknown subdivision)'],
    ['KE-999', 'KE-999 (unknown subdivision)'],
    ['California', 'invalid_state!'],
    ['CA', 'invalid_state!'],
    ['US_CA', 'invalid_state!'],
    ['US-', 'invalid_state!'],
    ['US-CALI', 'invalid_state!'],
    ['ZZ-CA', 'invalid_state!'],
    ['USCA', 'invalid_state!'],
  ])('%s: %s', (text, expected) => {
    expect(summarise(checkState(text))).toBe(expected);
  });

  it('has to be of the country of the row', () => {
    expect(checkStateOfCountry('US-CA', 'US')).toBe('US-CA');
    expect(summarise(checkStateOfCountry('US-CA', 'KE'))).toBe('invalid_state!');
  });
});
