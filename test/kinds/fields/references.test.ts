import { describe, expect, it } from 'vitest';
import type { KnownObject } from '../../../src/kinds/definition.ts';
import {
  accountId,
  checkNamed,
  checkTable,
  customerId,
  findingsOf,
  lookupsOf,
  needsOf,
  validRows,
  without,
} from '../rows.ts';

const otherId = '11111111-8a57-4d0b-9c36-5b1f0e7a2d94';
const created: KnownObject = { id: customerId, country: 'KE' };
const inImport: KnownObject = { id: null, country: 'KE' };
const byName = { ...without(validRows.accounts, 'customer_id'), customer_external_id: 'C-1' };
const byBoth = { ...validRows.accounts, customer_external_id: 'C-1' };

describe('the customer that a row names by its external id', () => {
  it('gives its id where it is created', () => {
    const row = checkNamed('accounts', byName, { objects: { 'customers C-1': created } });
    expect(findingsOf(row)).toEqual([]);
    expect(row.record['customer_id']).toBe(customerId);
  });

  it('leaves the id open while it is only in the same import', () => {
    const row = checkNamed('accounts', byName, { objects: { 'customers C-1': inImport } });
    expect(findingsOf(row)).toEqual([]);
    expect(row.record['customer_id']).toBeUndefined();
  });

  it('has to be known', () => {
    expect(findingsOf(checkNamed('accounts', byName))).toEqual(['customer_external_id: customer_unknown']);
  });

  it('is ignored with a note where it is not known and the row gives the id', () => {
    const row = checkNamed('accounts', byBoth);
    expect(findingsOf(row)).toEqual([]);
    expect(row.notes).toEqual(['not known here, so customer_id counts: customer_external_id']);
    expect(row.record['customer_id']).toBe(customerId);
    expect(row.definition?.references[0]?.handle(row.record)).toBeUndefined();
  });

  it.each<[string, KnownObject, readonly string[]]>([
    ['the same id', created, []],
    ['the same id in capitals', { id: customerId.toUpperCase(), country: null }, []],
    ['another id', { id: otherId, country: null }, ['customer_external_id: conflicting_values']],
    ['no id yet', inImport, ['customer_external_id: conflicting_values']],
  ])('and the id that the row gives: %s', (_, object, expected) => {
    const row = checkNamed('accounts', byBoth, { objects: { 'customers C-1': object } });
    expect(findingsOf(row)).toEqual(expected);
  });

  it('is not judged while its own value has a finding', () => {
    const row = checkNamed('accounts', { ...byName, customer_external_id: '1E+11' });
    expect(findingsOf(row)).toEqual(['customer_external_id: damaged_number']);
  });
});

describe('the account that a collection names by its label', () => {
  const labelled = { ...without(validRows.collections, 'destination_id'), destination_label: 'Main' };
  const labelledByName = { ...without(labelled, 'customer_id'), customer_external_id: 'C-1' };
  const byId = `accounts ["${customerId}","Main"]`;
  const byExternalId = 'accounts ["external:C-1","Main"]';

  it.each([
    ['by the customer’s id', labelled, { [byId]: { id: accountId, country: null } }],
    [
      'by the id of a customer that was found',
      labelledByName,
      { 'customers C-1': created, [byId]: { id: accountId, country: null } },
    ],
    [
      'by the external id that it was staged under',
      labelledByName,
      { 'customers C-1': created, [byExternalId]: { id: accountId, country: null } },
    ],
  ])('is found %s', (_, values, objects) => {
    const row = checkNamed('collections', values, { objects });
    expect(findingsOf(row)).toEqual([]);
    expect(row.record['destination_id']).toBe(accountId);
  });

  it('may be in the same import', () => {
    const objects = { 'customers C-1': inImport, [byExternalId]: { id: null, country: null } };
    const row = checkNamed('collections', labelledByName, { objects });
    expect(findingsOf(row)).toEqual([]);
    expect(row.record['destination_id']).toBeUndefined();
  });

  it('has to be known, and of that customer', () => {
    const objects = { [`accounts ["${otherId}","Main"]`]: { id: accountId, country: null } };
    expect(findingsOf(checkNamed('collections', labelled, { objects }))).toEqual([
      'destination_label: account_unknown',
    ]);
  });

  it('is not judged while its customer is not known', () => {
    expect(findingsOf(checkNamed('collections', labelledByName))).toEqual([
      'customer_external_id: customer_unknown',
    ]);
  });

  it('agrees with the id that the row gives', () => {
    const both = { ...labelled, destination_id: accountId };
    expect(
      findingsOf(checkNamed('collections', both, { objects: { [byId]: { id: accountId, country: null } } })),
    ).toEqual([]);
    expect(
      findingsOf(checkNamed('collections', both, { objects: { [byId]: { id: otherId, country: null } } })),
    ).toEqual(['destination_label: conflicting_values']);
  });
});

describe('needs says what to look up', () => {
  it('nothing for a row without a payee type, or a kind that refers to nothing', () => {
    for (const table of [
      checkTable('recipients', { payee_type: 'x' }),
      checkTable('customers', validRows.customers),
    ]) {
      expect(needsOf(table)).toEqual({ institutionCountries: [], handles: [], customerIds: [] });
    }
  });

  it('the account by its customer’s id once that is known', () => {
    const values = {
      ...without(validRows.collections, 'destination_id', 'customer_id'),
      customer_external_id: 'C-1',
      destination_label: 'Main',
    };
    const table = checkTable('collections', values);
    expect(needsOf(table).handles).toEqual([
      { kind: 'customers', handle: 'C-1' },
      { kind: 'accounts', handle: '["external:C-1","Main"]' },
    ]);
    const found = lookupsOf({ objects: { 'customers C-1': created } });
    expect(needsOf(table, found).handles).toContainEqual({
      kind: 'accounts',
      handle: `["${customerId}","Main"]`,
    });
  });

  it.each([
    ['institution_country', { institution_country: 'UG' }, ['UG'], []],
    ['the phone', { institution_country: '' }, ['KE'], []],
    ['the currency while the phone is wrong', { phone_number: 'x' }, ['KE'], []],
    [
      'nothing while the phone is wrong and the currency is shared',
      { phone_number: 'x', currency: 'USD' },
      [],
      [],
    ],
    ['the customer, where the phone does not tell', { phone_number: '+15555555555' }, [], [customerId]],
    ['nothing where no institution is named', { institution_id: '' }, [], []],
    ['nothing where the institution has a finding', { institution_id: 'x' }, [], []],
  ])('the institutions of the country by %s', (_, change, institutionCountries, customerIds) => {
    const table = checkTable('recipients', { ...validRows['recipients/mobile_money'], ...change });
    expect(needsOf(table)).toMatchObject({ institutionCountries, customerIds });
  });

  it('the institutions of the customer’s country once that is known', () => {
    const values = without(validRows['recipients/bank_account'], 'institution_country');
    const table = checkTable('recipients', values);
    expect(needsOf(table)).toMatchObject({ institutionCountries: [], customerIds: [customerId] });
    const found = lookupsOf({ customersById: { [customerId]: created } });
    expect(needsOf(table, found)).toMatchObject({ institutionCountries: ['KE'] });
  });

  it('the institutions of a collection’s own country', () => {
    const table = checkTable('collections', {
      ...validRows.collections,
      institution_name: 'M-Pesa',
    });
    expect(needsOf(table).institutionCountries).toEqual(['KE']);
  });
});
