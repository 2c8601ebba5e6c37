import { describe, expect, it } from 'vitest';
import type { FieldType } from '../../../src/kinds/definition.ts';
import { createRewriting, rewrittenText, type TextRepair } from '../../../src/kinds/fields/text-repairs.ts';
import { noOtherValues } from '../../../src/kinds/fields/value-text.ts';

/** What a repair makes of a text in a row of this country. */
function read(name: TextRepair, text: string, country?: string): string | undefined {
  return rewrittenText(name, text, () => country, null);
}

describe('a postal code behind its country', () => {
  it.each([
    ['DK-8200', 'DK', '8200'],
    ['DK 8200', 'DK', '8200'],
    ['dk-8200', 'DK', '8200'],
    ['SE-753 10', 'SE', '753 10'],
    ['D-04109', 'DE', '04109'],
    ['A-6020', 'AT', '6020'],
    ['FIN-33100', 'FI', '33100'],
    ['NL-3511 CE', 'NL', '3511 CE'],
    ['PL-00-950', 'PL', '00-950'],
  ])('%s in %s is %s', (text, country, code) => {
    expect(read('country_prefix', text, country)).toBe(code);
  });

  it.each([
    // The prefix is a part of the code there.
    ['LV-1050', 'LV'],
    ['MD-2012', 'MD'],
    ['AD500', 'AD'],
    // Another country's, a code without one, one that is wrong without it, and a row without a country.
    ['DK-8200', 'NO'],
    ['8200', 'DK'],
    ['DK-820', 'DK'],
    ['EC1A 1BB', 'GB'],
    ['DK-8200', undefined],
  ])('%s in %s stays as it is', (text, country) => {
    expect(read('country_prefix', text, country)).toBeUndefined();
  });
});

describe('the first of several phones in a cell', () => {
  it.each([
    ['0772 742469 / 0752 441038', 'UG', '0772 742469'],
    ['+256 772 742469; 0752 441038', 'UG', '+256 772 742469'],
    ['772742469,752441038,701482944', 'UG', '772742469'],
  ])('%s is %s', (text, country, phone) => {
    expect(read('first_phone', text, country)).toBe(phone);
  });

  it.each([
    ['0772 742469', 'UG'],
    // The other one is no whole number, or has words beside it.
    ['0772 742469 / 70', 'UG'],
    ['0772 742469 / wife 0752 441038', 'UG'],
    ['0772 742469 / 0752 441038', undefined],
  ])('is not taken from %s of %s', (text, country) => {
    expect(read('first_phone', text, country)).toBeUndefined();
  });
});

it.each([
  ['mobile_money', '0772 742469'],
  // There the cell has two account numbers, and no phones.
  ['bank_account', undefined],
])('the first of several numbers of accounts is taken only where it is a phone: %s', (payeeType, phone) => {
  const rewrite = createRewriting({ repairs: new Set(['first_phone'] as const) }, 'account_number');
  const row = { ...noOtherValues, valueOf: () => payeeType, phoneCountry: () => 'UG' };
  expect(rewrite?.('0772 742469 / 0752 441038', row)?.text).toBe(phone);
});

describe('a Mexican mobile as it was dialled until 2019', () => {
  it.each([
    '+52 1 55 4321 8765',
    '+5215543218765',
    '0052 1 55 4321 8765',
    '044 55 4321 8765',
    '045 55 4321 8765',
  ])('%s is read in its new form', (text) => {
    expect(read('old_phone_form', text, 'MX')).toBe('+525543218765');
  });

  it.each([
    ['+52 55 4321 8765', 'MX'],
    // The 9 of Argentina is still dialled.
    ['+54 9 11 4321 8765', 'AR'],
    ['+52 1 05 4321 8765', 'MX'],
    // Without +, it is one only in a column of Mexican phones.
    ['044 55 4321 8765', 'UA'],
    ['5215543218765', undefined],
  ])('%s in %s stays as it is', (text, country) => {
    expect(read('old_phone_form', text, country)).toBeUndefined();
  });
});

