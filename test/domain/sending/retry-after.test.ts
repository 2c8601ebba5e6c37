import { describe, expect, it } from 'vitest';
import { longestRetryAfterInMs, parseRetryAfter } from '../../../src/domain/sending/retry-after.ts';

const now = new Date('2026-03-01T12:00:00Z');

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['2', 2000],
    [' 30 ', 30_000],
    ['1.5', 1500],
    ['-5', 0],
    ['Sun, 01 Mar 2026 12:00:07 GMT', 7000],
    ['Sunday, 01-Mar-26 12:00:07 GMT', 7000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ])('reads %j', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it.each(['999999', '99999999999999999999999', 'Mon, 01 Mar 2027 12:00:00 GMT'])('bounds %j', (value) => {
    expect(parseRetryAfter(value, now)).toBe(longestRetryAfterInMs);
  });

  it.each([
    null,
    '',
    'soon',
    '5 minutes',
    '1e3',
    '0x10',
    'Infinity',
    'NaN',
    '2026-03-01',
    'Sun, 99 Foo 2026 12:00:07 GMT',
  ])('makes nothing of %j', (value) => {
    expect(parseRetryAfter(value, now)).toBeNull();
  });
});
