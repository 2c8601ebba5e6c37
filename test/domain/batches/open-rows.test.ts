import { expect, it } from 'vitest';
import { needOf, type RowTotals } from '../../../src/domain/batches/batch-facts.ts';
import { OpenRowsCounter } from '../../../src/domain/batches/open-rows.ts';
import type { ResultStatus } from '../../../src/domain/rows/row-state.ts';

const early = '2026-01-01T00:00:00.000Z';
const late = '2026-02-01T00:00:00.000Z';

function counted(...rows: readonly [ResultStatus, string | null, string?, string?][]): OpenRowsCounter {
  const counter = new OpenRowsCounter();
  for (const [status, code, amount, changedAt = late] of rows) {
    counter.add({
      status,
      code,
      changedAt,
      ...(amount === undefined ? {} : { money: { currency: 'KES', amount } }),
    });
  }
  return counter;
}

it('counts rows by status and reason, with exact sums and the oldest time, the most frequent first', () => {
  const counter = counted(
    ['held', 'key_expired', '0.10'],
    ['held', 'account_shared', '0.20', early],
    ['held', 'account_shared', '0.10'],
    ['created', 'answer_differs', '5'],
    ['invalid', 'superseded'],
    ['invalid', 'closed'],
  );
  const sums = (rows: number, amount: string) => [{ currency: 'KES', rows, amount }];
  expect(counter.result()).toEqual([
    { status: 'held', code: 'account_shared', rows: 2, since: early, sums: sums(2, '0.30') },
    { status: 'held', code: 'key_expired', rows: 1, since: late, sums: sums(1, '0.10') },
  ]);
});

it('lists at most a hundred reasons, and loses no row', () => {
  const rows = Array.from({ length: 250 }, (_, at): [ResultStatus, string] => ['rejected', `api_${at}`]);
  const groups = counted(...rows).result();
  expect(groups).toHaveLength(101);
  expect(groups[0]).toMatchObject({ code: null, rows: 150 });
});

const nothing: RowTotals = {
  counts: {},
  repeats: {},
  contradicted: 0,
  sums: [],
  open: [],
  valuesRefusedIn: null,
};

it.each<[RowTotals['counts'], readonly [ResultStatus, string][], 'rows' | 'corrections' | null]>([
  [{ created: 2 }, [], null],
  [{ created: 1, not_sent: 1 }, [], 'rows'],
  [{ unknown: 1 }, [], 'rows'],
  [{ held: 1 }, [['held', 'key_expired']], 'rows'],
  [{ waiting: 1 }, [['waiting', 'kyc_required']], 'rows'],
  [{ created: 1, rejected: 1 }, [['rejected', 'refused']], 'corrections'],
  [{ created: 1, invalid: 1 }, [['invalid', 'superseded']], null],
])('of %o it is open: %o gives %s', (counts, rows, need) => {
  const totals = { ...nothing, counts, open: counted(...rows).result() };
  expect(needOf(totals, 0)).toBe(need);
});

it('is open while an answer contradicts, or an object has no row', () => {
  const totals = { ...nothing, counts: { created: 1 } };
  expect(needOf({ ...totals, contradicted: 1 }, 0)).toBe('rows');
  expect(needOf(totals, 1)).toBe('rows');
});
