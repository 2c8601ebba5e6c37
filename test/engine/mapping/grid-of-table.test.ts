import { expect, it } from 'vitest';
import { gridOfTable } from '../../../src/engine/mapping/grid-of-table.ts';
import { tableOfLines } from './tables.ts';

const header = ['Code', 'Network', 'Net'];

function lines(count: number, cellsOf: (row: number) => readonly string[]): string[][] {
  return [header, ...Array.from({ length: count }, (_, index) => [...cellsOf(index + 1)])];
}

it('looks at every row of a short sheet', async () => {
  const grid = await gridOfTable(tableOfLines(lines(20, (row) => [`C-${row}`, 'MTN', '100'])));
  expect(grid).toMatchObject({ isCut: false, allRows: 21 });
  expect(grid.rows).toHaveLength(21);
});

it('takes a sample over the whole of a long sheet, with every rare value and every form of values in it', async () => {
  const table = tableOfLines(
    lines(9_000, (row) => [
      `C-${row}`,
      row === 7_777 ? 'Airtel' : row % 2 === 0 ? 'MTN' : 'mtn',
      row === 8_001 ? '(45,000)' : String(1_000 + row),
    ]),
  );
  const grid = await gridOfTable(table);
  expect(grid).toMatchObject({ isCut: true, allRows: 9_001 });
  expect(grid.rows.length).toBeLessThan(5_000);
  const numbers = grid.rows.map(({ number }) => number);
  expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
  expect(numbers).toEqual(expect.arrayContaining([1, 2, 7_778, 8_002, 9_001]));
  expect(numbers.filter((number) => number > 4_000).length).toBeGreaterThan(500);
  expect(grid.counts?.get(1)).toEqual(
    new Map([
      ['Network', 1],
      ['mtn', 4_499],
      ['MTN', 4_500],
      ['Airtel', 1],
    ]),
  );
  expect(grid.counts?.has(0)).toBe(false);
});
