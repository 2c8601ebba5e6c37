import { describe, expect, it } from 'vitest';
import {
  builtInNumberFormat,
  dateOfSerial,
  isoDateCell,
  numericCell,
  parseNumberFormat,
  plainDecimal,
  showDigits,
} from '../../../../src/read/workbook/sheet/cell-value.ts';
import { seededRandom } from '../../reading.ts';

describe('number formats', () => {
  it.each([
    'yyyy-mm-dd',
    'dd/mm/yyyy hh:mm',
    'd-mmm-yy',
    'mmm',
    'mmmm yyyy',
    '[$-409]d\\-mmm\\-yyyy;@',
    '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy',
    'yyyy"年"m"月"d"日"',
    '[Red]DD.MM.YY',
    '[$-411]ge.m.d',
  ])('%s is a date', (code) => {
    expect(parseNumberFormat(code).kind).toBe('date');
  });

  it.each(['h:mm', 'hh:mm:ss AM/PM', '[h]:mm', '[mm]:ss', 'mm:ss.0', 'ss'])('%s is a time of day', (code) => {
    expect(parseNumberFormat(code).kind).toBe('time');
  });

  it.each([
    'General',
    'GENERAL',
    '0.00',
    '#,##0.00',
    '[Red]0.00',
    '"day"#',
    '#\\d',
    '0.00E+00',
    '##0.0E+0',
    '0%',
    '@',
    '',
    '_-* #,##0.00_-;[Red]\\-#,##0.00',
    '[Yellow]0.0',
    '0.0;"yesterday"',
    '00000;-00000',
    '#00000',
    '_d0_y',
    '*d0.0',
    '"unclosed',
    '\\',
  ])('%s is neither a date nor digits that are shown as they are', (code) => {
    expect(parseNumberFormat(code).kind).toBe('other');
  });

  it.each([
    ['00000', '420', '00420'],
    ['0', '7', '7'],
    ['0', '42', null],
    ['000', '1234', null],
    ['"+"000000000000', '254700000001', '+254700000001'],
    ['00-00-00', '12345', '01-23-45'],
    ['00\\ 00', '7', '00 07'],
    ['"day"00', '5', 'day05'],
    ['[$-409]0000', '12', '0012'],
    ['(000) 000-0000', '2125550100', '(212) 555-0100'],
    ['00000', '0', '00000'],
  ])('%s shows %s as %s', (code, digits, shown) => {
    const format = parseNumberFormat(code);
    expect(format.kind === 'digits' ? showDigits(digits, format.parts) : format.kind).toBe(shown);
  });

  it('knows the built-in dates and times by their numbers', () => {
    for (const id of [14, 15, 16, 17, 22, 27, 36, 50, 58]) expect(builtInNumberFormat(id).kind).toBe('date');
    for (const id of [18, 21, 45, 47]) expect(builtInNumberFormat(id).kind).toBe('time');
    for (const id of [0, 2, 4, 9, 10, 11, 13, 37, 44, 48, 49, 59, 999])
      expect(builtInNumberFormat(id).kind).toBe('other');
    expect(builtInNumberFormat(1).kind).toBe('digits');
  });
});

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
    expect(cell(123456789012345, '000000000000000')).toEqual({
      text: '123456789012345',
      kind: 'shown_number',
    });
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
