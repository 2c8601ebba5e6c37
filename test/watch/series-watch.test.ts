import { expect, it } from 'vitest';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import { SeriesWatch } from '../../src/watch/series.ts';

const earlier = { batch: 'b1', file: 'october.csv', createdAt: '2026-10-28T10:00:00.000Z' };
const payeeOf = (name: string): string => name.padEnd(8, '.');

function row(number: number, name: string | null, amount?: string, currency = 'EUR'): StagedRow {
  return {
    ...{ row: number, resource: 'recipients/sepa', state: 'staged', cells: [], findings: [], notes: [] },
    record: amount === undefined ? {} : { amount, currency },
    ...{ handle: null, sameAs: null, objectId: null, reason: null },
    ...(name === null ? {} : { payee: payeeOf(name) }),
  };
}

/** @param before names of the earlier file's payees, from row 2 on; each of its rows has an amount of 0.1 */
async function compare(before: readonly string[], groups: readonly StagedRow[][]): Promise<unknown> {
  const watch = new SeriesWatch(
    {
      readSeriesPayees: async function* () {
        yield {
          batch: earlier.batch,
          rows: before.map((_, at) => at + 2),
          payees: before.map(payeeOf).join(''),
        };
      },
      sumRows: async (_, rows) => [
        { currency: 'EUR', rows: rows.length, amount: (rows.length / 10).toFixed(1) },
      ],
    },
    earlier,
  );
  async function* given(): AsyncGenerator<StagedRow[]> {
    yield* groups;
  }
  const passed: StagedRow[] = [];
  for await (const group of watch.follow(given())) passed.push(...group);
  expect(passed).toEqual(groups.flat());
  return watch.result();
}

it('counts payees once, and adds the amounts of all of their rows', async () => {
  const groups = [
    [row(2, 'ada', '1.00'), row(3, 'new', '0.10'), row(4, 'new', '0.20')],
    [row(5, 'ada', '5.00'), row(6, 'other', '7', 'KES'), row(7, null, '9.99'), row(8, 'bare')],
  ];
  expect(await compare(['ada', 'ben', 'ben', 'cleo'], groups)).toEqual({
    earlier: { ...earlier, payees: 3 },
    payees: 4,
    fresh: {
      payees: 3,
      sums: [
        { currency: 'EUR', rows: 2, amount: '0.30' },
        { currency: 'KES', rows: 1, amount: '7' },
      ],
    },
    missing: { payees: 2, sums: [{ currency: 'EUR', rows: 3, amount: '0.3' }] },
  });
});

it('finds nothing new or missing in the same payees', async () => {
  const nobody = { payees: 0, sums: [] };
  expect(await compare(['ada', 'ben'], [[row(2, 'ben', '1'), row(3, 'ada', '1')]])).toMatchObject({
    ...{ payees: 2, fresh: nobody, missing: nobody },
  });
});
