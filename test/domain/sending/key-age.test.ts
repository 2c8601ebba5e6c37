import { describe, expect, it } from 'vitest';
import { durationOption, parseDuration, repeatableAgeInMs } from '../../../src/domain/sending/key-age.ts';

const hourInMs = 3_600_000;

it('a key whose object is there has to be younger than its lifetime, by a margin', () => {
  expect(repeatableAgeInMs(24 * hourInMs)).toBe(24 * hourInMs - 600_000);
  expect(repeatableAgeInMs(600_000)).toBe(0);
  expect(repeatableAgeInMs(1_000)).toBe(0);
});

it.each(['24h', '36h', '7d', '90m', '45s', '1500ms'])(
  '%s is written as an option so that it is read as the same',
  (text) => {
    const written = durationOption(parseDuration(text) ?? 0);
    expect(parseDuration(written)).toBe(parseDuration(text));
    expect(written.length).toBeLessThanOrEqual(text.length);
  },
);

describe('parseDuration', () => {
  it.each([
    ['24h', 24 * hourInMs],
    ['30m', 1_800_000],
    ['45s', 45_000],
    ['7d', 168 * hourInMs],
    ['500ms', 500],
    ['0s', 0],
    [' 1h ', hourInMs],
  ])('reads %j', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(['', '24', 'h', '1.5h', '-1h', '1 h', '1H', '1h30m', '1e3s', 'forever', '9999999999999999d'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );
});
