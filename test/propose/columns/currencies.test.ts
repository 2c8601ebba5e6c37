import { expect, it } from 'vitest';
import { currencyFound, currencyNamed } from '../../../src/propose/columns/currencies.ts';
import { sheetOf } from '../../../src/propose/sheet/sheet.ts';
import { gridOf, proposingOf } from '../grids.ts';

it.each([
  ['US Dollar', 'USD'],
  ['euros', 'EUR'],
  ['Türk lirası', 'TRY'],
  ['₺', 'TRY'],
  ['€', 'EUR'],
  ['₦', 'NGN'],
  // Signs of several currencies, and marks that are no sign of any.
  ['$', undefined],
  ['kr', undefined],
  ['?', undefined],
  ['-', undefined],
  ['', undefined],
])('%j means %s', (text, code) => {
  expect(currencyNamed(text)).toBe(code);
});

it.each([
  ['Payments in KES, November', 'KES'],
  ['PAYMENT LIST GHS NOVEMBER', 'GHS'],
  ['LIST OF ALL MEMBERS (ALL)', 'ALL'],
  // A word of a text in capitals.
  ['LIST OF ALL MEMBERS', null],
  // The community health worker, and a fund of Switzerland.
  ['Field:CHW ID', null],
  ['Currency: ZMW', 'ZMW'],
])('%j above a list shows %s', async (line, code) => {
  const grid = gridOf([[line], ['Name', 'Town'], ['Ana', 'Lodja'], ['Ben', 'Kindu']]);
  const sheet = await sheetOf(proposingOf([grid]), new Map([['reading:header_rows', '2']]));
  expect(currencyFound(sheet, undefined)).toBe(code);
});

it.each([
  ['Currency: ZMW', 'ZMW'],
  ['Cotton 2026', null],
])('kilograms in a column below %j are no currency of Kyrgyzstan', async (line, code) => {
  const grid = gridOf([[line], ['Name', 'Kgs', 'KGS'], ['Ana', '120', '5'], ['Ben', '98', '7']]);
  const sheet = await sheetOf(proposingOf([grid]), new Map([['reading:header_rows', '2']]));
  expect(currencyFound(sheet, undefined)).toBe(code);
});

it('a line that says only its currency comes before the titles of columns', async () => {
  const grid = gridOf([['Valuta: EUR'], ['Name', 'Before (USD)'], ['Ana', '120'], ['Ben', '98']]);
  const sheet = await sheetOf(proposingOf([grid]), new Map([['reading:header_rows', '2']]));
  expect(currencyFound(sheet, undefined)).toBe('EUR');
});
