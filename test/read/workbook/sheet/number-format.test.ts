import { describe, expect, it } from 'vitest';
import {
  builtInNumberFormat,
  parseNumberFormat,
  showDigits,
} from '../../../../src/read/workbook/sheet/number-format.ts';

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

  it.each([
    ['""#,##0.00" Dr"', 'Dr'],
    ['#,##0.00" Cr."', 'Cr.'],
    ['0" Haben"', 'Haben'],
  ])('%s has the side of an account', (code, side) => {
    expect(parseNumberFormat(code)).toEqual({ kind: 'sided', side });
  });

  it.each(['#,##0.00" Dr";#,##0.00" Cr"', '#,##0.00" kg"', '0.0" h"', '"KSh "#,##0'])(
    '%s has none',
    (code) => {
      expect(parseNumberFormat(code).kind).not.toBe('sided');
    },
  );

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

  it.each(['#,##0,', '0,', '#,##0.0,', '#,##0,,"m"', '#,##0,;-#,##0,'])(
    '%s shows thousands or millions',
    (code) => {
      expect(parseNumberFormat(code).kind).toBe('scaled');
    },
  );

  it('knows the built-in dates and times by their numbers', () => {
    for (const id of [14, 15, 16, 17, 22, 27, 36, 50, 58]) expect(builtInNumberFormat(id).kind).toBe('date');
    for (const id of [18, 21, 45, 47]) expect(builtInNumberFormat(id).kind).toBe('time');
    for (const id of [0, 2, 4, 9, 10, 11, 13, 37, 44, 48, 49, 59, 999])
      expect(builtInNumberFormat(id).kind).toBe('other');
    expect(builtInNumberFormat(1).kind).toBe('digits');
  });
});
