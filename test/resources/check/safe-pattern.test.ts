import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/resources/check/safe-pattern.ts';

describe('compilePattern', () => {
  it.each([
    ['[A-Z]{2}-\\d+', 'AB-123', 'xAB-123'],
    ['INV-\\d{4}-\\d{1,6}', 'INV-2026-17', 'INV-2026-17x'],
    ['\\d{3}|\\d{5}', '12345', '1234'],
    ['(?:\\d{4} )*\\d+', '1234 12', '1234-12'],
    ['(?<year>\\d{4})', '2026', '26'],
    ['\\p{Lu}\\p{Ll}+', 'Ädil', 'ädil'],
    ['[^\\]]+', 'abc', 'a]c'],
    ['(?:\\d{3}){3}', '123456789', '12345678'],
    ['a{2,}?', 'aaa', 'a'],
  ])('%s matches the whole of %s, and not %s', (pattern, good, bad) => {
    const compiled = compilePattern(pattern);
    expect(compiled).toBeInstanceOf(RegExp);
    expect(compiled instanceof RegExp && compiled.test(good)).toBe(true);
    expect(compiled instanceof RegExp && compiled.test(bad)).toBe(false);
  });

  it.each([
    ['(a+)+', 'too long'],
    ['(a*)*b', 'too long'],
    ['(?:a|a)*', 'too long'],
    ['(?:a|ab?)+c', 'too long'],
    ['a*a*a*a*b', 'too long'],
    ['(?:a?){50}', 'too long'],
    ['a?'.repeat(60), 'too long'],
    ['(?=a)b', 'ahead'],
    ['(?!a)b', 'ahead'],
    ['(?<=a)b', 'behind'],
    ['(a)\\1', 'referring back'],
    ['(?<x>a)\\k<x>', 'referring back'],
    ['[', 'not a regular expression'],
    ['a)', 'not a regular expression'],
    ['x'.repeat(201), 'longer than 200'],
  ])('does not take %s: %s', (pattern, why) => {
    expect(compilePattern(pattern)).toEqual(expect.stringContaining(why));
  });
});
