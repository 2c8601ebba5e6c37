import { describe, expect, it } from 'vitest';
import { checkPhone, isPhoneOfCountry, readPhone } from '../../../src/resources/check/phone.ts';
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
    expect(checkPhone(text)).toBe(e164);
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
    expect(summarise(checkPhone(text))).toBe('invalid_phone!');
  });

  it('notes a number that is possible but not in the numbering plan', () => {
    expect(summarise(checkPhone('+15555555555'))).toBe(
      '+15555555555 (possible but not valid by the numbering plan)',
    );
  });

  it('shows no more than the last four digits', () => {
    const verdict = checkPhone('0798987654');
    expect(verdict).toMatchObject({ message: expect.stringContaining('654') });
    expect(verdict).toMatchObject({ message: expect.not.stringContaining('87654') });
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
