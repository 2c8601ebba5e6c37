import { describe, expect, it } from 'vitest';
import { mayResend, parseDuration, remainingLifetimeInMs } from '../../src/domain/key-age.ts';

const hourInMs = 3_600_000;
const firstSentAt = new Date('2026-03-01T12:00:00Z');
const later = (ageInMs: number) => new Date(firstSentAt.getTime() + ageInMs);
const lifetimeInMs = 24 * hourInMs;

describe('a key’s age', () => {
  it('lets a key be used until its lifetime is over, and not at its very end', () => {
    expect(mayResend({ firstSentAt, now: later(lifetimeInMs - 1), lifetimeInMs })).toBe(true);
    expect(mayResend({ firstSentAt, now: later(lifetimeInMs), lifetimeInMs })).toBe(false);
    expect(remainingLifetimeInMs({ firstSentAt, now: later(hourInMs), lifetimeInMs })).toBe(23 * hourInMs);
    expect(remainingLifetimeInMs({ firstSentAt, now: later(25 * hourInMs), lifetimeInMs })).toBe(0);
  });

  it('always lets a key be sent that never was, even with no lifetime at all', () => {
    expect(mayResend({ firstSentAt: null, now: firstSentAt, lifetimeInMs: 0 })).toBe(true);
    expect(mayResend({ firstSentAt, now: firstSentAt, lifetimeInMs: 0 })).toBe(false);
  });

  it('bears clocks that differ a little, and trusts none that is far behind the first send', () => {
    expect(remainingLifetimeInMs({ firstSentAt, now: later(-1000), lifetimeInMs })).toBe(lifetimeInMs);
    expect(mayResend({ firstSentAt, now: later(-hourInMs), lifetimeInMs })).toBe(false);
  });
});

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
