import { describe, expect, it } from 'vitest';
import { headerChoices } from '../../../src/propose/sheet/grid.ts';
import { gridOf, readLines } from '../grids.ts';

const own = { stated: { kind: 'recipients' as const } };
const rows = Array.from({ length: 8 }, (_, at) => [
  `Ann Other ${at}`,
  `+25471234500${at}`,
  'M-Pesa',
  `${1500 + at}`,
  'KES',
  `${2600 + at}`,
]);
const titles = ['Name', 'Mobile', 'Provider', 'Amount', 'Currency', 'Amount'];

describe('a title that is twice in the header', () => {
  it('names two columns, and a person is asked which of them is meant', async () => {
    const { mapping, points } = await readLines([titles, ...rows], {}, own);
    expect(mapping.columns).toMatchObject({ 'Amount (1 of 2)': 'amount' });
    expect(mapping.ignore).toEqual(['Amount (2 of 2)']);
    const point = points.find(({ id }) => id === 'column:Amount (1 of 2)');
    expect([point?.isNeeded, point?.subject.proposal]).toEqual([true, null]);
    expect(point?.why).toEqual({ code: 'several_amounts', columns: ['Amount (2 of 2)'] });
  });

  it('is read as the person says', async () => {
    const { mapping } = await readLines(
      [titles, ...rows],
      { 'column:Amount (1 of 2)': null, 'column:Amount (2 of 2)': 'amount' },
      own,
    );
    expect(mapping.columns).toMatchObject({ 'Amount (2 of 2)': 'amount' });
    expect(mapping.ignore).toEqual(['Amount (1 of 2)']);
  });

  it('is distinguished by the row above, where there are two rows of titles', () => {
    const grid = gridOf([['', '', '', 'Invoiced', '', 'To pay'], titles, ...rows]);
    expect(headerChoices(grid)[0]?.rows).toEqual([1, 2]);
  });
});
