import { describe, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/domain/batches/batch.ts';
import { accountFor, checkEchoes } from '../../../src/reconcile/accounting/account.ts';
import type { AccountedSource, AccountPort } from '../../../src/reconcile/ports.ts';
import { definitionNamed } from '../../../src/resources/registry.ts';
import { inGroups, sampleBatch, sampleRow } from '../../output/sample-rows.ts';

const { echoes } = definitionNamed('collections');
const sent = { client_reference: 'R-1', amount: '100', currency: 'KES', country: 'KE' };

function check(answer: object | string | null): ReturnType<typeof checkEchoes> {
  const text = answer === null || typeof answer === 'string' ? answer : JSON.stringify(answer);
  const reading = { echoes, objectIn: (json: unknown) => json };
  return checkEchoes({ body: Buffer.from(JSON.stringify(sent)), answer: text }, reading);
}

describe('the echo check', () => {
  it('takes amounts by their value, and what is merely written differently for the same', () => {
    expect(check({ ...sent, amount: '100.00' })).toEqual({ differing: [], missing: [] });
    expect(check({ ...sent, amount: 100 })).toEqual({ differing: [], missing: [] });
    expect(
      check({ ...sent, amount: '100.01', currency: 'kes', country: 'UG' })?.differing.map(
        ({ field }) => field,
      ),
    ).toEqual(['amount', 'country']);
  });

  it('tells fields that the answer leaves out from fields that differ', () => {
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
function ledgerWith(...rows: number[]): { port: AccountPort; readings: () => number } {
  let readings = 0;
  const port: AccountPort = {
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

it('a row that stands twice is not counted for the one that is missing', async () => {
  const { port } = ledgerWith(2, 2);
  expect((await accountFor(batch, port, null, noEchoes)).isComplete).toBe(false);
});
