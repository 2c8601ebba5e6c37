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

describe('a header of one row', () => {
  it('may have columns that are called by spans, ages, years or days', () => {
    const titles = ['No.', 'Full name', 'Tax ID', 'Bank', 'Account number'];
    expect(
      headerOf(['Aged debt as at 20-Nov-2026', '', 'Page 1'], [...titles, '31-60', '61-90', '91+']),
    ).toEqual([2]);
    expect(headerOf(['Dues', '', 'Page 1'], [...titles, '2024', '2025', '2026'])).toEqual([2]);
    expect(headerOf(['Days worked', '', 'Page 1'], [...titles, '1', '2', '3'])).toEqual([2]);
  });
});

describe('a header of two rows', () => {
  it('is one where the upper row has more titles than the lower, since most titles are for both rows', () => {
    const upper = ['Employee', '', '', 'Payment', '', 'Gross pay', 'Deductions', 'Net pay'];
    const lower = ['No.', 'Full name', 'Tax ID', 'Bank', 'Account number', '', '', ''];
    expect(headerOf(['Some Company Ltd'], upper, lower)).toEqual([2, 3]);
  });

  it.each([
    [['Aug 2026', 'Sept 2026', 'Oct 2026']],
    [['août 26', 'sept. 26', 'oct. 26']],
    [['Q1 2026', 'Q2 2026', 'Q3 2026']],
  ])('is one where columns are repeated for each period: %j', (periods) => {
    const upper = ['Member', '', ...periods.flatMap((period) => [period, ''])];
    const lower = ['No.', 'Name', ...periods.flatMap(() => ['Days', 'Amount'])];
    expect(headerOf(['Some Company Ltd'], upper, lower)).toEqual([2, 3]);
  });

  it('is one where each column has a title in the upper row, and some titles continue in the lower', () => {
    const upper = ['Date', 'Ref. No.', "Party's", "Party's", 'Opening', 'Pending', 'Overdue'];
    const lower = ['', '', 'Name', 'Alias', 'Amount', 'Amount', 'by days'];
    const bills = Array.from({ length: 8 }, (_, at) => [
      '1-Jul-26',
      `KP/22${at}/26`,
      'Ivan Akello',
      `AKE18${at}`,
      2_249_000 + at,
      2_204_500,
      128,
    ]);
    expect(headerChoices(gridOf([['Bills Receivable'], upper, lower, ...bills]))[0]?.rows).toEqual([2, 3]);
  });

  it('is one where the upper row has the questions of a form, with numbers and as long as they are', () => {
    const upper = [
      'Respondent ID',
      'Member',
      '1. Please fill in your contact details',
      '',
      '',
      '2. Do you agree that we register you, and that we use these details for our payments?',
      '3. Whom may we call?',
      '',
    ];
    const lower = ['', '', 'Name:', 'Bank:', 'Account number:', 'Response', 'Name', 'Phone'];
    expect(headerOf(upper, lower)).toEqual([1, 2]);
  });

  it('is none where words are above a header of one row', () => {
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
    expect(headerOf(['Printed on', '12 Nov 2026', '', 'Page', '1 of 2'], header)).toEqual([2]);
    expect(headerOf(header)).toEqual([1]);
    // The first row of values has words only.
    expect(headerOf(header, ['A', 'Jan Kos', 'N', 'First Bank', 'cash', '', '', ''])).toEqual([1]);
  });
});
