import { expect, it } from 'vitest';
import type { EarlierRow } from '../../../src/domain/batches/batch.ts';
import { attachEarlierValues } from '../../../src/read/rows/corrections.ts';
import { turnsDuring } from '../../support/turns.ts';

const batch = '3f2a9c1e-0000-4000-8000-000000000000';
const header = ['name', 'phone'];
const corrections = {
  findOriginalBatch: async () => ({ fileName: 'people.csv', header }),
  findEarlierRows: async (_: string, rows: readonly number[]) =>
    new Map(
      rows.map((row): [number, EarlierRow] => [
        row,
        { row, cells: ['Amina', `${row}`], findings: [], confirmed: new Map() },
      ]),
    ),
};

async function attached(rows: number) {
  const given = Array.from({ length: rows }, (_, at) => ({
    number: at + 2,
    cells: ['Amina', '+254712345678', String(at + 2), batch],
  }));
  const columns = [...header, 'result_row', 'result_batch'];
  return attachEarlierValues(given, columns, corrections, 'corrections.csv');
}

it('lets others in while the earlier values of many rows are attached', async () => {
  const [row] = await attached(1);
  expect([row?.corrects, row?.earlier?.get(1)]).toEqual([{ batch, row: 2 }, [{ text: '2', code: null }]]);
  const ofFew = await turnsDuring(() => attached(100));
  // Ten groups of a hundred rows, twice: their values are looked at, and attached.
  expect(await turnsDuring(() => attached(1_000))).toBeGreaterThanOrEqual(ofFew + 2 * 9);
});
