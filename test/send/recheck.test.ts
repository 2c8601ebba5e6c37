import { describe, expect, it } from 'vitest';
import type { RecheckedRow, RowToRecheck, VerifiedRow } from '../../src/domain/rows/ledger-row.ts';
import { plainReadingRules } from '../../src/domain/tables/mapping.ts';
import { createRowChecker } from '../../src/kinds/fields/row-checker.ts';
import { createInstitutionList } from '../../src/kinds/institutions/directory.ts';
import { recheckInstitutions } from '../../src/send/recheck.ts';
import { bankId, kenyanInstitutions, walletId, without } from '../kinds/rows.ts';
import { fakeReferences } from './fakes.ts';

const record = {
  payee_type: 'bank_account',
  customer_external_id: 'C-1',
  account_name: 'Amina Otieno',
  account_number: '0110123456789',
  currency: 'KES',
  institution_name: 'Equity Bank',
  institution_country: 'KE',
};

const header = ['Name', 'Account', 'Bank', 'Customer'];

/** Of a file whose rows are what their institution is. */
const checker = createRowChecker({
  mapping: {
    kind: 'recipients',
    phoneCountry: { country: 'KE' },
    columns: [
      { field: 'account_name', title: 'Name', index: 0 },
      { field: 'account_number', title: 'Account', index: 1 },
      { field: 'institution_name', title: 'Bank', index: 2 },
      { field: 'customer_external_id', title: 'Customer', index: 3 },
      { field: 'currency', title: 'currency', index: null, constant: 'KES' },
      { field: 'payee_type', title: 'payee_type', index: null, derivedFrom: 'institution_name' },
    ],
  },
  reading: plainReadingRules,
  today: '2026-11-22',
  headerWidth: header.length,
});

/** Checks one row again that is held because no list could verify it, by a list that is complete or not. */
async function recheck(
  values: Readonly<Record<string, string>>,
  isComplete = true,
  untyped: Partial<RowToRecheck> = {},
) {
  const rechecked: RecheckedRow[] = [];
  const verified: VerifiedRow[] = [];
  const list = createInstitutionList('KE', kenyanInstitutions, isComplete);
  const snapshot = { country: 'KE', institutions: [], isComplete, fetchedAt: new Date(0), hash: 'new' };
  const row: RowToRecheck = {
    row: 2,
    resource: 'recipients/bank_account',
    record: values,
    cells: null,
    isUnverified: true,
    ...untyped,
  };
  const outcome = await recheckInstitutions({
    ledger: {
      listPinnedInstitutions: async () => [{ ...snapshot, hash: 'old' }],
      pinInstitutionList: async () => {},
      listRowsToRecheck: async (_, afterRow) => (afterRow === 0 ? [row] : []),
      writeRechecked: async (_, rows) => rechecked.push(...rows),
      writeVerified: async (_, rows) => verified.push(...rows),
    },
    directory: { list: async () => list, snapshot: async () => snapshot },
    references: fakeReferences(),
    batch: { id: 'b', environmentId: 1, kind: 'recipients', header: [] },
    openChecker: async () => checker,
  });
  expect(rechecked).toEqual([]);
  expect(outcome.verifiedRows).toBe(verified.length);
  return verified;
}

describe('a row that no list could verify', () => {
  it('continues with its institution’s id and name once that is found', async () => {
    const filled = { ...record, institution_id: bankId, bank_name: 'Equity Bank' };
    expect(await recheck(record)).toEqual([
      {
        row: 2,
        to: 'staged',
        resource: 'recipients/bank_account',
        record: filled,
        notes: ['limits not checked'],
      },
    ]);
  });

  it('continues even if the list is still not complete, but has its institution now', async () => {
    expect(await recheck(record, false)).toMatchObject([{ to: 'staged' }]);
  });

  it('is refused where a complete list does not have its institution', async () => {
    const misspelt = { ...record, institution_name: 'Equty Bnk' };
    expect(await recheck(misspelt)).toMatchObject([
      { row: 2, to: 'invalid', reason: { code: 'institution_unknown' } },
    ]);
  });

  it('stays held while the list is not complete and does not have its institution', async () => {
    expect(await recheck({ ...record, institution_name: 'Equty Bnk' }, false)).toEqual([]);
  });

  it('stays held where nothing determines any more in which country to look', async () => {
    expect(await recheck({ ...without(record, 'institution_country'), currency: 'USD' })).toEqual([]);
  });

  describe('and whose payee type is unknown', () => {
    const untyped = (account: string, bank: string): Partial<RowToRecheck> => ({
      resource: null,
      cells: ['Joseph Mushi', account, bank, 'C-1'],
    });

    it('is what its institution is once that is found, from its cells', async () => {
      expect(await recheck({}, true, untyped('0712 345 678', 'M-PESA'))).toMatchObject([
        {
          to: 'staged',
          resource: 'recipients/mobile_money',
          record: { phone_number: '+254712345678', institution_id: walletId, payee_type: 'mobile_money' },
        },
      ]);
      expect(await recheck({}, true, untyped('0110123456789', 'Equity'))).toMatchObject([
        { to: 'staged', resource: 'recipients/bank_account', record: { institution_id: bankId } },
      ]);
    });

    it('is refused by the rules of its payee type then', async () => {
      expect(await recheck({}, true, untyped('', 'Equity'))).toMatchObject([
        { to: 'invalid', findings: [{ column: 'Account', code: 'required' }] },
      ]);
      expect(await recheck({}, true, untyped('0110123456789', 'Nowhere'))).toMatchObject([
        { to: 'invalid', findings: [{ column: 'institution_name', code: 'institution_unknown' }] },
      ]);
    });

    it('stays held while the list is not complete', async () => {
      expect(await recheck({}, false, untyped('0110123456789', 'Nowhere'))).toEqual([]);
    });
  });
});
