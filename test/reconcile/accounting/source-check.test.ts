import { describe, expect, it } from 'vitest';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import { type TableRow, unprotectCell } from '../../../src/domain/tables/table.ts';
import { compareWithSource, type SourceComparison } from '../../../src/reconcile/accounting/source-check.ts';

function own(row: number, cells: string[], status: ResultRow['status'] = 'created'): ResultRow {
  return {
    row,
    cells,
    status,
    objectId: null,
    code: null,
    field: null,
    message: null,
    httpStatus: null,
    attempts: 0,
    idempotencyKey: null,
    changedAt: '',
    notes: [],
  };
}

async function* groups<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (const item of items) yield [item];
}

function compare(
  source: readonly TableRow[],
  ledger: readonly ResultRow[],
  amount: string,
): Promise<SourceComparison> {
  const read = ({ cells }: TableRow) => ({
    sum: { currency: 'KES', amount: cells[1] ?? '' },
    keptCells: cells.map(unprotectCell),
  });
  return compareWithSource(
    { rows: () => groups(source), read },
    groups(ledger),
    amount === '' ? [] : [{ currency: 'KES', rows: 2, amount }],
  );
}

const [two, three] = [
  { number: 2, cells: ['a', '0.10'] },
  { number: 3, cells: ['b', '0.20'] },
];

describe('the source file, read again', () => {
  it('is equal cell by cell and in its exact sums', async () => {
    const found = await compare([two, three], [own(2, two.cells), own(3, three.cells)], '0.3');
    expect(found).toMatchObject({
      rows: 2,
      isEqual: true,
      sums: [{ currency: 'KES', rows: 2, amount: '0.30' }],
    });
  });

  it('takes a guarded cell as it is meant, and leaves invalid rows out of the sums', async () => {
    const guarded = { number: 4, cells: ["'+254", 'x'] };
    const ledger = [own(2, two.cells), own(3, three.cells), own(4, ['+254', 'x'], 'invalid')];
    expect(await compare([two, three, guarded], ledger, '0.3')).toMatchObject({ isEqual: true });
  });

  it('counts a row that repeats another one once, and tells of it apart', async () => {
    const again = { number: 4, cells: two.cells };
    const ledger = [own(2, two.cells), own(3, three.cells), { ...own(4, two.cells), sameAs: 2 }];
    expect(await compare([two, three, again], ledger, '0.3')).toMatchObject({
      isEqual: true,
      repeated: { rows: 1, sums: [{ currency: 'KES', rows: 1, amount: '0.10' }] },
    });
  });

  it('names rows that are missing, additional or other', async () => {
    const found = await compare([two, three], [own(2, ['A', '0.10']), own(5, [])], '');
    expect(found).toMatchObject({
      differingRows: [2],
      missingRows: [3],
      additionalRows: [5],
      isEqual: false,
    });
  });

  it('differs in its sums alone', async () => {
    const found = await compare([two, three], [own(2, two.cells), own(3, three.cells)], '0.31');
    expect(found).toMatchObject({ differingRows: [], isEqual: false });
  });
});
