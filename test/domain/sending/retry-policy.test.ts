import { describe, expect, it } from 'vitest';
import type { Attempt, Outcome } from '../../../src/domain/sending/outcome.ts';
import {
  isWorthRetrying,
  keyLifetimeOf,
  longestRetryAfterInMs,
  parseRetryAfter,
  repeatableAgeInMs,
  retryDelayInMs,
} from '../../../src/domain/sending/retry-policy.ts';
import { durationOption, parseDuration } from '../../../src/domain/settings/setting.ts';

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

const outcomes = {
  created: { kind: 'created', objectId: 'x' },
  refused: { kind: 'refused', code: 'http_422', message: '' },
  stop: { kind: 'stop', reason: 'credentials', message: '' },
  throttled: { kind: 'throttled', waitInMs: null },
  notSent: { kind: 'not_sent', reason: 'connection_refused' },
  conflict: { kind: 'conflict', message: '' },
  lost: { kind: 'unknown', reason: 'connection_lost' },
  withoutId: { kind: 'unknown', reason: 'answer_without_id' },
} as const satisfies Record<string, Outcome>;

function attemptsWith(...tries: readonly Outcome[]): Attempt[] {
  return tries.map((outcome, index) => ({
    number: index + 1,
    outcome: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : null,
    httpStatus: null,
    objectId: null,
    durationInMs: 1,
    answer: null,
  }));
}

const isWorth = (...tries: readonly Outcome[]) =>
  isWorthRetrying(tries.at(-1) as Outcome, attemptsWith(...tries));

describe('another try', () => {
  it.each(['created', 'refused', 'stop'] as const)('is never worth it after %s', (name) => {
    expect(isWorth(outcomes[name])).toBe(false);
  });

  it.each(['throttled', 'notSent', 'lost'] as const)(
    'is worth it after %s, however often it came',
    (name) => {
      expect(isWorth(...Array(9).fill(outcomes[name]))).toBe(true);
    },
  );

  it('is worth it after a conflict three times, whatever came between', () => {
    const { conflict, lost } = outcomes;
    expect(isWorth(conflict, lost, conflict, conflict)).toBe(true);
    expect(isWorth(conflict, lost, conflict, conflict, conflict)).toBe(false);
  });

  it('is never worth it after an answer that names an error: the same key gives the same answer', () => {
    expect(isWorth({ kind: 'unknown', reason: 'error_in_answer' })).toBe(false);
  });

  it('is worth it only once after an answer that holds no id', () => {
    expect(isWorth(outcomes.withoutId)).toBe(true);
    expect(isWorth(outcomes.withoutId, outcomes.withoutId)).toBe(false);
  });
});

describe('the delay before it', () => {
  it('doubles at most from try to try, up to a cap', () => {
    expect([1, 2, 3, 6, 7, 50].map((tries) => retryDelayInMs(tries, 1))).toEqual([
      500, 1000, 2000, 16_000, 20_000, 20_000,
    ]);
  });

  it('is spread over the whole span from zero', () => {
    expect(retryDelayInMs(1, 0)).toBe(0);
    expect(retryDelayInMs(1, 0.25)).toBe(125);
  });
});

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
