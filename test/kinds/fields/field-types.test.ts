import { describe, expect, it } from 'vitest';
import { plainReadingRules } from '../../../src/domain/tables/mapping.ts';
import { checkEmail, fieldTypes } from '../../../src/kinds/fields/field-types.ts';
import { noOtherValues, passedValue } from '../../../src/kinds/fields/value-text.ts';
import { summarise } from './verdicts.ts';

const label63 = 'a'.repeat(63);

describe('checkEmail', () => {
  it.each([
    'ada@example.com',
    'ada.lovelace+bulk@mail.example.co.ke',
    "o'brien@example.com",
    'a@b.co',
    'x_y-z@example-bank.com',
    '1234567890@example.com',
    'jörg@müller.example',
    '用户@例子.广告',
    'a@xn--fsqu00a.xn--0zwm56d',
    `${'a'.repeat(64)}@example.com`,
    `a@${label63}.com`,
  ])('accepts %s', (address) => {
    expect(checkEmail(address)).toBe(address);
  });

  it.each([
    'Ada <ada@example.com>',
    '<ada@example.com>',
    'ada@example.com, bob@example.com',
    'ada@example.com;bob@example.com',
    'ada@example.com bob',
    'mailto:ada@example.com',
    'ada',
    'ada@',
    '@example.com',
    'ada@@example.com',
    'ada@example@com',
    'ada@example',
    'ada@example.c',
    'ada@example.123',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    'ada @example.com',
    '"ada l"@example.com',
    'ada@[127.0.0.1]',
    `${'a'.repeat(65)}@example.com`,
    `a@${'a'.repeat(64)}.com`,
    `a@${`${label63}.`.repeat(4)}com`,
  ])('refuses %s', (address) => {
    expect(summarise(checkEmail(address))).toBe('invalid_email!');
  });

  it('shows no more than the last four characters', () => {
    expect(checkEmail('secret.person@example')).toMatchObject({
      message: expect.not.stringMatching(/secret|person|@example\b(?!\.com)/),
    });
  });
});

describe('an account number', () => {
  const check = fieldTypes.account_number.createCheck(plainReadingRules, '2026-11-30');
  const read = (text: string): unknown => passedValue(check(text, undefined, noOtherValues));

  it.each([
    '0123456789',
    '12345-X',
    'SB/01/000123',
    '0505 0001 3M02 606',
    'MT84 MALT 0110 0001 2345 MTLC AST0 01S',
  ])('has the form of its bank: %s', (text) => {
    expect(read(text)).toBe(text);
  });

  it.each(['0123456789 (closed)', 'UBA 0123456789', 'savings: 0123456789', '0123456789 wife', 'cash'])(
    'has no words: %s',
    (text) => {
      expect(read(text)).toBe(undefined);
    },
  );
});
