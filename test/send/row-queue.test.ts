import { describe, expect, it } from 'vitest';
import type { ClaimedRow } from '../../src/domain/rows/ledger-row.ts';
import type { Conclusion, SetAside } from '../../src/domain/sending/outcome.ts';
import { type QueuedRow, RowQueue } from '../../src/send/row-turn.ts';
import { attempt } from '../support/ledger-rows.ts';

function queued(row: number, given: Partial<ClaimedRow> = {}, failedAlone = false): QueuedRow {
  const claimed: ClaimedRow = {
    row,
    resource: 'customers',
    generation: 1,
    leaseToken: '1',
    idempotencyKey: `key-${row}`,
    path: '/v1/customers',
    body: Buffer.from('{}'),
    preparedBy: 'run',
    attempts: 0,
    wasUnknown: false,
    keyTimeLeftInMs: 60_000,
    ...given,
  };
  return { row: claimed, claimedAt: { monotonicInMs: 1_000, calendarInMs: 0 }, aside: null, failedAlone };
}

function setAside(tries: number): SetAside {
  const attempts = Array.from({ length: tries }, (_, index) => attempt({ number: index + 1 }));
  const inconclusive: Conclusion = { state: 'unknown', objectId: null, code: null, message: null, attempts };
  return { state: 'set_aside', inconclusive, again: () => Promise.resolve(inconclusive) };
}

function queueOf(rows: readonly QueuedRow[]): RowQueue {
  const queue = new RowQueue();
  for (const row of rows) queue.add(row);
  return queue;
}

const numbersOf = (queue: RowQueue, count: number, isApiInDoubt = false): number[] =>
  Array.from({ length: count }, () => queue.next(isApiInDoubt).row.row);

describe('the queue of a submission', () => {
  it('gives rows in the order in which they came', () => {
    expect(numbersOf(queueOf([4, 2, 9].map((row) => queued(row))), 3)).toEqual([4, 2, 9]);
  });

  it('gives rows from distant places while the API may be down, those first that were never sent', () => {
    const fresh = Array.from({ length: 100 }, (_, index) => queued(index + 100));
    const inDoubt = [1, 2, 3].map((row) => queued(row, { wasUnknown: true }));
    const queue = queueOf([...inDoubt, ...fresh]);
    expect(queue.freshRows()).toBe(100);
    expect(numbersOf(queue, 4, true)).toEqual([199, 149, 124, 174]);
    expect(numbersOf(queue, 4)).toEqual([1, 2, 3, 100]);
  });

  it('gives only rows in doubt where it has no others, and those that are known to fail last', () => {
    const queue = queueOf([
      queued(1, { wasUnknown: true }, true),
      queued(2, { wasUnknown: true }),
      queued(3, { wasUnknown: true }, true),
    ]);
    expect(numbersOf(queue, 3, true)).toEqual([2, 1, 3]);
  });

  it('gives rows back that were set aside, those with the fewest tries first', () => {
    const queue = queueOf([]);
    for (const [row, tries] of [
      [1, 3],
      [2, 2],
      [3, 0],
    ] as const) {
      queue.setAside({ ...queued(row), aside: setAside(tries) }, 2_000);
    }
    expect([queue.rowsAside, queue.takeBack(), queue.rowsAside]).toEqual([3, 3, 0]);
    expect(numbersOf(queue, 3)).toEqual([3, 2, 1]);
  });

  it('gives a row back early, before others, once half of the time is over that its key had left', () => {
    const queue = queueOf([queued(5)]);
    queue.setAside({ ...queued(1), aside: setAside(2) }, 2_000);
    queue.setAside({ ...queued(2, { keyTimeLeftInMs: 86_400_000 }), aside: setAside(2) }, 2_000);
    expect([queue.takeBackDue(31_000), queue.takeBackDue(31_500), queue.takeBackDue(31_500)]).toEqual([
      0, 1, 0,
    ]);
    expect(numbersOf(queue, 2)).toEqual([1, 5]);
    expect(queue.rowsAside).toBe(1);
  });

  it('keeps a thousand rows aside at most', () => {
    const queue = queueOf([]);
    for (let row = 1; row <= 1_000; row += 1) {
      expect(queue.takeBackDue(2_000)).toBe(0);
      queue.setAside({ ...queued(row), aside: setAside(2) }, 2_000);
    }
    expect([queue.takeBackDue(2_000), queue.rowsAside]).toEqual([1_000, 0]);
  });
});
