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
    ['(a+)+', 'aaa', 'ab'],
    ['(?:a|ab?)+c', 'ababac', 'abb'],
    ['\\u00e4[\\u0041-\\u005a]\\u{1F600}', 'äB😀', 'äb😀'],
    ['\\p{Script=Greek}+', 'αβ', 'ab'],
    ['a\\sb', 'a\u00a0b', 'ab'],
    ['[\\s-]+', '\u202f-', 'a'],
    ['\\S+', 'ab', 'a\u00a0b'],
    ['a|b', 'b', 'ab'],
  ])('%s matches the whole of %s, and not %s', (pattern, good, bad) => {
    const compiled = compilePattern(pattern);
    expect(typeof compiled !== 'string' && compiled.test(good)).toBe(true);
    expect(typeof compiled !== 'string' && compiled.test(bad)).toBe(false);
  });

  it.each([
    ['(?:a{100}){100}', 'too long'],
    ['a{2000}', 'too long'],
    ['[\\S]', 'set of characters'],
    ['a)(b', 'not a regular expression'],
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

describe('a pattern is tried in a time that grows with the value only', () => {
  // An engine that goes back and tries again would not come to an end within the life of the machine.
  it.each([
    '(a*)*b',
    '(?:a|a)*b',
    'a*a*a*a*a*a*b',
    '(?:a?){200}a{200}b',
    `${'a?'.repeat(60)}b`,
    '[a-z]*[a-z]*b',
  ])('%s', (pattern) => {
    const compiled = compilePattern(pattern);
    expect(typeof compiled).not.toBe('string');
    const tried = Array.from({ length: 200 }, (_, index) =>
      typeof compiled === 'string' ? compiled : compiled.test(`${'a'.repeat(250)}${index}`),
    );
    expect(new Set(tried)).toEqual(new Set([false]));
  });
});
