import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { planOfValidNumber } from '../../../src/resources/check/numbering-plan.ts';
import { seededRandom } from '../../support/crash.ts';

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
