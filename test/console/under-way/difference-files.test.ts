import { mkdtempSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import {
  countOfDifferences,
  DifferenceWriter,
  readDifferences,
} from '../../../src/console/under-way/difference-files.ts';
import type { DifferenceKind, FoundDifference } from '../../../src/domain/rows/row-state.ts';

function difference(kind: DifferenceKind, row: number): FoundDifference {
  const values = [{ name: 'name', here: `Zoë\u2028${'é'.repeat(row % 7)}`, there: null, differs: false }];
  return { kind, row, status: null, there: null, values, evidence: '', action: null, foundId: null };
}

async function rowsOf(found: AsyncIterable<FoundDifference>): Promise<string[]> {
  const rows: string[] = [];
  for await (const { kind, row } of found) rows.push(`${kind} ${row}`);
  return rows;
}

it('reads any page of any kind, in the order of the kinds, without the earlier pages', async () => {
  const folder = mkdtempSync(join(inject('testFolder'), 'differences-'));
  const writer = new DifferenceWriter(folder);
  for (let row = 1; row <= 250; row += 1) {
    await writer.write([difference('missing_there', row), difference('mismatched', row)]);
  }
  const index = await writer.finish();
  expect([countOfDifferences(index, null), countOfDifferences(index, 'mismatched')]).toEqual([500, 250]);
  expect(index.names).toEqual(['name']);
  const all = await rowsOf(readDifferences(folder, index, null));
  expect(all).toHaveLength(500);
  expect([all[0], all[249], all[250]]).toEqual(['mismatched 1', 'mismatched 250', 'missing_there 1']);
  for (const from of [0, 1, 99, 100, 101, 249, 250, 399, 499]) {
    expect(await rowsOf(readDifferences(folder, index, null, from)), String(from)).toEqual(all.slice(from));
  }
  expect(await rowsOf(readDifferences(folder, index, 'missing_there', 200))).toEqual(all.slice(450));
  expect(await rowsOf(readDifferences(folder, index, 'proposed'))).toEqual([]);
  expect(await rowsOf(readDifferences(folder, index, null, 5_000))).toEqual([]);
});

it('leaves nothing behind where the reconciliation fails', async () => {
  const folder = mkdtempSync(join(inject('testFolder'), 'differences-'));
  const writer = new DifferenceWriter(folder);
  await writer.write([difference('mismatched', 1)]);
  await writer.discard();
  expect(await readdir(folder)).toEqual([]);
});
