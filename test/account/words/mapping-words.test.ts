import { expect, it } from 'vitest';
import { valueName } from '../../../src/account/words/mapping-words.ts';

it.each([
  ['mobile_money', 'mobile money'],
  ['sepa', 'sepa'],
  ['KCB_Bank', 'KCB_Bank'],
  ['first_last ', 'first_last '],
  ['C_100', 'C_100'],
  ['', ''],
])('calls the value %j of a mapping %j: only names of programs are put in words', (value, name) => {
  expect(valueName(value)).toBe(name);
});
