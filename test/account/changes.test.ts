import { expect, it } from 'vitest';
import { changesTables } from '../../src/account/changes.ts';
import { figure } from '../../src/account/table.ts';

const earlier = {
  ...{
    batch: '12d2714e-2e85-8b38-9fd2-db2ce449c9fe',
    file: 'june.csv',
    createdAt: '2026-06-30T08:00:00.000Z',
  },
  payees: 3,
};

it('has no table where nothing changed, and there is no last file', () => {
  expect(changesTables(null)).toEqual([]);
  expect(changesTables({ counts: {}, shown: [] })).toEqual([]);
  expect(changesTables({ counts: {}, shown: [], series: null })).toEqual([]);
});

it('shows the payees of a file beside those of the last one, a line for each currency', () => {
  const fresh = {
    payees: 2,
    sums: [
      { currency: 'EUR', rows: 2, amount: '0.30' },
      { currency: 'KES', rows: 1, amount: '7' },
    ],
  };
  const series = { earlier, payees: 4, fresh, missing: { payees: 0, sums: [] } };
  expect(changesTables({ counts: {}, shown: [], series })).toEqual([
    {
      title: 'Beside the last file',
      introduction: 'Compared with june.csv of 2026-06-30 (batch 12d2714e): 4 payees, 3 there.',
      columns: ['Payees', figure('Number'), 'Currency', figure('Rows'), figure('Sum')],
      rows: [
        ['new', 2, 'EUR', 2, { amount: '0.30', currency: 'EUR' }],
        [null, null, 'KES', 1, { amount: '7', currency: 'KES' }],
        ['missing', 0, null, null, null],
      ],
    },
  ]);
});
