import { describe, expect, it } from 'vitest';
import { textOf } from '../../support/messages.ts';
import {
  bankId,
  checkNamed,
  customerId,
  findingsOf,
  type Known,
  kenyanInstitutions,
  listOf,
  type Values,
  validRows,
  walletId,
  without,
} from '../rows.ts';

const bank = validRows['recipients/bank_account'];
const wallet = validRows['recipients/mobile_money'];
const byName = without(bank, 'institution_id');
const unknownId = '00000000-71f4-4a92-b6de-0f3a9c218e47';

function check(values: Values, known: Known = {}) {
  return checkNamed('recipients', values, known);
}

describe('the institution of a recipient', () => {
  it.each([
    ['by id', bank],
    ['by id in capitals', { ...bank, institution_id: bankId.toUpperCase() }],
    ['by name', { ...byName, institution_name: 'equity  BANK' }],
    ['by id and name', { ...bank, institution_name: 'Equity Bank' }],
    [
      'by id and a name that others have too',
      {
        ...bank,
        institution_id: '99999999-71f4-4a92-b6de-0f3a9c218e47',
        institution_name: 'National Bank',
        amount: '2',
      },
    ],
  ])('is found %s', (_, values) => {
    expect(findingsOf(check(values))).toEqual([]);
  });

  it.each([
    ['+254712345678', []],
    // Landlines of Nairobi take no mobile money.
    ['+254202082879', ['phone_number: invalid_phone']],
  ])('is paid by mobile money to mobile phones: %s', (phone, expected) => {
    expect(findingsOf(check({ ...wallet, phone_number: phone }))).toEqual(expected);
  });

  it.each([
    ['62 123 456 789', '62123456789'],
    ['SN08 K001', 'SN08 K001'],
    ['see e-mail', undefined],
  ])('has the account %s as %s', (number, expected) => {
    expect(check({ ...bank, account_number: number }).record['account_number']).toBe(expected);
  });

  it('gives its id, and its name where bank_name is empty', () => {
    const values = { ...without(byName, 'bank_name'), institution_name: 'equity bank' };
    expect(check(values).record).toMatchObject({ institution_id: bankId, bank_name: 'Equity Bank' });
    expect(check({ ...values, bank_name: 'Equity (Westlands)' }).record['bank_name']).toBe(
      'Equity (Westlands)',
    );
    expect(check(wallet).record['bank_name']).toBe('M-Pesa');
  });

  it.each([
    ['an unknown id', { ...bank, institution_id: unknownId }, ['institution_id: institution_unknown']],
    ['an unknown name', { ...byName, institution_name: 'Equty' }, ['institution_name: institution_unknown']],
    [
      'a name that two have',
      { ...byName, institution_name: 'national bank' },
      ['institution_name: ambiguous_institution'],
    ],
    ['id and name of two', { ...bank, institution_name: 'M-Pesa' }, ['institution_name: conflicting_values']],
    [
      'an id and a name of none',
      { ...bank, institution_name: 'Nowhere' },
      ['institution_name: conflicting_values'],
    ],
    [
      'an unknown id and a name of one',
      { ...bank, institution_id: unknownId, institution_name: 'M-Pesa' },
      ['institution_name: conflicting_values'],
    ],
    [
      'an unknown id and name',
      { ...bank, institution_id: unknownId, institution_name: 'X' },
      ['institution_id: institution_unknown'],
    ],
    [
      'a provider instead of a bank',
      { ...bank, institution_id: walletId },
      ['institution_id: institution_type_mismatch'],
    ],
    [
      'a bank instead of a provider',
      { ...wallet, institution_id: bankId },
      ['institution_id: institution_type_mismatch'],
    ],
    [
      'a bank instead of a provider, by name',
      { ...without(wallet, 'institution_id'), institution_name: 'Equity Bank' },
      ['institution_name: institution_type_mismatch'],
    ],
    ['another currency', { ...bank, currency: 'USD' }, ['currency: currency_mismatch']],
    [
      'a phone of another country',
      { ...wallet, phone_number: '+256772123456', institution_country: 'KE' },
      ['phone_number: country_mismatch'],
    ],
  ])('%s is a finding', (_, values, expected) => {
    expect(findingsOf(check(values))).toEqual(expected);
  });

  it('names the nearest institutions, and chooses none', () => {
    const row = check({ ...byName, institution_name: 'Equty' });
    expect(textOf(row.findings[0])).toContain('Equity Bank or National Bank');
    expect(row.record['institution_id']).toBeUndefined();
  });
});

