import { expect, it } from 'vitest';
import { findingsStems } from '../../../src/output/files/findings-names.ts';

it('inputs of one name, in any case, have findings files of their own', () => {
  const inputs = ['a/pay.csv', 'b/Pay.csv', 'pay.2.csv', 'c/pay.xlsx', '-'].map((fileName) => ({
    fileName,
    sheet: null,
  }));
  const stems = findingsStems(inputs);
  expect(stems[0]).toBe('pay');
  expect(stems[4]).toBe('stdin');
  expect(new Set(stems.map((stem) => stem.toLowerCase())).size).toBe(5);
  expect(findingsStems([{ fileName: 'b.xlsx', sheet: 'May' }])).toEqual(['b.May']);
});
