import { expect, it } from 'vitest';
import { TotalWatch } from '../../../src/watch/drift/totals-and-fillers.ts';
import { stagedRow } from '../../support/ledger-rows.ts';

function totalsOf(...amounts: readonly string[]): number[] {
  const watch = new TotalWatch();
  amounts.forEach((amount, at) => {
    watch.take({ ...stagedRow(at + 2), record: { amount } });
  });
  return watch.result().map(({ row }) => row);
}

it('finds a row whose amount is the sum of the others, below or above them', () => {
  expect(totalsOf('10.10', '20', '30', '40.40', '100.50')).toEqual([6]);
  expect(totalsOf('100.5', '10.10', '20', '30', '40.4')).toEqual([2]);
  expect(totalsOf('10', '20', '30', '40', '100', '7', '3', '1')).toEqual([6]);
  expect(totalsOf('10', '20', '30', '40', '100', '9', '8', '7', '20', '44')).toEqual([6, 11]);
});

it('does not read an amount as a sum by chance', () => {
  expect(totalsOf('10', '20', '30')).toEqual([]);
  expect(totalsOf('10', '20', '30', '40', '99.99')).toEqual([]);
  expect(totalsOf('0', '0', '0', '0', '0', '0')).toEqual([]);
});
