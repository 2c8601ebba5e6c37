import { describe, expect, it } from 'vitest';
import { createInstitutionList } from '../../../src/directory/institution-list.ts';
import type { RecheckedRow, VerifiedRow } from '../../../src/domain/recheck.ts';
import { recheckInstitutions } from '../../../src/pipeline/sending/recheck.ts';
import { definitionNamed } from '../../../src/resources/registry.ts';
import { bankId, kenyanInstitutions, without } from '../../resources/rows.ts';
import { fakeReferences } from '../fakes.ts';

const record = {
  payee_type: 'bank_account',
  customer_external_id: 'C-1',
  account_name: 'Amina Otieno',
  account_number: '0110123456789',
  currency: 'KES',
  institution_name: 'Equity Bank',
  institution_country: 'KE',
};

/** Checks one row again that is held because no list could verify it, by a list that is complete or not. */
async function recheck(values: Readonly<Record<string, string>>, isComplete = true) {
  const rechecked: RecheckedRow[] = [];
  const verified: VerifiedRow[] = [];
  const list = createInstitutionList('KE', kenyanInstitutions, isComplete);
  const snapshot = { country: 'KE', institutions: [], isComplete, fetchedAt: new Date(0), hash: 'new' };
  const row = { row: 2, resource: 'recipients/bank_account', record: values, isUnverified: true };
  const outcome = await recheckInstitutions({
    ledger: {
      listPinnedInstitutions: async () => [{ country: 'KE', hash: 'old' }],
      pinInstitutionList: async () => {},
      listRowsToRecheck: async (_, afterRow) => (afterRow === 0 ? [row] : []),
      writeRechecked: async (_, rows) => rechecked.push(...rows),
      writeVerified: async (_, rows) => verified.push(...rows),
    },
    directory: { list: async () => list, snapshot: async () => snapshot },
    references: fakeReferences(),
    batch: { id: 'b', environmentId: 1, kind: 'recipients', header: [] },
    definitionNamed,
  });
  expect(rechecked).toEqual([]);
  expect(outcome.verifiedRows).toBe(verified.length);
  return verified;
}

describe('a row that no list could verify', () => {
  it('goes on with its institution’s id and name once that is found', async () => {
    const filled = { ...record, institution_id: bankId, bank_name: 'Equity Bank' };
    expect(await recheck(record)).toEqual([
      { row: 2, to: 'staged', record: filled, notes: ['limits not checked'] },
    ]);
  });

  it('goes on even if the list is still not complete, but has its institution now', async () => {
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

  it('stays held where nothing tells any more in which country to look', async () => {
    expect(await recheck({ ...without(record, 'institution_country'), currency: 'USD' })).toEqual([]);
  });
});
