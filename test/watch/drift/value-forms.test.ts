import { describe, expect, it } from 'vitest';
import {
  classOf,
  formOf,
  growthOf,
  isRounded,
  looksLikeName,
  markOf,
  markOfWords,
  plainNumber,
  sizeOf,
} from '../../../src/watch/drift/value-forms.ts';

describe('the class of a value', () => {
  it.each([
    ['1.23457E+11', 'sci'],
    ['******1234', 'mask'],
    ['XXXX1234', 'mask'],
    ['0712345678', 'digits'],
    ['31/12/1990', 'day'],
    ['KSh 1,500.00', 'number'],
    ['1 500 FCFA', 'number'],
    ['a@b.example', 'email'],
    ['M-1001', 'code'],
    ['Amina Otieno', 'words'],
    ['see page 3, please', 'mixed'],
  ])('%s is %s', (text, name) => {
    expect(classOf(text, 'unread')).toBe(name);
  });

  it('is the same for numbers of one column however they are written', () => {
    expect(classOf('1500', 'amount')).toBe(classOf('1,500.00', 'amount'));
    expect(classOf('+254 712-345678', 'phone')).toBe(classOf('0712345678', 'phone'));
  });
});

it('finds the order of days where it is certain', () => {
  expect(
    ['31/12/1990', '12/31/1990', '1/2/1990', '1990-12-31'].map((day) => formOf(day, 'day', '.')),
  ).toEqual(['day/month', 'month/day', 'either/', 'year first']);
});

it('recognises rounded numbers and names', () => {
  expect(['123456000000', '1234567890', '10000'].map(isRounded)).toEqual([true, false, false]);
  expect(['Amina Otieno', 'paid late', 'O’Brien, Pat'].map(looksLikeName)).toEqual([true, false, true]);
});

it('marks equal words alike, and never with 0', () => {
  expect(markOfWords('amina otieno')).toBe(markOfWords('otieno, amina'));
  expect(markOf('amina otieno')).not.toBe(markOf('otieno amina'));
  expect(markOf('')).toBeGreaterThan(0);
});

it('measures growth of amounts', () => {
  expect(growthOf(sizeOf('473000'), sizeOf('473'))).toBeCloseTo(-3, 5);
  expect(growthOf(sizeOf('0.01'), sizeOf('0.01'))).toBe(0);
  expect(sizeOf('0')).toBe(0);
  expect(plainNumber('1.234,50', ',')).toBe('1234.50');
  expect(plainNumber('M-1', '.')).toBeUndefined();
});
