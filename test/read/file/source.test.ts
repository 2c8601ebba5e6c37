import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { openInput } from '../../../src/read/sources/open-file.ts';
import { textRow, workbook } from '../../support/workbook.ts';
import { removeTemporaryFiles, temporaryFile } from '../reading.ts';

afterEach(removeTemporaryFiles);

/** What the first table says of its share with each group of rows, and at the end. */
async function sharesOf(name: string, content: string | Buffer): Promise<number[]> {
  const file = await openInput(temporaryFile(name, content));
  try {
    const [table] = file.tables;
    if (table === undefined) throw new Error('no table');
    const shares: number[] = [];
    for await (const _ of table.rows()) shares.push(table.readShare());
    return [...shares, table.readShare()];
  } finally {
    await file.close();
  }
}

const manyRows = 40_000;
const csv = `name,number\n${Array.from({ length: manyRows }, (_, at) => `somebody,${String(at).padStart(8, '0')}\n`).join('')}`;

describe('how much of a file is read', () => {
  it('grows with the rows of a CSV file, from little to all of it', async () => {
    const shares = await sharesOf('list.csv', csv);
    expect(shares).toHaveLength(manyRows / 1_000 + 1);
    expect(shares).toEqual([...shares].sort((left, right) => left - right));
    // Never ahead of the rows, and behind them by a piece of the file at most.
    for (const [at, share] of shares.slice(0, -1).entries()) {
      const passed = ((at + 1) * 1_000) / manyRows;
      expect(share).toBeLessThanOrEqual(passed);
      expect(share).toBeGreaterThan(passed - 0.45);
    }
    expect(shares.at(-1)).toBe(1);
  });

  it('is of the compressed bytes where the file is compressed', async () => {
    const shares = await sharesOf('list.csv.gz', gzipSync(csv));
    expect(shares.at(-1)).toBe(1);
  });

  it('is of the sheet in a workbook', async () => {
    const rows = Array.from({ length: 4_000 }, (_, at) => textRow(at + 1, ['somebody', String(at)])).join('');
    const shares = await sharesOf('list.xlsx', workbook({ sheets: [{ name: 'S', rows }] }));
    expect(shares).toHaveLength(5);
    expect(shares[1]).toBeGreaterThan(shares[0] ?? 1);
    expect(shares[1]).toBeLessThan(0.6);
    expect(shares.at(-1)).toBe(1);
  });

  it.each(['oddities.ods', 'oddities.xls'])('is known in %s too', async (name) => {
    const content = readFileSync(new URL(`../fixtures/${name}`, import.meta.url));
    expect((await sharesOf(name, content)).at(-1)).toBe(1);
  });

  it('begins anew with each reading', async () => {
    const file = await openInput(temporaryFile('list.csv', csv));
    const [table] = file.tables;
    for await (const _ of table?.rows() ?? []) {
      // Only read.
    }
    for await (const _ of table?.rows() ?? []) {
      expect(table?.readShare()).toBeLessThan(0.5);
      break;
    }
    await file.close();
  });
});