describe('a phone number that could be of two countries', () => {
  it('is one of the country of its column', () => {
    expect(read('phones_of_country', '961 412 3456', 'PH')).toBe('+639614123456');
  });

  it.each([
    ['0961 412 3456', 'PH'],
    ['+9614123456', 'PH'],
    ['917 123 4567', 'PH'],
    ['12345', 'PH'],
    ['961 412 3456', undefined],
  ])('%s in %s stays as it is', (text, country) => {
    expect(read('phones_of_country', text, country)).toBeUndefined();
  });
});

describe('an IBAN with letters of another alphabet', () => {
  it.each([
    ['ВG80 ВNВG 9661 1020 3456 78', 'BG80BNBG96611020345678'],
    ['вg80вnвg96611020345678', 'BG80BNBG96611020345678'],
    ['ΜΤ84MALT011000012345MTLCAST001S', 'MT84MALT011000012345MTLCAST001S'],
  ])('%s is read with the Latin ones', (text, iban) => {
    expect(read('latin_letters', text)).toBe(iban);
  });

  it.each([
    'BG80BNBG96611020345678',
    // The check digits do not fit, and a letter that looks like no Latin one.
    'ВG81 ВNВG 9661 1020 3456 78',
    'ВG80 БNВG 9661 1020 3456 78',
  ])('%s stays as it is', (text) => {
    expect(read('latin_letters', text)).toBeUndefined();
  });
});

describe('an IBAN without its country', () => {
  it.each([
    ['61 1090 1014 0000 0712 1981 2874', 'PL', 'PL61109010140000071219812874'],
    ['35-5000-0000-0549-1000-0003', 'SE', 'SE3550000000054910000003'],
    ['29nwbk60161331926819', 'GB', 'GB29NWBK60161331926819'],
  ])('%s of %s is read with it', (text, country, iban) => {
    expect(read('iban_country', text, country)).toBe(iban);
  });

  it.each([
    ['the country is not known', '61 1090 1014 0000 0712 1981 2874', undefined],
    ['it is of another country', '61 1090 1014 0000 0712 1981 2874', 'CZ'],
    ['a digit is wrong', '61 1090 1014 0000 0712 1981 2875', 'PL'],
    ['a digit is missing', '61 1090 1014 0000 0712 1981 287', 'PL'],
    ['it has a country', 'PL61 1090 1014 0000 0712 1981 2874', 'PL'],
  ])('stays as it is where %s', (_, text, country) => {
    expect(read('iban_country', text, country)).toBeUndefined();
  });
});

describe('a number in groups', () => {
  const joined = (type: FieldType, text: string) =>
    rewrittenText('digit_groups', text, () => undefined, type);

  it.each([
    ['routing_number', '021 000 021', '021000021'],
    ['routing_number', '0210-0002-1', '021000021'],
    ['us_account_number', '1234 5678 90', '1234567890'],
    ['us_account_number', '1234-567.8', '12345678'],
    ['iban', 'DE89-3704-0044-0532-0130-00', 'DE89370400440532013000'],
    ['iban', 'DE89.3704.0044.0532.0130.00', 'DE89370400440532013000'],
  ] as const)('is a %s: %s', (type, text, number) => {
    expect(joined(type, text)).toBe(number);
  });

  it.each([
    ['routing_number', '021-000-022'],
    ['us_account_number', '12-3'],
    ['us_account_number', '1234/5678'],
    ['us_account_number', '1234567890'],
    ['iban', 'DE88-3704-0044-0532-0130-00'],
    ['iban', 'DE89 3704 0044 0532 0130 00'],
  ] as const)('stays as it is if nothing confirms it, or nothing has to be left out: %s %s', (type, text) => {
    expect(joined(type, text)).toBe(undefined);
  });
});
