import { describe, expect, it } from 'vitest';
import {
  dateOfSerial,
  isoDateCell,
  numericCell,
  plainDecimal,
} from '../../../../src/read/workbook/sheet/cell-value.ts';
import { parseNumberFormat } from '../../../../src/read/workbook/sheet/number-format.ts';
import { seededRandom } from '../../reading.ts';

describe('numbers as plain decimals of 15 significant digits', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [-12.5, '-12.5'],
    [0.1 + 0.2, '0.3'],
    [4.2e-2, '0.042'],
    [1e-7, '0.0000001'],
    [1.005, '1.005'],
    [100, '100'],
    [1e15, '1000000000000000'],
    [123456789012345, '123456789012345'],
    [999999999999999, '999999999999999'],
    [12345678901234568, '12345678901234600'],
    [0.1234567890123456, '0.123456789012346'],
    [1e21, '1000000000000000000000'],
    [1e300, '1E+300'],
    [-1.5e-300, '-1.5E-300'],
  ])('%d is %s', (value, text) => {
    expect(plainDecimal(value)).toBe(text);
  });

  it('keep every amount of cents', () => {
    const random = seededRandom(7);
    for (let turn = 0; turn < 2000; turn += 1) {
      const cents = Math.floor(random() * 1e12);
      const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
      expect(plainDecimal(Number(text))).toBe(text.replace(/\.?0+$/, ''));
    }
  });
});

describe('days', () => {
  it.each([
    [1, 1900, '1900-01-01'],
    [59, 1900, '1900-02-28'],
    [60, 1900, '1900-02-29'],
    [61, 1900, '1900-03-01'],
    [45000, 1900, '2023-03-15'],
    [2958465, 1900, '9999-12-31'],
    [45000.5, 1900, '2023-03-15 12:00:00'],
    [45000.999999, 1900, '2023-03-16'],
    [60.25, 1900, '1900-02-29 06:00:00'],
    [0, 1904, '1904-01-01'],
    [43538, 1904, '2023-03-15'],
    [1.75, 1904, '1904-01-02 18:00:00'],
  ] as const)('%d in the %d system is %s', (serial, system, text) => {
    expect(dateOfSerial(serial, system)).toBe(text);
  });

  it.each([0, 0.5, -1, 2958466, 1e300])('%d is no day of the 1900 system', (serial) => {
    expect(dateOfSerial(serial, 1900)).toBeNull();
    expect(numericCell(serial, { kind: 'date' }, 1900).kind).toBe('number');
  });

  it.each([
    ['2026-11-21', '2026-11-21', 'date'],
    ['2026-11-21T00:00:00', '2026-11-21', 'date'],
    ['2026-11-21T10:20:30.500Z', '2026-11-21 10:20:30', 'date'],
    ['soon', 'soon', null],
  ])('ISO text %s is %s', (written, text, kind) => {
    expect(isoDateCell(written)).toEqual({ text, kind });
  });
});

describe('numbers shown with leading zeros', () => {
  const cell = (value: number, code: string) => numericCell(value, parseNumberFormat(code), 1900);

  it('are what is shown, if the format has a place for every digit', () => {
    expect(cell(420, '00000')).toEqual({ text: '00420', kind: 'shown_number' });
    expect(cell(1_450_435, '#,##0,')).toEqual({ text: '1450435', kind: 'shown_number' });
    expect(cell(123456789012345, '000000000000000')).toEqual({
      text: '123456789012345',
      kind: 'shown_number',
    });
  });

  it('are text where the format adds the side of an account, and plain where nothing is owed', () => {
    expect(cell(2_204_500, '#,##0.00" Cr"')).toEqual({ text: '2204500 Cr', kind: null });
    expect(cell(0, '#,##0.00" Cr"')).toEqual({ text: '0', kind: 'number' });
  });

  it.each([
    [1234567, '00000', '1234567'],
    [420, 'General', '420'],
    [420, '#####', '420'],
    [4.5, '00000', '4.5'],
    [-4, '00000', '-4'],
    [1234567890123456, '0000000000000000', '1234567890123460'],
  ])('%d in %s stays a number', (value, code, text) => {
    expect(cell(value, code)).toEqual({ text, kind: 'number' });
  });
});
