import { describe, expect, it } from 'vitest';
import { HeadingsAbove, labelledHeading } from '../../../src/read/mapping/headings.ts';
import { createNonRowCheck } from '../../../src/read/mapping/non-rows.ts';

const header = ['No', 'Name', 'Bank', 'Account', 'Amount', 'Remarks'];
const columns = { own: [0, 1, 2, 3, 4, 5], identifiers: new Set([3]), figures: new Set([4]) };
const row = ['1', 'Ann', 'KCB', '0123', '500', ''];

/** What the headings say of each line: the nearest one, or the one with a label. */
function headingsOf(
  lines: readonly (readonly string[])[],
  label?: string,
  labels: ReadonlySet<string> = new Set(label),
): readonly string[] {
  const check = createNonRowCheck(header, { ...columns, labels });
  const headings = new HeadingsAbove({ ...columns, labels });
  return lines.map((cells) => {
    headings.next({ cells }, check({ cells }));
    return headings.textOf(label);
  });
}

describe('the heading above a row', () => {
  it.each([
    [['Equity Bank Kenya'], 'Equity Bank Kenya'],
    [['BANK: GTBank'], 'GTBank'],
    [['Region:', 'Western'], 'Western'],
    [['Equity Bank Kenya - 23 employees'], 'Equity Bank Kenya'],
    [['M-PESA (23)'], 'M-PESA'],
    [['KCB Bank (contd)'], 'KCB Bank'],
    [['Operator: MTN', 'Operator: MTN', 'Operator: MTN'], 'MTN'],
    [['Bank:'], 'Bank:'],
    // Three capitals, as a code of a currency has.
    [['MTN'], 'MTN'],
  ])('is the text of %j without its label and its count', (cells, text) => {
    expect(headingsOf([cells, row, row])).toEqual([text, text, text]);
  });

  it('is the line above the header at first', () => {
    const first = (...cells: readonly string[]): string =>
      new HeadingsAbove({ ...columns, above: [{ cells: ['Payments'] }, { cells }] }).textOf(undefined);
    expect(first('Operator: MTN')).toBe('MTN');
    expect(first('Period', 'November')).toBe('');
  });

  it('ends at a total, and at a line that may be another heading', () => {
    const below = (...lines: readonly (readonly string[])[]) => headingsOf([['MTN'], ...lines]);
    expect(below(row, ['Total', '', '', '', '500', ''], row)).toEqual(['MTN', 'MTN', '', '']);
    // Three cells are too many for a heading, but the line lacks too much for a row with a mistake.
    expect(below(row, ['Airtel', '3 people', '', '', '900', ''], row)).toEqual(['MTN', 'MTN', '', '']);
    expect(below(['1', 'Ann', 'KCB', '', '500', ''], row)).toEqual(['MTN', 'MTN', 'MTN']);
    expect(below(['UBA', '', '', '', '900', ''], row)).toEqual(['MTN', '', '']);
    // As full as a row, but with no digit where each row has one.
    expect(below(row, ['Kampala', 'Mr. Okello', 'Airtel', '12 staff', 'weekly', ''], row)).toEqual([
      'MTN',
      'MTN',
      '',
      '',
    ]);
    expect(below(['1', 'Ann', 'KCB', '0123', 'free', ''], row)).toEqual(['MTN', 'MTN', 'MTN']);
    expect(below(header, row)).toEqual(['MTN', 'MTN', 'MTN']);
    expect(below(['Brought forward', '', '', '', '500', ''], row)).toEqual(['MTN', 'MTN', 'MTN']);
    expect(below(['2 people'], row)).toEqual(['MTN', 'MTN', 'MTN']);
  });
});

describe('a heading with cells of its own', () => {
  it.each([
    [['BANK', '68', 'Equity Bank'], { label: 'BANK', text: 'Equity Bank' }],
    [['', 'Opérateur :', 'OM', 'ORANGE MONEY CI', ''], { label: 'Opérateur', text: 'OM ORANGE MONEY CI' }],
    [['BANK', 'CBE', 'Bole Br.', '70 persons', '301000.0'], { label: 'BANK', text: 'CBE Bole Br.' }],
    [['BANK', '68', 'EQUITY BANK (CONTD)'], { label: 'BANK', text: 'EQUITY BANK' }],
    [['BANK', '68', '900.50'], undefined],
    [['C-1', 'Ann Otieno'], undefined],
    [['BANK', '68', 'Equity Bank', '44 EMPLOYEES', '900.50'], { label: 'BANK', text: 'Equity Bank' }],
    [['BANK', '68', 'Equity Bank', '44', '900.50', '10', '910.50'], undefined],
    [['BANK'], undefined],
  ])('%j', (cells, found) => {
    expect(labelledHeading(cells)).toEqual(found);
  });

  const labels = new Set(['Company', 'Bank']);
  const lines = [
    ['Company', '01', 'Tea Ltd'],
    ['Bank', '68', 'Equity Bank'],
    row,
    ['Total bank', '68', 'Equity Bank', '1 employee', '500', ''],
    row,
    ['Bank', '01', 'KCB Bank'],
    row,
    ['Company', '02', 'Coffee Ltd'],
    row,
  ];

  it('is no row, and counts up to the total of its group, or to the next larger group', () => {
    const check = createNonRowCheck(header, { ...columns, labels });
    expect(lines.map((cells) => check({ cells }))).toEqual([
      ...['heading', 'heading', null, 'total', null, 'heading', null, 'heading', null],
    ]);
    expect(headingsOf(lines, 'Bank', labels)).toEqual([
      ...['', 'Equity Bank', 'Equity Bank', '', '', 'KCB Bank', 'KCB Bank', '', ''],
    ]);
    expect(headingsOf(lines, 'Company', labels)).toEqual([
      ...['Tea Ltd', 'Tea Ltd', 'Tea Ltd', 'Tea Ltd', 'Tea Ltd', 'Tea Ltd', 'Tea Ltd'],
      ...['Coffee Ltd', 'Coffee Ltd'],
    ]);
  });

  it('is not the nearest heading', () => {
    expect(headingsOf([['MTN'], ['Bank', '01', 'KCB Bank'], row], undefined, labels)).toEqual([
      ...['MTN', 'MTN', 'MTN'],
    ]);
  });
});
