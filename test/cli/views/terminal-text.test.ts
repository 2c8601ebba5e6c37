import { describe, expect, it } from 'vitest';
import {
  alignedTable,
  colourIf,
  folded,
  jsonText,
  safeForTerminal,
} from '../../../src/cli/views/terminal-text.ts';
import { groupedAmount } from '../../../src/domain/money/money.ts';
import { printable } from '../../../src/domain/text/characters.ts';

const hostile = 'a\u001b[2Jb\u009b1mc\rd\u202ee\u2028f';

it('text from outside moves nothing on a terminal, with colours or without', () => {
  for (const useColour of [false, true]) {
    expect(safeForTerminal(hostile, useColour)).toBe(printable(hostile));
  }
});

it('our own lines, tabs and colours stay', () => {
  const own = `${colourIf(true)('red', 'LIVE')}\t1\n2`;
  expect(safeForTerminal(own, true)).toBe(own);
  expect(safeForTerminal(own, false)).not.toContain('\u001b');
});

it('JSON is plain text and keeps its meaning', () => {
  const value = { name: `${hostile}\u{e0001}`, list: [1, '\n'] };
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  expect(jsonText(value, 2)).toBe(safeForTerminal(jsonText(value, 2), false));
});

describe('a sentence on a narrow terminal', () => {
  it('is broken between words, each line behind its indentation', () => {
    expect(folded('Stopping: 16 requests in flight, at most 30 s.', 24)).toBe(
      'Stopping: 16 requests in\nflight, at most 30 s.',
    );
    expect(folded('  one two three', 9)).toBe('  one two\n  three');
  });

  it.each(['  next: paybatch validate list.csv --local-sandbox', 'a table   with columns'])(
    'stays whole where it is a command or a line of a table: %s',
    (line) => {
      expect(folded(line, 10)).toBe(line);
    },
  );

  it('is left as it is where there is room', () => {
    expect(folded('one two\nthree', 20)).toBe('one two\nthree');
    expect(folded('one two', Number.POSITIVE_INFINITY)).toBe('one two');
  });
});

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
