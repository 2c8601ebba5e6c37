import { describe, expect, it } from 'vitest';
import { proposeReadings } from '../../../src/propose/reading/propose.ts';
import { columnOf } from '../../../src/propose/sheet/column.ts';
import { legendFor, legendsIn } from '../../../src/propose/sheet/explanations.ts';
import { gridOf, kenyan, proposingOf } from '../grids.ts';

const codes = ['P1', 'P2', 'B7'];
const list = gridOf(
  [
    ['Staff ID', 'Full name', 'Paid to', 'Account no', 'Currency'],
    ...Array.from({ length: 12 }, (_, at) => [
      `C-${at}`,
      `Ann Other ${at}`,
      codes[at % 3] ?? '',
      `01100${7_000_000 + at}`,
      'KES',
    ]),
  ],
  'List',
);
const legend = gridOf(
  [
    ['Code', 'Institution'],
    ['P1', 'M-Pesa'],
    ['P2', 'Airtel Money'],
    ['B7', 'KCB Bank Kenya'],
  ],
  'Codes',
);

describe('a legend on another sheet', () => {
  it('is two columns, whose codes are values of a column', () => {
    const [found] = legendsIn([list, legend], list);
    expect(found?.get('p1')).toBe('M-Pesa');
    const column = columnOf(2, 'Paid to', list.rows.slice(1));
    expect(legendFor(column, found === undefined ? [] : [found])).toBe(found);
    const other = columnOf(1, 'Full name', list.rows.slice(1));
    expect(legendFor(other, found === undefined ? [] : [found])).toBe(undefined);
    expect(
      legendsIn(
        [
          list,
          gridOf(
            [
              ['P1', 'a'],
              ['P1', 'b'],
              ['P2', 'c'],
            ],
            'Twice',
          ),
        ],
        list,
      ),
    ).toEqual([]);
  });

  it('is proposed as the meanings of the codes, for a person to confirm', async () => {
    const decisions = new Map([['column:Paid to', 'institution_name']]);
    const stated = { kind: 'recipients', sheet: 'List' } as const;
    const [best] = await proposeReadings(proposingOf([list, legend], { ...kenyan, stated }), decisions);
    expect(best?.mapping.values?.['institution_name']).toEqual({
      P1: 'M-Pesa',
      P2: 'Airtel Money',
      B7: 'KCB Bank Kenya',
    });
    expect(best?.points.some(({ id }) => id === 'values:Paid to')).toBe(true);
  });
});