describe('a list that could not be read in full', () => {
  const known = { lists: { KE: listOf(kenyanInstitutions, false) } };

  it.each([
    [
      'an unknown id',
      { ...bank, institution_id: unknownId },
      ['institution_id: institution_unverifiable (held)'],
    ],
    [
      'an unknown id with a name of one',
      { ...bank, institution_id: unknownId, institution_name: 'M-Pesa' },
      ['institution_id: institution_unverifiable (held)'],
    ],
    [
      'an unknown name',
      { ...byName, institution_name: 'X' },
      ['institution_name: institution_unverifiable (held)'],
    ],
    ['one that is there', bank, []],
    ['one that is there with a wrong amount', { ...bank, amount: '1' }, ['amount: below_minimum']],
  ])('%s: %j', (_, values, expected) => {
    expect(findingsOf(check(values, known))).toEqual(expected);
  });
});

describe('limits hold as exact decimals, both ends included', () => {
  it.each([
    [bank, '100', []],
    [bank, '100.00', []],
    [bank, '99.99', ['amount: below_minimum']],
    [bank, '999999.99', []],
    [bank, '1000000', ['amount: above_maximum']],
    [wallet, '10.5', []],
    [wallet, '10.50', []],
    [wallet, '10.49', ['amount: below_minimum']],
    [wallet, '150000', []],
    [wallet, '150000.01', ['amount: above_maximum']],
    [wallet, '9', ['amount: below_minimum']],
  ])('case %#: %s', (values, amount, expected) => {
    const row = check({ ...values, amount });
    expect(findingsOf(row)).toEqual(expected);
    expect(row.notes).toEqual([]);
  });

  it('are compared beyond the precision of binary floating point', () => {
    const institutions = kenyanInstitutions.map((one) => ({ ...one, maxAmount: '9007199254740993' }));
    const known = { lists: { KE: listOf(institutions) } };
    expect(findingsOf(check({ ...bank, amount: '9007199254740993' }, known))).toEqual([]);
    expect(findingsOf(check({ ...bank, amount: '9007199254740993.01' }, known))).toEqual([
      'amount: above_maximum',
    ]);
  });

  it('give a note where they cannot be compared', () => {
    expect(check({ ...bank, amount: '' }).notes).toEqual(['limits not checked']);
    expect(check(without(bank, 'amount')).notes).toEqual(['limits not checked']);
    const unlimited = { ...bank, institution_id: '88888888-71f4-4a92-b6de-0f3a9c218e47' };
    expect(check(unlimited).notes).toEqual(['limits not checked']);
  });

  it('are not compared with an amount that has a finding', () => {
    expect(findingsOf(check({ ...bank, amount: '0.001' }))).toEqual(['amount: too_many_decimals']);
    expect(check({ ...bank, amount: 'x' }).notes).toEqual([]);
  });
});

