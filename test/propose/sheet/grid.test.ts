import { describe, expect, it } from 'vitest';
import { headerChoices } from '../../../src/propose/sheet/grid.ts';
import { gridOf, type Lines } from '../grids.ts';

const rows = Array.from({ length: 8 }, (_, at) => [
  4_100 + at,
  `Petra Novak ${at}`,
  'ABC',
  'First Bank',
  `70012345${at}`,
  1_000 + at,
  20,
  980 + at,
]);

function headerOf(...lines: Lines): readonly number[] | undefined {
  return headerChoices(gridOf([...lines, ...rows]))[0]?.rows;
}

describe('a header of two rows', () => {
  it('is one where the upper row has more titles than the lower, since most stand over both', () => {
    const upper = ['Employee', '', '', 'Payment', '', 'Gross pay', 'Deductions', 'Net pay'];
    const lower = ['No.', 'Full name', 'Tax ID', 'Bank', 'Account number', '', '', ''];
    expect(headerOf(['Some Company Ltd'], upper, lower)).toEqual([2, 3]);
  });

  it('is none where words stand above a header of one row', () => {
    const header = [
      'No.',
      'Full name',
      'Tax ID',
      'Bank',
      'Account number',
      'Gross pay',
      'Deductions',
      'Net pay',
    ];
    expect(headerOf(['Prepared by:', 'HR', '', 'Branch:', 'Coast'], header)).toEqual([2]);
    expect(headerOf(header)).toEqual([1]);
    // The first row of values has words only.
    expect(headerOf(header, ['A', 'Jan Kos', 'N', 'First Bank', 'cash', '', '', ''])).toEqual([1]);
  });
});
