import { describe, expect, it } from 'vitest';
import type { RowOrigin } from '../../src/domain/batches/reconciliation.ts';
import {
  assumedSkew,
  countOrigins,
  creationDateOf,
  measureSkew,
  originOf,
} from '../../src/reconcile/replay.ts';

const began = new Date('2026-11-20T10:00:00Z');
const at = (time: string): Date => new Date(`2026-11-20T${time}Z`);

describe('the origin of a replayed object', () => {
  it('is reported only where no skew of the clocks allows the other answer', () => {
    expect(originOf(at('09:54:59'), began, assumedSkew)).toBe('existed_before');
    expect(originOf(at('09:55:01'), began, assumedSkew)).toBe('not_known');
    expect(originOf(at('10:04:59'), began, assumedSkew)).toBe('not_known');
    expect(originOf(at('10:05:00'), began, assumedSkew)).toBe('created_by_replay');
    expect(originOf(null, began, assumedSkew)).toBe('not_known');
  });

  it('rests on the clocks as earlier answers show them', () => {
    const answer = '{"data":{"date_created":"2026-11-20T08:59:50.000Z"}}';
    const skew = measureSkew([
      { answer, sentAt: '2026-11-20T09:00:00Z', recordedAt: '2026-11-20T09:00:02Z' },
    ]);
    expect(skew).toEqual({ leastInMs: -13_000, mostInMs: -9_000 });
    expect(originOf(at('09:59:46'), began, skew)).toBe('existed_before');
    expect(originOf(at('09:59:51'), began, skew)).toBe('created_by_replay');
    expect(originOf(at('09:59:49'), began, skew)).toBe('not_known');
    expect(measureSkew([{ answer: '{}', sentAt: '', recordedAt: '' }])).toEqual(assumedSkew);
  });

  it('reads the date where answers have one', () => {
    expect(creationDateOf('{"date_created":"2026-11-20T10:00:00Z"}')).toEqual(began);
    for (const answer of [null, 'no json', '{}', '{"data":{"date_created":"soon"}}']) {
      expect(creationDateOf(answer)).toBeNull();
    }
  });
});

it('counts the rows of a replay by origin, and keeps only the first of them', async () => {
  const originOf = (row: number): RowOrigin =>
    row % 3 === 0
      ? { row, state: 'unknown', objectId: null, origin: null }
      : { row, state: 'created', objectId: `id-${row}`, origin: 'existed_before' };
  const found = await countOrigins(
    (async function* () {
      for (let at = 0; at < 30; at += 1)
        yield Array.from({ length: 100 }, (_, row) => originOf(at * 100 + row));
    })(),
  );
  expect([found.rows, [...found.origins]]).toEqual([
    3_000,
    [
      [null, 1_000],
      ['existed_before', 2_000],
    ],
  ]);
  expect(found.first.map(({ row }) => row)).toEqual(Array.from({ length: 1_000 }, (_, row) => row));
});
