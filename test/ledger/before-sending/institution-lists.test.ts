import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { InstitutionSnapshot } from '../../../src/domain/institution.ts';
import { environmentIdOf } from '../../../src/ledger/batches/batches.ts';
import {
  loadInstitutionList,
  readInstitutionNames,
  saveInstitutionList,
} from '../../../src/ledger/before-sending/institution-lists.ts';
import { databaseTime } from '../../../src/ledger/connection/server-settings.ts';
import { forEachLedger } from '../../support/ledger.ts';

const bank = {
  id: 'b-1',
  name: 'L\'Étoile "Bank" 银行',
  country: 'KE',
  currency: 'KES',
  accountNumberType: 'bank_account_number',
  minAmount: '0.10',
  maxAmount: '99999999999999999999.990',
};

forEachLedger((openTestLedger) => {
  let database: Knex;
  let environmentId: number;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
    environmentId = await environmentIdOf(database, { mode: 'sandbox', origin: 'https://api.example.test' });
  });

  const list = (given: Partial<InstitutionSnapshot>): InstitutionSnapshot => ({
    country: 'KE',
    institutions: [bank],
    isComplete: true,
    hash: 'h1',
    fetchedAt: new Date('2026-03-01T12:00:00.123Z'),
    ...given,
  });

  it('gives a list back as it was read, amounts to the last digit', async () => {
    await saveInstitutionList(database, environmentId, list({}));
    expect(await loadInstitutionList(database, environmentId, 'KE')).toEqual(list({}));
  });

  it('gives the newest list, of this country and this environment only', async () => {
    const newer = list({
      fetchedAt: new Date('2026-03-02T00:00:00Z'),
      isComplete: false,
      institutions: [],
      hash: 'h2',
    });
    await saveInstitutionList(database, environmentId, newer);
    await saveInstitutionList(database, environmentId, list({ hash: 'late but old' }));
    expect(await loadInstitutionList(database, environmentId, 'KE')).toEqual(newer);
    expect(await loadInstitutionList(database, environmentId, 'UG')).toBeUndefined();
    expect(await loadInstitutionList(database, environmentId + 1, 'KE')).toBeUndefined();
  });

  it('gives the time of the database', async () => {
    const now = await databaseTime(database);
    expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(600_000);
  });

  it('gives the names of the institutions of all countries, from complete lists where there are any', async () => {
    const here = await environmentIdOf(database, { mode: 'sandbox', origin: 'https://names.example.test' });
    const named = (id: string, name: string) => ({ ...bank, id, name });
    const save = (given: Partial<InstitutionSnapshot>) => saveInstitutionList(database, here, list(given));
    await save({ institutions: [named('A-1', 'Old'), named('a-2', 'Second')] });
    await save({ institutions: [named('A-1', 'New')], fetchedAt: new Date('2026-03-02T00:00:00Z') });
    const later = new Date('2026-03-03T00:00:00Z');
    await save({ institutions: [], isComplete: false, fetchedAt: later });
    await save({ country: 'UG', institutions: [named('b-1', 'Ugandan')], isComplete: false });
    expect(await readInstitutionNames(database, here)).toEqual(
      new Map([
        ['a-1', 'New'],
        ['b-1', 'Ugandan'],
      ]),
    );
  });
});
