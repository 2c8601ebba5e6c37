import { expect, it } from 'vitest';
import { originLayout } from '../../../src/account/files/failed-layout.ts';
import { sampleBatch, sampleRow } from '../sample-rows.ts';

it('has only the columns that identify the corrected row, before the surplus cells', () => {
  const layout = originLayout(['name', 'result_row', 'phone'], sampleBatch);
  expect(layout.header).toEqual(['name', 'phone', 'result_row', 'result_batch']);
  const row = sampleRow({ row: 7, cells: ['Amina', '3', '12', 'surplus'], message: 'is, "quoted"' });
  expect(layout.record(row)).toEqual(['Amina', '12', '7', sampleBatch, 'surplus']);
});
