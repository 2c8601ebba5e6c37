import { describe, expect, it } from 'vitest';
import { decideFault, NO_FAULTS, parseFaults } from '../../src/sandbox/faults.ts';

describe('parseFaults', () => {
  it('reads rates and numbers, and keeps the defaults of what is not named', () => {
    const plan = parseFaults('seed=7, reset_after=0.05,429=.1,retry_after=3,latency_ms=5,');
    expect(plan).toEqual({
      seed: 7,
      first: 2,
      retryAfterInSeconds: 3,
      latencyInMs: 5,
      rates: new Map([
        ['reset_after', 0.05],
        ['429', 0.1],
      ]),
    });
  });

  it('reads an empty text as no faults', () => {
    expect(parseFaults('')).toEqual(NO_FAULTS);
  });

  it.each([
    ['rest_after=0.1', 'there is no fault rest_after'],
    ['toString=0.1', 'there is no fault toString'],
    ['reset_after', '"reset_after" is not of the form'],
    ['reset_after=', 'is not of the form'],
    ['reset_after=0.1=2', 'is not of the form'],
    ['reset_after=5%', 'must be a number from 0 to 1, not "5%"'],
    ['reset_after=1.5', 'must be a number from 0 to 1'],
    ['seed=1.5', 'seed must be a whole number'],
    ['first=-1', 'first must be a whole number'],
    ['429=0.1,429=0.1', '429 is given twice'],
    ['429=0.6,503=0.6', 'add up to 1.2'],
  ])('refuses %s by naming what is wrong', (text, message) => {
    expect(() => parseFaults(text)).toThrow(message);
  });
});

describe('decideFault', () => {
  const keys = Array.from({ length: 20_000 }, (_, number) => `key-${number}`);

  it('decides the same for the same seed, key and try, whatever the order', () => {
    const plan = parseFaults('seed=3,reset_before=0.2,500_after=0.2');
    const forwards = keys.map((key) => decideFault(plan, key, 1));
    const backwards = [...keys].reverse().map((key) => decideFault(plan, key, 1));
    expect(backwards.reverse()).toEqual(forwards);
  });

  it('decides otherwise for another seed and for another try', () => {
    const plan = parseFaults('seed=3,reset_before=0.5');
    const first = keys.map((key) => decideFault(plan, key, 1));
    expect(keys.map((key) => decideFault({ ...plan, seed: 4 }, key, 1))).not.toEqual(first);
    expect(keys.map((key) => decideFault(plan, key, 2))).not.toEqual(first);
  });

  it('keeps to the rates', () => {
    const plan = parseFaults('429=0.05,reset_after=0.25');
    const decided = keys.map((key) => decideFault(plan, key, 1));
    expect(decided.filter((fault) => fault === '429').length / keys.length).toBeCloseTo(0.05, 1);
    expect(decided.filter((fault) => fault === 'reset_after').length / keys.length).toBeCloseTo(0.25, 1);
    expect(decided.some((fault) => fault === '503')).toBe(false);
  });

  it('spoils the first tries only, so that a run gets there', () => {
    const plan = parseFaults('503=1,first=3');
    expect([1, 2, 3, 4, 5].map((attempt) => decideFault(plan, 'k', attempt))).toEqual([
      '503',
      '503',
      '503',
      undefined,
      undefined,
    ]);
  });
});
