import { expect, it } from 'vitest';
import { countOrigins, type RowOrigin } from '../../../src/reconcile/replaying/replay.ts';

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
