import { expect, it } from 'vitest';
import { CheckedChanges } from '../../../src/account/batch-files/changes-of-batch.ts';
import type { StagedRow } from '../../../src/domain/rows/ledger-row.ts';

const iban = 'DE89370400440532013000';
const keys = { customer: '', name: '', nameMarks: '', details: '', account: '' };

/** A row that shares its account with an earlier one of its file, or of a batch. */
function sharing(row: number, earlier: { readonly batch: string | null; readonly row: number }): StagedRow {
  return {
    ...{ row, resource: 'recipients/sepa', state: 'staged', cells: [], findings: [], notes: [] },
    ...{ handle: null, sameAs: null, objectId: null, reason: null },
    record: { account_name: `Payee ${row}`, iban, bank_name: 'Bank', customer_id: 'id', amount: '1.00' },
    changes: [{ row, code: 'account_shared', earlier, keys }],
  };
}

it('names an earlier row of the file once, behind the first that shares its account, over groups', async () => {
  const changes = new CheckedChanges('file.csv', async () => []);
  const first = await changes.of([sharing(5_000, { batch: null, row: 2 })]);
  expect(first.map(({ row, earlier }) => [row, earlier.row])).toEqual([
    [5_000, 2],
    [2, 5_000],
  ]);
  expect(first[1]).toMatchObject({
    before: { name: 'Payee 5000', account: iban },
    after: { name: '', account: iban },
    earlier: { batch: null, file: 'file.csv' },
  });
  const second = await changes.of([sharing(90_000, { batch: null, row: 2 })]);
  expect(second.map(({ row }) => row)).toEqual([90_000]);
});

it('names no row again that has such a finding of its own', async () => {
  const changes = new CheckedChanges('file.csv', async () => []);
  const known = sharing(3, { batch: 'b1', row: 7 });
  const named = await changes.of([known, sharing(4, { batch: null, row: 3 })]);
  expect(named.map(({ row }) => row)).toEqual([3, 4]);
});
