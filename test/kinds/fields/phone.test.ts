import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { planOfValidNumber } from '../../../src/kinds/fields/numbering-plans.ts';
import { checkPhone, isPhoneOfCountry, readPhone } from '../../../src/kinds/fields/phone.ts';
import { noOtherValues } from '../../../src/kinds/fields/value-text.ts';
import { seededRandom } from '../../support/crash.ts';
import { notSaying, saying } from '../../support/messages.ts';
import { summarise } from './verdicts.ts';

describe('checkPhone', () => {
  it.each([
    ['+254712345678', '+254712345678'],
    ['+254 712 345 678', '+254712345678'],
    ['+254-712-345-678', '+254712345678'],
    ['+254.712.345.678', '+254712345678'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['+44 20 7946 0958', '+442079460958'],
    ['+44\u00a020\u20117946\u20130958', '+442079460958'],
    ['+49 30 901820', '+4930901820'],
    ['+39 06 698 10', '+390669810'],
    ['+256 772 123456', '+256772123456'],
  ])('%s is %s', (text, e164) => {
    expect(checkPhone(text, undefined, noOtherValues)).toBe(e164);
  });

  it.each([
    '0712345678',
    '254712345678',
    '00254712345678',
    '+00254712345678',
    '+0712345678',
    '+254',
    '+2547',
    '+25471234',
    '+254712345678901234',
    '+254 712 345 678 ext 5',
    '+1-800-FLOWERS',
    '+254712345678/9',
    '+254712345678;ext=1',
    '++254712345678',
    '254+712345678',
    '+999123456789',
    '+٢٥٤٧١٢٣٤٥٦٧٨',
    'phone',
  ])('refuses %s', (text) => {
    expect(summarise(checkPhone(text, undefined, noOtherValues))).toBe('invalid_phone!');
  });

  it('notes a number that is possible but not in the numbering plan', () => {
    expect(summarise(checkPhone('+15555555555', undefined, noOtherValues))).toBe(
      '+15555555555 (possible but not valid by the numbering plan)',
    );
  });

  it('shows no more than the last four digits', () => {
    const verdict = checkPhone('0798987654', undefined, noOtherValues);
    expect(verdict).toMatchObject({ message: saying('654') });
    expect(verdict).toMatchObject({ message: notSaying(/87654/) });
  });

  it('answers the same for equal inputs, remembered or not', () => {
    expect(readPhone('+254712345678')).toEqual(readPhone('+254712345678'));
    expect(readPhone('nonsense')).toBeUndefined();
    expect(readPhone('nonsense')).toBeUndefined();
  });
});

describe('isPhoneOfCountry', () => {
  it.each([
    ['+254712345678', 'KE', true],
    ['+254712345678', 'UG', false],
    ['+12025550123', 'US', true],
    ['+14165550123', 'US', false],
    ['+15555555555', 'US', true],
    ['+15555555555', 'CA', true],
    ['+15555555555', 'KE', false],
    ['+15555555555', 'AQ', false],
  ])('%s in %s: %s', (number, country, expected) => {
    const phone = readPhone(number);
    expect(phone && isPhoneOfCountry(phone, country)).toBe(expected);
  });
});

describe('a phone number of a declared country', () => {
  const readIn = (text: string, country: string | undefined): string =>
    summarise(checkPhone(text, undefined, { ...noOtherValues, phoneCountry: () => country }));

  it.each([
    ['0712 345 678', 'KE', '+254712345678'],
    ['254712345678', 'KE', '+254712345678'],
    ['712345678', 'KE', '+254712345678'],
    ['00254 712 345 678', 'KE', '+254712345678'],
    ['(415) 555-0100', 'US', '+14155550100'],
    ['1-415-555-0100', 'US', '+14155550100'],
    ['415.555.0100', 'US', '+14155550100'],
    ['(416) 555-0100', 'US', '+14165550100'],
    ['0171/1234567', 'DE', '+491711234567'],
    ['030 123456', 'DE', '+4930123456'],
    ['491711234567', 'DE', '+491711234567'],
    ['0049 171 1234567', 'DE', '+491711234567'],
    ['0803 123 4567', 'NG', '+2348031234567'],
    ['(11) 99854-1426', 'BR', '+5511998541426'],
    ['011 99854-1426', 'BR', '+5511998541426'],
    ['2348031234567', 'NG', '+2348031234567'],
  ])('%s in %s is %s, and reported', (text, country, e164) => {
    expect(readIn(text, country)).toBe(`${e164} (read as ${e164})`);
  });

  it('reads an international number as it is, whatever is declared', () => {
    expect(readIn('+255752345006', 'KE')).toBe('+255752345006');
    expect(readIn('+254 712 345 678', 'DE')).toBe('+254712345678');
  });

  it.each([
    ['07123456', 'KE'],
    ['0712 345 6789', 'KE'],
    ['255752345006', 'KE'],
    ['00255752345006', 'KE'],
    ['555-0100', 'US'],
    ['(115) 555-0100', 'US'],
    ['0712 345 678 ext 5', 'KE'],
    ['0712 345 678 / 0733 345 678', 'KE'],
    ['0712345678', undefined],
    ['n/a', 'KE'],
  ])('refuses %s in %s', (text, country) => {
    expect(readIn(text, country)).toBe('invalid_phone!');
  });

  it('refuses what may be a number of two countries', () => {
    expect(
      checkPhone('254712345678', undefined, { ...noOtherValues, phoneCountry: () => 'DE' }),
    ).toMatchObject({ message: saying('or of another country') });
  });
});

const random = seededRandom(11);
const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');

/** What the library makes of a number, as far as the plan promises the same. */
function readByLibrary(number: string) {
  const parsed = parsePhoneNumberFromString(number, { extract: false });
  return {
    isValid: parsed?.isPossible() === true && parsed.isValid(),
    number: parsed?.number,
    country: parsed?.country,
    callingCode: parsed?.countryCallingCode,
  };
}

/** The numbers that the plan takes although the library says something else of them, and how many it takes. */
function compare(numbers: readonly string[]): { taken: number; wrong: unknown[] } {
  const taken = numbers.flatMap((number) => {
    const plan = planOfValidNumber(number);
    return plan === undefined ? [] : [{ number, plan }];
  });
  const wrong = taken.flatMap(({ number, plan: { country, callingCode } }) => {
    const own = { isValid: true, number, country, callingCode };
    const library = readByLibrary(number);
    return JSON.stringify(own) === JSON.stringify(library) ? [] : [{ own, library }];
  });
  return { taken: taken.length, wrong };
}

describe('planOfValidNumber says what the library says', () => {
  it('of random numbers of every calling code, those that are in use by no one country included', () => {
    const codes = [
      ...Object.keys(metadata.country_calling_codes),
      ...Object.keys(metadata.nonGeographic),
      '999',
    ];
    const numbers = codes.flatMap((code) =>
      Array.from({ length: 60 }, () => `+${code}${digits(4 + Math.floor(random() * 9))}`),
    );
    const { taken, wrong } = compare(numbers.filter((number) => number.length <= 16));
    expect(wrong).toEqual([]);
    expect(taken).toBeGreaterThan(400);
  });

  it('of neighbours of every country’s example, with and without digits that look like a national prefix', () => {
    const numbers = getCountries().flatMap((country) => {
      const example = getExampleNumber(country, examples);
      if (example === undefined) return [];
      const { number, nationalNumber: national, countryCallingCode: code } = example;
      return [
        number,
        ...['0', '1', '8', '9', '00', '010'].map((prefix) => `+${code}${prefix}${national}`),
        ...Array.from({ length: 10 }, () => `+${code}${national.slice(0, -3)}${digits(3)}`),
        ...Array.from({ length: 10 }, () => `+${code}${national.slice(0, 2)}${digits(national.length - 2)}`),
      ];
    });
    const { taken, wrong } = compare(numbers);
    expect(wrong).toEqual([]);
    expect(taken).toBeGreaterThan(2_000);
  });

  it('takes the numbers that files are full of, so that the library is hardly asked', () => {
    expect(planOfValidNumber('+254712345678')).toMatchObject({ country: 'KE', callingCode: '254' });
    expect(planOfValidNumber('+256772123456')).toMatchObject({ country: 'UG' });
    expect(planOfValidNumber('+4930901820')).toMatchObject({ country: 'DE' });
  });

  it.each([
    ['several countries share the code', '+12025550123'],
    ['few countries share the code, and the first has such numbers', '+447400123456'],
    ['the code is no country’s', '+80012345678'],
    ['it may have a national prefix in it', '+2540712345678'],
    ['it is valid as it stands, and read without its first digits', '+3758103371306'],
    ['it is only possible', '+254012345678'],
    ['there is no such code', '+999123456'],
  ])('leaves a number to the library where %s', (_, number) => {
    expect(planOfValidNumber(number)).toBeUndefined();
  });
});
