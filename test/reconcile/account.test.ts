import { describe, expect, it } from 'vitest';
import { amountTexts } from '../../src/account/reconciliation/report.ts';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { SourceComparison } from '../../src/domain/batches/reconciliation.ts';
import type { ResultRow } from '../../src/domain/rows/result-row.ts';
import { type TableRow, unprotectCell } from '../../src/domain/tables/table.ts';
import { definitionNamed } from '../../src/kinds/registry.ts';
import {
  type AccountedSource,
  type AccountVerbs,
  accountFor,
  checkEchoes,
  compareWithSource,
} from '../../src/reconcile/account.ts';
import { inGroups, sampleBatch, sampleRow } from '../account/sample-rows.ts';

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

  it('counts a row that repeats another one once, and reports it separately', async () => {
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

const { echoes } = definitionNamed('collections');
const sent = { client_reference: 'R-1', amount: '100', currency: 'KES', country: 'KE' };

function check(answer: object | string | null): ReturnType<typeof checkEchoes> {
  const text = answer === null || typeof answer === 'string' ? answer : JSON.stringify(answer);
  const reading = { echoes, objectIn: (json: unknown) => json };
  return checkEchoes({ body: Buffer.from(JSON.stringify(sent)), answer: text }, reading);
}

describe('the echo check', () => {
  it('compares amounts by their value, and treats what is merely written differently as the same', () => {
    expect(check({ ...sent, amount: '100.00' })).toEqual({ differing: [], missing: [] });
    expect(check({ ...sent, amount: 100 })).toEqual({ differing: [], missing: [] });
    expect(
      check({ ...sent, amount: '100.01', currency: 'kes', country: 'UG' })?.differing.map(
        ({ field }) => field,
      ),
    ).toEqual(['amount', 'country']);
  });

  it('distinguishes fields that the answer leaves out from fields that differ', () => {
    expect(check({ ...sent, country: undefined })).toEqual({ differing: [], missing: ['country'] });
  });

  it('says nothing without an answer', () => {
    expect(check(null)).toBeNull();
    expect(check('{"amount"')).toBeNull();
  });
});

const batch: BatchRecord = {
  id: sampleBatch,
  environmentId: 1,
  mode: 'sandbox',
  origin: 'https://api.example.test',
  kind: 'customers',
  sheet: null,
  fileName: 'people.csv',
  header: ['name'],
  rowCount: 2,
  notes: [],
  contentHash: '',
  readingHash: '',
  createdAt: '',
};

const source: AccountedSource = {
  rows: () => inGroups([2, 3].map((number) => ({ number, cells: ['Amina'] }))),
  read: ({ cells }) => ({ sum: null, keptCells: cells }),
};

/** A ledger whose batch has these row numbers, and how often its rows were read. */
function ledgerWith(...rows: number[]): { port: AccountVerbs; readings: () => number } {
  let readings = 0;
  const port: AccountVerbs = {
    countStatuses: async () => ({ created: rows.length }),
    sumAmounts: async () => [],
    readResultRows: () => {
      readings += 1;
      return inGroups(...rows.map((row) => [sampleRow({ row, cells: ['Amina'] })]));
    },
    readAnsweredRows: () => inGroups(),
    findContradictions: async () => [],
  };
  return { port, readings: () => readings };
}

const noEchoes = () => ({ echoes: [], objectIn: () => undefined });

it.each([
  ['with its source file', source],
  ['without one', null],
])('a batch is accounted for %s in one reading of its rows', async (_, given) => {
  const { port, readings } = ledgerWith(2, 3);
  const account = await accountFor(batch, port, given, noEchoes);
  expect({ isComplete: account.isComplete, isEqual: account.source?.isEqual ?? true }).toEqual({
    isComplete: true,
    isEqual: true,
  });
  expect(readings()).toBe(1);
});

it('reports each row that differs between file and ledger, with the cells of both', async () => {
  const { port } = ledgerWith(2, 4);
  const told: unknown[] = [];
  const others: AccountedSource = {
    ...source,
    rows: () => inGroups([2, 3].map((number) => ({ number, cells: [number === 2 ? 'Ann' : 'Ben'] }))),
  };
  await accountFor(batch, port, others, noEchoes, {
    source: async (row) => {
      told.push(row);
    },
    answer: async () => {},
  });
  expect(told).toEqual([
    { row: 2, file: ['Ann'], ledger: ['Amina'] },
    { row: 3, file: ['Ben'], ledger: null },
    { row: 4, file: null, ledger: ['Amina'] },
  ]);
});

it('adds up what invalid and repeated rows have, which its sums leave out', async () => {
  const money = { currency: 'KES', amount: '100.50' };
  const rows = [
    sampleRow({ row: 2, status: 'created', money }),
    sampleRow({ row: 3, status: 'invalid', money }),
    sampleRow({ row: 4, status: 'invalid', money: { ...money, amount: '0.25' } }),
    sampleRow({ row: 5, status: 'existing', money, sameAs: 2 }),
    sampleRow({ row: 6, status: 'invalid' }),
    // No shilling of Uganda has a half: the summary of the batch does not add it up.
    sampleRow({ row: 7, status: 'invalid', money: { currency: 'UGX', amount: '572000.5' } }),
  ];
  const port = { ...ledgerWith().port, readResultRows: () => inGroups(rows) };
  const account = await accountFor(batch, port, null, noEchoes);
  expect(account.leftOut).toEqual({
    invalid: [{ currency: 'KES', rows: 2, amount: '100.75' }],
    repeated: [{ currency: 'KES', rows: 1, amount: '100.50' }],
  });
  expect(amountTexts({ ...account, sums: [{ currency: 'KES', rows: 1, amount: '100.50' }] })).toEqual([
    '100.50 KES in 1 row',
    'besides 100.75 KES in 2 invalid rows',
    'besides 100.50 KES in 1 row that repeats another',
  ]);
});

it('a row that is in the file twice does not count for the missing one', async () => {
  const { port } = ledgerWith(2, 2);
  expect((await accountFor(batch, port, null, noEchoes)).isComplete).toBe(false);
});
