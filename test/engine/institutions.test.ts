import { expect, it } from 'vitest';
import { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { countryOfArgument } from '../../src/engine/set-up.ts';
import { nextTyped } from '../support/words.ts';

it.each([
  ['KE', 'Kenya'],
  [' ug ', 'Uganda'],
])('takes the code %j', (text, name) => {
  expect(countryOfArgument(text).name).toBe(name);
});

it.each([
  ['KEN', 'KE'],
  ['Kenia', 'KE'],
  ['Nigerria', 'NG'],
  ['', 'KE'],
])('refuses %j with exit 2, and suggests %s', (text, code) => {
  let failure: unknown;
  try {
    countryOfArgument(text);
  } catch (error) {
    failure = error;
  }
  if (!(failure instanceof PaybatchError)) throw new Error('no failure');
  expect(failure.kind).toBe('usage');
  expect(nextTyped(failure)).toContain(`paybatch institutions ${code}`);
});
