import { describe, expect, it } from 'vitest';
import {
  checkStateOfCountry,
  countriesOfSubdivision,
  countriesWithSubdivisions,
  createCountryCheck,
  createStateCheck,
  subdivisionNamed,
} from '../../../src/kinds/fields/places.ts';
import { noOtherValues, type RowValues, type ValueResult } from '../../../src/kinds/fields/value-text.ts';
import { saying } from '../../support/messages.ts';
import { summarise } from './verdicts.ts';

function checkCountry(text: string, places: 'codes' | 'names' = 'codes'): ValueResult {
  return createCountryCheck(places)(text, undefined, noOtherValues);
}

/** A state as a row of that country has it. */
function checkState(text: string, country?: string): ValueResult {
  const row: RowValues = {
    ...noOtherValues,
    valueOf: (field) => (field === 'country' ? country : undefined),
  };
  return createStateCheck(country === undefined ? 'codes' : 'names')(text, undefined, row);
}

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
      message: saying(advice),
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

describe('places by name', () => {
  it.each([
    ['Kenya', 'KE'],
    ['KENIA', 'KE'],
    ['Quênia', 'KE'],
    ['Deutschland', 'DE'],
    ['Allemagne', 'DE'],
    ['Ujerumani', 'DE'],
    ['Alemanha', 'DE'],
    ['Vereinigte Staaten', 'US'],
    ['etats unis', 'US'],
    ['Marekani', 'US'],
    ['U.S.A.', 'US'],
    ['UK', 'GB'],
    ["Cote d'Ivoire", 'CI'],
    ['NGA', 'NG'],
    ['Lietuva', 'LT'],
    ['LENKIJA', 'PL'],
    ['Igaunija', 'EE'],
    ['Slovenija', 'SI'],
    ['Россия', 'RU'],
    ['Україна', 'UA'],
    ['مصر', 'EG'],
    ['Ελλάδα', 'GR'],
    ['България', 'BG'],
    ['日本', 'JP'],
    ['대한민국', 'KR'],
    ['新加坡', 'SG'],
  ])('%s is %s, and reported', (text, code) => {
    expect(summarise(checkCountry(text, 'names'))).toBe(`${code} (read as ${code})`);
  });

  it.each(['ke', 'DE'])('the code %s is no name and not reported', (text) => {
    expect(checkCountry(text, 'names')).toBe(text.toUpperCase());
  });

  it.each(['Congo Republic of nowhere', 'Keyna', 'Nairobi', 'XK', '404'])('refuses %s', (text) => {
    expect(summarise(checkCountry(text, 'names'))).toBe('invalid_country!');
  });

  it.each([
    ['California', 'US', 'US-CA'],
    ['CA', 'US', 'US-CA'],
    ['new york', 'US', 'US-NY'],
    ['Calif.', 'US', 'US-CA'],
    ['Penna.', 'US', 'US-PA'],
    ['N. Dak.', 'US', 'US-ND'],
    ['N.H.', 'US', 'US-NH'],
    ['Ont.', 'CA', 'CA-ON'],
    ['Que.', 'CA', 'CA-QC'],
    ['Lagos State', 'NG', 'NG-LA'],
    ['LA', 'NG', 'NG-LA'],
    ['Nairobi', 'KE', 'KE-30'],
    ['Nairobi City County', 'KE', 'KE-30'],
    ["Murang'a", 'KE', 'KE-29'],
    ['Thueringen', 'DE', 'invalid_state!'],
    ['Thuringen', 'DE', 'DE-TH'],
    ['Baden-Württemberg', 'DE', 'DE-BW'],
    ['北海道', 'JP', 'JP-01'],
    ['京都', 'JP', 'JP-26'],
    ['Fukushima', 'JP', 'JP-07'],
    ['경상북도', 'KR', 'KR-47'],
    ['广东省', 'CN', 'CN-GD'],
    ['臺南市', 'TW', 'TW-TNN'],
    ['北海道', 'CN', 'invalid_state!'],
    ['관동', 'KR', 'invalid_state!'],
    ['CA', 'KE', 'invalid_state!'],
    ['Californa', 'US', 'invalid_state!'],
    ['LA', 'DE', 'invalid_state!'],
  ])('%s in %s: %s', (text, country, expected) => {
    expect(summarise(checkState(text, country)).replace(/ \(read as .*/, '')).toBe(expected);
  });

  it('looks up no state without a country', () => {
    const result = createStateCheck('names')('California', undefined, noOtherValues);
    expect(result).toMatchObject({ message: saying('without the country') });
  });
});

it.each(['Lagos State', 'NY', '東京都', 'Central', 'Bayern', 'Nairobi City', 'nowhere', ''])(
  'knows the countries of which "%s" names a subdivision',
  (text) => {
    const named = countriesWithSubdivisions().filter(
      (country) => subdivisionNamed(text, country) !== undefined,
    );
    expect([...countriesOfSubdivision(text)].sort()).toEqual(named.sort());
  },
);
