import { describe, expect, it } from 'vitest';
import { type AmountWriting, dayOf } from '../../../src/reconcile/export/amounts-and-dates.ts';
import { AmountColumn, DateColumn } from '../../../src/reconcile/export/watched-columns.ts';

const german = { decimal: ',', thousands: '.' } as const;

describe('the amounts of a whole column', () => {
  function column(writing: AmountWriting, texts: readonly string[], currency = 'KES'): AmountColumn {
    const watched = new AmountColumn(writing);
    for (const [at, text] of texts.entries()) watched.add(at + 2, text, currency);
    return watched;
  }

  it.each<[string, AmountWriting, string[], string | undefined, boolean | undefined]>([
    ['no value of it', german, ['12.50', '3.5'], '"decimal": "."', true],
    ['no value of it, in groups', {}, ['1.234,50', '2,00'], '"decimal": ",", "thousands": "."', true],
    [
      'no value of it, in groups by blanks',
      german,
      ['1 234.50', '2.00'],
      '"decimal": ".", "thousands": " "',
      true,
    ],
    ['some as something else', german, ['12,500', '1,500.00'], '"decimal": ".", "thousands": ","', true],
    ['all but those in groups', {}, ['2.00', '1,234.50'], '"decimal": ".", "thousands": ","', false],
    ['all but a value that is no amount', german, ['1.250', 'n/a'], undefined, undefined],
    ['values that no one writing reads', {}, ['1.5', '2,5'], undefined, undefined],
    ['all', german, ['1.250', '3,5'], undefined, undefined],
  ])(
    'are written otherwise, where the declared writing reads %s',
    (_, writing, texts, setting, isContradiction) => {
      const other = column(writing, texts).otherWriting();
      expect([other?.setting, other?.isContradiction]).toEqual([setting, isContradiction]);
    },
  );

  it('prove it by what cannot be read, and by what would be misread', () => {
    expect(column(german, ['12,500', '1,500.00']).otherWriting()?.proof).toBe(
      '(“1,500.00” in row 3). “12,500” in row 2 would be read as 12.5, and means 12500.',
    );
  });

  it('seem to have separators of thousands, where a currency has fewer decimals', () => {
    expect(column({}, ['1.250', '12.000', '7']).groupedWriting()).toBe('"decimal": ",", "thousands": "."');
    expect(column({}, ['1.250', '12.00']).groupedWriting()).toBeNull();
    expect(column({}, ['1.250', '12.000'], 'KWD').groupedWriting()).toBeNull();
  });
});

describe('the dates of a whole column', () => {
  it('are in another order, if that reads all of them and the declared one does not', () => {
    const dateFormat = 'DD/MM/YYYY';
    const column = new DateColumn(dateFormat, (text) => dayOf(text, { dateFormat }));
    column.add(2, '03/04/2026');
    expect(column.otherWriting()).toBeNull();
    column.add(3, '12/25/2026');
    expect(column.otherWriting()).toEqual({
      setting: '"dateFormat": "MM/DD/YYYY"',
      proof:
        '(“12/25/2026” in row 3). “03/04/2026” in row 2 would be read as 2026-04-03, and means 2026-03-04.',
      isContradiction: true,
    });
  });
});
