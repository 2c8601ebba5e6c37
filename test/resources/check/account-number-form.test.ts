import { expect, it } from 'vitest';
import { accountNumberLength, isNuban } from '../../../src/resources/check/account-number-form.ts';

it('knows the check digit of the example in the standard, and the length of Nigerian numbers', () => {
  expect(isNuban('0000014579', '011')).toBe(true);
  expect(isNuban('0000014579', '000011')).toBe(true);
  expect(isNuban('0000014578', '011')).toBe(false);
  expect(isNuban('000001457', '011')).toBe(false);
  expect(accountNumberLength('NG')).toBe(10);
  expect(accountNumberLength('KE')).toBeUndefined();
});