describe('the institution’s country', () => {
  const nowhere = without(bank, 'institution_country');

  it('is the column’s before the phone’s', () => {
    const known = { lists: { UG: listOf([]), KE: listOf(kenyanInstitutions) } };
    expect(findingsOf(check({ ...wallet, institution_country: 'UG' }, known))).toEqual([
      'institution_id: institution_unknown',
    ]);
  });

  it.each([
    ['by id', nowhere, { customersById: { [customerId]: { id: customerId, country: 'KE' } } }],
    [
      'by external id',
      { ...without(nowhere, 'customer_id'), customer_external_id: 'C-1' },
      { objects: { 'customers C-1': { id: customerId, country: 'KE' } } },
    ],
    [
      'that is only in the same import',
      { ...without(nowhere, 'customer_id'), customer_external_id: 'C-1' },
      { objects: { 'customers C-1': { id: null, country: 'KE' } } },
    ],
  ])('is the customer’s where nothing else determines it, %s', (_, values, known) => {
    expect(findingsOf(check(values, known))).toEqual([]);
  });

  it('is the country of the currency where nothing else determines it', () => {
    expect(findingsOf(check(nowhere))).toEqual([]);
    expect(findingsOf(check({ ...nowhere, institution_name: 'Nowhere Bank', institution_id: '' }))).toEqual([
      'institution_name: institution_unknown',
    ]);
  });

  it('is the currency’s too where the phone that would determine it has a finding, so that all findings come at once', () => {
    const names = { institution_id: '', institution_name: 'Nowhere Money', institution_country: '' };
    expect(findingsOf(check({ ...wallet, ...names, phone_number: '07' }))).toEqual([
      'phone_number: invalid_phone',
      'institution_name: institution_unknown',
    ]);
  });

  it('is required where nothing determines it', () => {
    const shared = { currency: 'USD' };
    expect(findingsOf(check({ ...nowhere, ...shared }))).toEqual(['institution_country: required']);
    expect(findingsOf(check({ ...wallet, ...shared, phone_number: '+15555555555' }))).toEqual([
      'institution_country: required',
    ]);
    expect(
      findingsOf(
        check(
          { ...nowhere, ...shared, customer_external_id: 'C-1' },
          { objects: { 'customers C-1': { id: customerId, country: null } } },
        ),
      ),
    ).toEqual(['institution_country: required']);
  });

  it('is not asked for while the customer has a finding', () => {
    const row = check({ ...without(nowhere, 'customer_id'), customer_external_id: 'C-9' });
    expect(findingsOf(row)).toEqual(['customer_external_id: customer_unknown']);
  });

  it('is not guessed while its own value has a finding', () => {
    expect(findingsOf(check({ ...wallet, institution_country: 'Kenya' }))).toEqual([
      'institution_country: invalid_country',
    ]);
  });

  it('throws where its institutions were not looked up: that is a bug, not a finding', () => {
    expect(() => check({ ...bank, institution_country: 'TZ' })).toThrow('TZ');
  });
});

describe('the institution of a collection', () => {
  const collection = { ...validRows.collections, institution_name: 'M-Pesa' };

  function checkCollection(values: Values) {
    return checkNamed('collections', values);
  }

  it.each([
    ['a provider', collection, []],
    [
      'a bank for mobile money',
      { ...collection, institution_name: 'Equity Bank' },
      ['institution_name: institution_type_mismatch'],
    ],
    ['a bank for another method', { ...collection, institution_name: 'Equity Bank', methods: 'bank' }, []],
    [
      'a bank for several methods',
      { ...collection, institution_name: 'Equity Bank', methods: 'bank;mobile_money' },
      ['institution_name: institution_type_mismatch'],
    ],
    ['another currency', { ...collection, currency: 'USD' }, ['currency: currency_mismatch']],
    ['too little', { ...collection, amount: '1' }, ['amount: below_minimum']],
    ['too much', { ...collection, amount: '150001' }, ['amount: above_maximum']],
    [
      'none of that name',
      { ...collection, institution_name: 'X' },
      ['institution_name: institution_unknown'],
    ],
    ['no institution', validRows.collections, []],
  ])('%s', (_, values, expected) => {
    expect(findingsOf(checkCollection(values))).toEqual(expected);
  });

  it('serves the check only, and is never sent', () => {
    const row = checkCollection(collection);
    expect(row.definition?.body(row.record)).not.toHaveProperty('institution_id');
    expect(row.record['institution_id']).toBeUndefined();
    expect(checkCollection(validRows.collections).notes).toEqual([]);
  });
});
