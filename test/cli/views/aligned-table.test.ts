import { describe, expect, it } from 'vitest';
import { alignedTable } from '../../../src/cli/views/aligned-table.ts';
import { colourIf } from '../../../src/cli/views/terminal-text.ts';
import { groupedAmount } from '../../../src/output/words/wording.ts';

const plain = colourIf(false);
const columns = [{ title: 'name', mayShrink: true }, { title: 'id' }, { title: 'rows', isFigure: true }];

describe('an aligned table', () => {
  it('puts words to the left and figures to the right', () => {
    const lines = alignedTable(
      columns,
      [
        ['Ünï', 'a', '1'],
        ['b', 'bcd', '1,000'],
      ],
      plain,
    );
    expect(lines).toEqual(['  name  id    rows', '  Ünï   a        1', '  b     bcd  1,000']);
  });

  it('shrinks the column that may, and no other, to keep to 100 columns', () => {
    const [, line = ''] = alignedTable(columns, [['n'.repeat(120), 'i'.repeat(40), '1']], plain);
    expect(line).toHaveLength(100);
    expect(line).toContain(`n…  ${'i'.repeat(40)}`);
  });

  it('makes text from outside safe', () => {
    expect(alignedTable(columns, [['a\u001b[31m', '', '']], plain).join()).not.toContain('\u001b');
  });
});

it.each([
  ['0', '0'],
  ['999.5', '999.5'],
  ['1234567.50', '1,234,567.50'],
  ['100000000000000000000.0099', '100,000,000,000,000,000,000.0099'],
])('groups %s as %s, to the last digit', (amount, grouped) => {
  expect(groupedAmount(amount)).toBe(grouped);
});
