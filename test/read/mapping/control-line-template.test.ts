import { describe, expect, it } from 'vitest';
import {
  createControlLineCheck,
  isControlLine,
  readTotal,
} from '../../../src/read/mapping/mapping-schema.ts';

describe('what may be declared as a control line', () => {
  it.each([
    'Total {rows} {total}',
    'Control: {rows} rows, {currency} {total}',
    'Summe {total}',
    '{rows} Zeilen',
  ])('%s', (template) => expect(isControlLine(template)).toBe(true));

  it.each(['', 'Total', '{rows} {total}', 'Total {currency}', 'Total {rows} {rows}', 'Total {sum} {rows}'])(
    'not %s',
    (template) => expect(isControlLine(template)).toBe(false),
  );
});

describe('a control line', () => {
  const said = (template: string, line: string, decimal: '.' | ',' = '.') =>
    createControlLineCheck(template, { decimal })({ cells: line.split('|') });

  it.each([
    ['Total {rows} {total}', 'Total||12|4500.00', { rows: 12, total: '4500.00', currency: null }],
    ['Total {rows} {total}', 'TOTAL||1,012|4,500', { rows: 1012, total: '4500', currency: null }],
    [
      'Control: {rows} rows, {currency} {total}',
      'Control:  12 rows, KES 4,500.00||',
      { rows: 12, total: '4500.00', currency: 'KES' },
    ],
    // An unquoted comma cuts a line of text into cells.
    [
      'Control: {rows} rows {currency} {total}',
      'Control: 12 rows| KES 4|500.00',
      { rows: 12, total: '4500.00', currency: 'KES' },
    ],
    ['*** END - {rows} RECORDS ***', '*** End - 180 records ***', { rows: 180, total: null, currency: null }],
  ])('declared as %s: %s', (template, line, figures) => expect(said(template, line)).toEqual(figures));

  it.each([
    ['Total {rows} {total}', 'Total||12|'],
    ['Total {rows} {total}', 'Total||12|4500.00|x'],
    ['Total {rows} {total}', 'Subtotal||12|4500.00'],
    ['Total {total}', 'Total|45,00.00'],
  ])('declared as %s is not: %s', (template, line) => expect(said(template, line)).toBeUndefined());

  it('has the decimal sign of its file, also where that is in number cells', () => {
    expect(said('Summe {total}', 'Summe|4.500,25', ',')).toMatchObject({ total: '4500.25' });
    const check = createControlLineCheck('Summe {total}', { decimal: ',' });
    expect(check({ cells: ['Summe', '450.125'], kinds: new Map([[1, 'number']]) })).toMatchObject({
      total: '450.125',
    });
  });
});

it.each([
  ['4500', '4500'],
  ['4,500.50', '4500.50'],
  ["1'234'500.5", '1234500.5'],
  ['4 500', '4500'],
  ['4,50', undefined],
  ['4.500.000', undefined],
  ['1,2345', undefined],
])('a total written as %s is %s', (text, plain) => expect(readTotal(text, { decimal: '.' })).toBe(plain));
