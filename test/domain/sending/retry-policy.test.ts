import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/domain/sending/outcome.ts';
import type { Attempt } from '../../../src/domain/sending/request.ts';
import {
  decideRetry,
  longestRetryAfterInMs,
  parseRetryAfter,
  defaultRetrySettings as settings,
} from '../../../src/domain/sending/retry-policy.ts';

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

const decide = (tries: readonly Outcome[], random = 0.5, changes: Partial<typeof settings> = {}) =>
  decideRetry(tries.at(-1) as Outcome, attemptsWith(...tries), { ...settings, ...changes }, random);

describe('decideRetry', () => {
  it.each(['created', 'refused', 'stop'] as const)('never repeats after %s', (name) => {
    expect(decide([outcomes[name]])).toEqual({ kind: 'give_up' });
  });

  it.each(['throttled', 'notSent', 'lost'] as const)('tries %s up to the limit of attempts', (name) => {
    expect(decide(Array(4).fill(outcomes[name]))).toMatchObject({ kind: 'retry' });
    expect(decide(Array(5).fill(outcomes[name]))).toEqual({ kind: 'give_up' });
    expect(decide([outcomes[name]], 0.5, { maxAttempts: 1 })).toEqual({ kind: 'give_up' });
  });

  it('doubles the longest delay from try to try, up to a cap', () => {
    const longestAfter = (tries: number) =>
      decide(Array(tries).fill(outcomes.lost), 1, {
        maxAttempts: 99,
        baseDelayInMs: 500,
        maxDelayInMs: 3000,
      });
    expect([1, 2, 3, 4, 50].map(longestAfter)).toEqual(
      [500, 1000, 2000, 3000, 3000].map((delayInMs) => ({ kind: 'retry', delayInMs })),
    );
  });

  it('spreads delays over the whole span from zero', () => {
    expect(decide([outcomes.lost], 0)).toEqual({ kind: 'retry', delayInMs: 0 });
    expect(decide([outcomes.lost], 0.25)).toEqual({ kind: 'retry', delayInMs: settings.baseDelayInMs / 4 });
  });

  it('tries a conflict three times again, whatever came between', () => {
    const { conflict, lost } = outcomes;
    expect(decide([conflict, lost, conflict, conflict], 0, { maxAttempts: 9 })).toMatchObject({
      kind: 'retry',
    });
    expect(decide([conflict, lost, conflict, conflict, conflict], 0, { maxAttempts: 9 })).toEqual({
      kind: 'give_up',
    });
  });

  it('never asks again for an answer that names an error: the same key gives the same answer', () => {
    expect(decide([{ kind: 'unknown', reason: 'error_in_answer' }])).toEqual({ kind: 'give_up' });
  });

  it('asks only once more for an answer that holds no id', () => {
    expect(decide([outcomes.withoutId])).toMatchObject({ kind: 'retry' });
    expect(decide([outcomes.withoutId, outcomes.withoutId])).toEqual({ kind: 'give_up' });
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
