import { describe, expect, it } from 'vitest';
import {
  checkRow,
  type DefinitionName,
  definitionNames,
  findings,
  findingsOf,
  kindOf,
  validRows,
  without,
} from '../rows.ts';

const required: Readonly<Record<DefinitionName, readonly string[]>> = {
  customers: ['first_name', 'last_name'],
  accounts: ['customer_id', 'currency', 'blockchain_network', 'label'],
  'recipients/bank_account_us': Object.keys(validRows['recipients/bank_account_us']),
  'recipients/bank_account': [
    'payee_type',
    'customer_id',
    'account_name',
    'account_number',
    'currency',
    'institution_id',
  ],
  'recipients/mobile_money': [
    'payee_type',
    'customer_id',
    'account_name',
    'phone_number',
    'currency',
    'institution_id',
  ],
  'recipients/sepa': Object.keys(validRows['recipients/sepa']),
  collections: ['client_reference', 'amount', 'currency', 'country', 'customer_id', 'destination_id'],
};

describe('an empty required value is a finding', () => {
  const cases = definitionNames.flatMap((name) => required[name].map((field) => [name, field] as const));
  it.each(cases)('%s: %s', (name, field) => {
    expect(findings(name, { [field]: ' ' })).toContain(`${field}: required`);
  });

  it.each(cases.filter(([, field]) => field !== 'payee_type'))(
    '%s: %s, where the file has no such column',
    (name, field) => {
      const row = checkRow(kindOf(name), without(validRows[name], field));
      expect(findingsOf(row)).toContain(`${field}: required`);
    },
  );

  it.each([
    ['customers', 'external_id'],
    ['recipients/bank_account', 'bank_name'],
    ['recipients/bank_account', 'amount'],
    ['recipients/mobile_money', 'bank_name'],
  ] as const)('%s can do without %s', (name, field) => {
    expect(findings(name, { [field]: '' })).toEqual([]);
  });

  it.each([
    ['accounts', 'customer_id', 'customer_external_id'],
    ['recipients/sepa', 'customer_id', 'customer_external_id'],
    ['recipients/bank_account', 'institution_id', 'institution_name'],
    ['collections', 'destination_id', 'destination_label'],
    ['collections', 'customer_id', 'customer_external_id'],
  ] as const)('%s: instead of %s, %s will do', (name, field, other) => {
    expect(findings(name, { [field]: '', [other]: 'X' })).toEqual([]);
    const row = checkRow(kindOf(name), { ...without(validRows[name], field), [other]: '' });
    expect(findingsOf(row)).toEqual([`${other}: required`]);
  });

  it('does not add to a finding that the value has already', () => {
    expect(findings('accounts', { customer_id: 'X' })).toEqual(['customer_id: invalid_uuid']);
  });
});

describe('defaults replace empty values', () => {
  it.each([
    ['customers', 'type', 'individual'],
    ['accounts', 'type', 'regular'],
    ['collections', 'source_type', 'external'],
    ['collections', 'methods', 'mobile_money'],
    ['collections', 'destination_type', 'internal_account'],
  ] as const)('%s: %s is %s', (name, field, value) => {
    expect(checkRow(kindOf(name), validRows[name]).record[field]).toBe(value);
    expect(checkRow(kindOf(name), { ...validRows[name], [field]: '' }).record[field]).toBe(value);
    expect(checkRow(kindOf(name), { ...validRows[name], [field]: 'other' }).record[field]).toBe('other');
  });
});

describe('a customer’s country', () => {
  it.each(['address_line1', 'address_line2', 'city', 'postal_code'])(
    'is required once %s is given',
    (field) => {
      expect(findings('customers', { [field]: 'X' })).toEqual(['country: required']);
      const value = field === 'postal_code' ? '00100' : 'X';
      expect(findings('customers', { [field]: value, country: 'KE' })).toEqual([]);
    },
  );

  it('is required once a state is given', () => {
    expect(findings('customers', { state: 'KE-30' })).toEqual(['country: required']);
  });

  it('is not reported missing when it is wrong', () => {
    expect(findings('customers', { city: 'London', country: 'UK' })).toEqual(['country: invalid_country']);
  });
});
