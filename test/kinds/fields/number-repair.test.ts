import { describe, expect, it } from 'vitest';
import {
  findRepeatedDamage,
  isConfirmed,
  isRepeatedError,
  isUndamagedNumber,
} from '../../../src/kinds/fields/number-repair.ts';
import { checkRow, validRows } from '../rows.ts';

function isRefused(before: string, code: string | null, text: string): boolean {
  return findRepeatedDamage(text, [{ text: before, code }], 'account_number') !== undefined;
}

describe('a value that was refused as damaged', () => {
  it.each([
    ['1067.0', '1067.0'],
    ['1067.0', '1067'],
    ['1067.0', '1067.00'],
    ['1067,0', '1067'],
    ['1.23E+11', '123000000000'],
    ['1,23E+11', '1.23E+11'],
    ['12.5', '12.50'],
    ['-5.0', '-5'],
    ['2026-01-31', '31/01/2026'],
    ['2026-01-31', '2026-01-31'],
    ['TRUE', 'TRUE'],
    ['1234567890123456.0', '1234567890123450'],
  ])('%s is still refused as %s', (before, text) => {
    expect(isRefused(before, 'damaged_number', text)).toBe(true);
  });

  it.each([
    ['1067.0', '1068'],
    ['1067.0', '01067'],
    ['1067.0', 'A1067'],
    ['254712345678.0', '+254712345678'],
    ['1.23457E+11', '123456789012'],
    ['TRUE', '1'],
    ['2026-01-31', '20260131'],
  ])('%s counts as another one when it is %s', (before, text) => {
    expect(isRefused(before, 'damaged_number', text)).toBe(false);
  });
});

describe('a sound value', () => {
  it.each([
    ['0110123456789', '110123456789'],
    ['000123', '0123'],
    ['+254712345678', '254712345678'],
    ['12E5', '1200000'],
    ['0012', '12.0'],
    ['12345678901234567', '12345678901234500'],
  ])('%s is refused as %s', (before, text) => {
    for (const code of [null, 'invalid_phone']) expect(isRefused(before, code, text)).toBe(true);
  });

  it.each([
    ['0110123456789', '0110123456789'],
    ['110123456789', '0110123456789'],
    ['254712345678', '+254712345678'],
    ['0110', '0111'],
    ['C-007', 'C-7'],
    ['', '7'],
    ['7', ''],
  ])('%s may become %s', (before, text) => {
    for (const code of [null, 'invalid_phone']) expect(isRefused(before, code, text)).toBe(false);
  });
});

it('every earlier round counts, not only the last', () => {
  const earlier = [
    { text: '1067', code: null },
    { text: '1067.0', code: 'damaged_number' },
  ];
  expect(findRepeatedDamage('1067', earlier, 'account_number')?.code).toBe('damaged_number');
});

it('a numeric cell with the very digits of a sound text has lost nothing', () => {
  const earlier = [{ text: '1067', code: 'invalid_phone' }];
  expect(isUndamagedNumber('1067', 'number', earlier)).toBe(true);
  expect(isUndamagedNumber('1067', 'number', [{ text: '1067', code: 'damaged_number' }])).toBe(false);
  expect(isUndamagedNumber('106', 'number', earlier)).toBe(false);
});

it('an error that only its workbook distinguished from text is refused again', () => {
  expect(isRepeatedError('#ODD?', [{ text: '#ODD?', code: 'spreadsheet_error' }])).toBe(true);
  expect(isRepeatedError('#ODD?', [{ text: '#ODD?', code: null }])).toBe(false);
});

it('the message shows no more of the value than any other', () => {
  const row = checkRow('recipients', { ...validRows['recipients/bank_account'], account_number: '1067.0' });
  const again = findRepeatedDamage('1067', [{ text: '1067.0', code: 'damaged_number' }], 'account_number');
  expect(again?.message).not.toContain('1067');
  expect(row.findings[0]?.message).not.toContain('1067');
});

describe('what a person has said on a page', () => {
  const damaged = { text: '1067.0', code: 'damaged_number' };

  it('counts for exactly that text, in every later round', () => {
    const confirmed = { ...damaged, confirmed: ['1067'] };
    expect(isConfirmed('1067', [confirmed])).toBe(true);
    expect(isConfirmed('1067', [{ text: '1067', code: null }, confirmed])).toBe(true);
    expect(isConfirmed('1067', [{ text: '1067', code: null }, confirmed, damaged])).toBe(true);
  });

  it('does not count for another text, or where the cell has had another text since', () => {
    const confirmed = { ...damaged, confirmed: ['1067'] };
    expect(isConfirmed('1067.0', [confirmed])).toBe(false);
    expect(isConfirmed('01067', [confirmed])).toBe(false);
    expect(isConfirmed('1067', [{ text: '01067', code: null }, confirmed])).toBe(false);
    expect(isConfirmed('1067', [damaged])).toBe(false);
    expect(isConfirmed('1067', [])).toBe(false);
  });
});
