import { describe, expect, it } from 'vitest';
import { titlesApart, titlesNamed } from '../../../src/read/mapping/same-titles.ts';

describe('columns with the same title', () => {
  it('are told apart by their place among those of that title', () => {
    expect(titlesApart(['Name', 'Amount', 'Ccy', 'amount'])).toEqual([
      'Name',
      'Amount (1 of 2)',
      'Ccy',
      'amount (2 of 2)',
    ]);
  });

  it.each([[['Name', 'Amount']], [['', 'Name', '']], [['result_row', 'result_row']]])(
    'stay as they are where there is nothing to tell apart: %j',
    (header) => {
      expect(titlesApart(header)).toEqual(header);
    },
  );

  it('never get the title that another column has', () => {
    expect(titlesApart(['Amount', 'Amount', 'Amount (1 of 2)'])).toEqual([
      'Amount',
      'Amount (2 of 2)',
      'Amount (1 of 2)',
    ]);
  });

  const header = ['Name', 'Amount', 'Amount', 'Note', 'Note'];

  it('have a name of their own where a mapping names them apart', () => {
    expect(titlesNamed(header, { columns: { 'Amount (2 of 2)': 'amount' }, ignore: ['Note'] })).toEqual([
      'Name',
      'Amount (1 of 2)',
      'Amount (2 of 2)',
      'Note',
      'Note',
    ]);
    expect(titlesNamed(header, { columns: { Amount: 'amount' } })).toEqual(header);
  });
});
