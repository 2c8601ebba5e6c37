import { expect, it } from 'vitest';
import { filesText, safeName } from '../../../src/console/under-way/kept-files.ts';

it.each([
  ['people.csv', 'people.csv'],
  ['Fournisseurs à régler – novembre.xlsx', 'Fournisseurs à régler – novembre.xlsx'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\a\\liste.xls', 'liste.xls'],
  ['..', '_'],
  ['.hidden', '_hidden'],
  ['', 'file'],
  ['a\u0000b\u202Egnp.csv', 'a_b_gnp.csv'],
  ['a"b<c>|?.csv', 'a_b_c___.csv'],
  ['nul.csv', '_nul.csv'],
  ['COM1', '_COM1'],
  ['conto.csv', 'conto.csv'],
  [' con .csv', '_con .csv'],
  [' .hidden', '_hidden'],
  ['a\u2028b.csv', 'a_b.csv'],
])('keeps %j under a safe name', (given, name) => {
  expect(safeName(given)).toBe(name);
});

it('keeps beginning and ending of a long name', () => {
  const name = safeName(`${'x'.repeat(300)}.csv`);
  expect([[...name].length, name.endsWith('.csv')]).toEqual([100, true]);
  const wide = safeName(`${'漢'.repeat(95)}.csv`);
  expect([Buffer.byteLength(wide) <= 200, wide.endsWith('漢.csv')]).toEqual([true, true]);
});

it('names the first of many files in a title, and says how many more there are', () => {
  const named = (count: number): string =>
    filesText(Array.from({ length: count }, (_, at) => ({ name: `${at + 1}.csv` })));
  expect([1, 2, 7].map(named)).toEqual(['1.csv', '1.csv and 2.csv', '1.csv and 6 more files']);
});
