import { describe, expect, it } from 'vitest';
import {
  durationOption,
  keyLifetimeOf,
  parseDuration,
  repeatableAgeInMs,
} from '../../../src/domain/sending/key-age.ts';

const hourInMs = 3_600_000;

it('a key of live mode lives for ten minutes as long as nobody has stated more, one of sandbox mode for a day', () => {
  expect(keyLifetimeOf('live', undefined)).toEqual({ durationInMs: 600_000, isAssumed: true });
  expect(keyLifetimeOf('sandbox', undefined)).toEqual({ durationInMs: 24 * hourInMs, isAssumed: false });
  for (const mode of ['live', 'sandbox'] as const) {
    expect(keyLifetimeOf(mode, hourInMs)).toEqual({ durationInMs: hourInMs, isAssumed: false });
  }
});

it('a key whose object is there has to be younger than its lifetime, by a margin', () => {
  const stated = (durationInMs: number): number | null =>
    repeatableAgeInMs({ durationInMs, isAssumed: false });
  expect(stated(24 * hourInMs)).toBe(24 * hourInMs - 600_000);
  expect(stated(600_000)).toBe(0);
  expect(stated(1_000)).toBe(0);
});

it('no key whose object is there is sent again on the strength of an assumption', () => {
  expect(repeatableAgeInMs(keyLifetimeOf('live', undefined))).toBeNull();
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
