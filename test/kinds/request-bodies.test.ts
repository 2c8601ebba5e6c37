import { describe, expect, it } from 'vitest';
import { allDefinitions } from '../../src/kinds/registry.ts';
import {
  accountId,
  bankId,
  checkNamed,
  checkRow,
  customerId,
  type DefinitionName,
  kindOf,
  type Values,
  validRows,
  walletId,
  without,
} from './rows.ts';

function bodyOf(name: DefinitionName, values: Values): string {
  const { definition, record } = checkNamed(kindOf(name), values);
  return JSON.stringify(definition?.body(record));
}

const fullCustomer = {
  external_id: 'C-1',
  first_name: 'Amina',
  middle_name: 'W',
  last_name: 'Otieno',
  email: 'a@example.com',
  phone: '+254 712 345678',
  gender: 'male',
  date_of_birth: '1990-01-31',
  address_line1: '12 Moi Avenue',
  address_line2: 'Floor 3',
  city: 'Nairobi',
  state: 'ke-30',
  country: 'ke',
  postal_code: '00100',
};

describe('request bodies have the specified fields in their order, and nothing else', () => {
  it.each<[DefinitionName, Values, unknown]>([
    [
      'customers',
      fullCustomer,
      {
        first_name: 'Amina',
        middle_name: 'W',
        last_name: 'Otieno',
        email: 'a@example.com',
        phone: '+254712345678',
        type: 'individual',
        gender: 'male',
        date_of_birth: '1990-01-31',
        external_id: 'C-1',
        address: {
          address_line1: '12 Moi Avenue',
          address_line2: 'Floor 3',
          city: 'Nairobi',
          state: 'KE-30',
          country: 'KE',
          postal_code: '00100',
        },
      },
    ],
    [
      'customers',
      { first_name: 'Amina', last_name: 'Otieno', email: '', city: ' ' },
      { first_name: 'Amina', last_name: 'Otieno', type: 'individual' },
    ],
    [
      'customers',
      { first_name: 'Amina', last_name: 'Otieno', country: 'KE' },
      { first_name: 'Amina', last_name: 'Otieno', type: 'individual', address: { country: 'KE' } },
    ],
    [
      'accounts',
      validRows.accounts,
      {
        currency: 'USD',
        type: 'regular',
        blockchain_network: 'polygon',
        label: 'Main',
        customer_id: customerId,
      },
    ],
    [
      'recipients/bank_account_us',
      validRows['recipients/bank_account_us'],
      {
        payee_type: 'bank_account_us',
        account_number: '000123456789',
        account_name: 'Amina Otieno',
        bank_name: 'Chase',
        currency: 'USD',
        customer_id: customerId,
        routing_number: '021000021',
        account_owner_type: 'individual',
        account_type: 'savings',
        address: {
          address_line1: '1 Main Street',
          state: 'US-CA',
          country: 'US',
          postal_code: '94103',
          city: 'San Francisco',
        },
      },
    ],
    [
      'recipients/bank_account',
      { ...validRows['recipients/bank_account'], city: 'Nairobi', account_type: 'savings' },
      {
        payee_type: 'bank_account',
        currency: 'KES',
        account_number: '0110123456789',
        account_name: 'Amina Otieno',
        bank_name: 'Equity',
        institution_id: bankId,
        customer_id: customerId,
      },
    ],
    [
      'recipients/mobile_money',
      validRows['recipients/mobile_money'],
      {
        payee_type: 'mobile_money',
        phone_number: '+254712345678',
        account_name: 'Amina Otieno',
        bank_name: 'M-Pesa',
        currency: 'KES',
        customer_id: customerId,
        institution_id: walletId,
      },
    ],
    [
      'recipients/mobile_money',
      { ...without(validRows['recipients/mobile_money'], 'phone_number'), account_number: '+254712345678' },
      {
        payee_type: 'mobile_money',
        phone_number: '+254712345678',
        account_name: 'Amina Otieno',
        bank_name: 'M-Pesa',
        currency: 'KES',
        customer_id: customerId,
        institution_id: walletId,
      },
    ],
    [
      'recipients/sepa',
      { ...validRows['recipients/sepa'], state: 'DE-BE' },
      {
        payee_type: 'sepa',
        account_owner_type: 'individual',
        iban: 'DE89370400440532013000',
        account_name: 'Amina Otieno',
        bank_name: 'Commerzbank',
        currency: 'EUR',
        customer_id: customerId,
        address: { address_line1: 'Hauptstr. 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
      },
    ],
    [
      'collections',
      {
        ...validRows.collections,
        client_customer_id: 'C-1',
        methods: 'mobile_money; card',
        institution_name: 'M-Pesa',
      },
      {
        amount: '1500.00',
        currency: 'KES',
        country: 'KE',
        customer_id: customerId,
        client_customer_id: 'C-1',
        client_reference: 'INV-1',
        source: { source_type: 'external', methods: ['mobile_money', 'card'] },
        destination: { id: accountId, destination_type: 'internal_account' },
      },
    ],
    [
      'collections',
      validRows.collections,
      {
        amount: '1500.00',
        currency: 'KES',
        country: 'KE',
        customer_id: customerId,
        client_reference: 'INV-1',
        source: { source_type: 'external', methods: ['mobile_money'] },
        destination: { id: accountId, destination_type: 'internal_account' },
      },
    ],
  ])('%s, case %#', (name, values, body) => {
    expect(bodyOf(name, values)).toBe(JSON.stringify(body));
  });

  it.each([
    ['customers', '/v1/customers'],
    ['accounts', '/v1/accounts'],
    ['recipients/bank_account_us', '/v1/external-accounts'],
    ['recipients/bank_account', '/v1/external-accounts'],
    ['recipients/mobile_money', '/v1/external-accounts'],
    ['recipients/sepa', '/v1/external-accounts'],
    ['collections', '/v1/collections'],
  ])('%s go to %s', (name, path) => {
    expect(allDefinitions.find((definition) => definition.name === name)?.path).toBe(path);
  });
});

function keyOf(name: DefinitionName, values: Values): string {
  const { definition, record } = checkRow(kindOf(name), values);
  return JSON.stringify(definition?.naturalKey(record));
}

describe('the natural key says what makes an object the same', () => {
  const person = { first_name: 'Amina', last_name: 'Otieno' };

  it.each<[Values, unknown]>([
    [fullCustomer, ['external_id', 'C-1']],
    [without(fullCustomer, 'external_id'), ['email', 'a@example.com']],
    [{ ...person, email: 'A@Example.COM' }, ['email', 'a@example.com']],
    [without(fullCustomer, 'external_id', 'email'), ['phone', '+254712345678']],
    [without(fullCustomer, 'external_id', 'email', 'phone'), ['name', 'amina', 'w', 'otieno', '1990-01-31']],
    [{ first_name: 'AMINA', last_name: 'Otieno  Odhiambo' }, ['name', 'amina', '', 'otieno odhiambo', '']],
  ])('of customers, case %#', (values, key) => {
    expect(keyOf('customers', values)).toBe(JSON.stringify(key));
  });

  it.each<[DefinitionName, readonly string[], readonly string[]]>([
    ['accounts', ['customer_id', 'currency', 'blockchain_network', 'type', 'label'], []],
    [
      'recipients/bank_account_us',
      ['customer_id', 'account_number', 'routing_number', 'currency'],
      ['account_name', 'bank_name', 'city'],
    ],
    [
      'recipients/bank_account',
      ['customer_id', 'account_number', 'institution_id', 'currency'],
      ['account_name', 'amount', 'institution_country', 'bank_name'],
    ],
    [
      'recipients/mobile_money',
      ['customer_id', 'phone_number', 'institution_id', 'currency'],
      ['account_name', 'amount'],
    ],
    ['recipients/sepa', ['customer_id', 'iban', 'currency'], ['account_name', 'bank_name', 'country']],
    ['collections', ['client_reference'], ['amount', 'currency', 'customer_id', 'destination_id']],
  ])('of %s is made of %j, and not of %j', (name, parts, others) => {
    const { definition, record } = checkRow(kindOf(name), validRows[name]);
    const key = JSON.stringify(definition?.naturalKey(record));
    for (const field of parts) {
      expect(JSON.stringify(definition?.naturalKey({ ...record, [field]: 'other' })), field).not.toBe(key);
    }
    for (const field of others) {
      expect(JSON.stringify(definition?.naturalKey({ ...record, [field]: 'other' })), field).toBe(key);
    }
  });

  it.each([
    ['recipients/bank_account', '00035-81114436-46', '000358111443646'],
    ['recipients/bank_account_us', '40 001 000', '40001000'],
  ] as const)(
    'of %s is the same for a number with hyphens or blanks, and another one for other digits',
    (name, one, other) => {
      const { definition, record } = checkRow(kindOf(name), validRows[name]);
      const keyOf = (number: string) =>
        JSON.stringify(definition?.naturalKey({ ...record, account_number: number }));
      expect(keyOf(one)).toBe(keyOf(other));
      expect(keyOf(one)).not.toBe(keyOf(`${other}1`));
    },
  );

  it('is the same however the values are written', () => {
    const sepa = validRows['recipients/sepa'];
    const spaced = {
      ...sepa,
      iban: 'de89 3704 0044 0532 0130 00',
      currency: 'eur',
      customer_id: customerId.toUpperCase(),
    };
    expect(keyOf('recipients/sepa', spaced)).toBe(keyOf('recipients/sepa', sepa));
  });

  it('names the customer by the external id while the id is not known', () => {
    const values = { ...without(validRows.accounts, 'customer_id'), customer_external_id: 'C-1' };
    expect(keyOf('accounts', values)).toContain('external:C-1');
  });
});

describe('handles are how other rows refer to an object', () => {
  it.each<[DefinitionName, Values, string | undefined]>([
    ['customers', validRows.customers, 'C-1'],
    ['customers', without(validRows.customers, 'external_id'), undefined],
    ['accounts', validRows.accounts, `["${customerId}","Main"]`],
    [
      'accounts',
      { ...without(validRows.accounts, 'customer_id'), customer_external_id: 'C-1' },
      '["external:C-1","Main"]',
    ],
    ['recipients/sepa', validRows['recipients/sepa'], undefined],
    ['collections', validRows.collections, undefined],
  ])('%s, case %#', (name, values, handle) => {
    const { definition, record } = checkRow(kindOf(name), values);
    expect(definition?.handle(record)).toBe(handle);
  });

  it('a collection refers to the handle that its account has', () => {
    const account = checkRow('accounts', {
      ...without(validRows.accounts, 'customer_id'),
      customer_external_id: 'C-1',
    });
    const collection = checkRow('collections', {
      ...without(validRows.collections, 'customer_id', 'destination_id'),
      customer_external_id: 'C-1',
      destination_label: 'Main',
    });
    const [, destination] = collection.definition?.references ?? [];
    expect(destination?.handle(collection.record)).toBe(account.definition?.handle(account.record));
  });
});

describe('echoes', () => {
  it('name fields that the body sends, at top level', () => {
    for (const name of Object.keys(validRows) as DefinitionName[]) {
      const { definition, record } = checkNamed(kindOf(name), validRows[name]);
      const body = definition?.body(record) ?? {};
      const given = (definition?.echoes ?? []).filter(({ field }) => record[field] !== undefined);
      for (const { field } of given) expect(body, name).toHaveProperty(field);
    }
  });

  it.each([
    ['customers', 'external_id', 'text'],
    ['recipients/sepa', 'iban', 'account'],
    ['recipients/mobile_money', 'phone_number', 'phone'],
    ['recipients/bank_account', 'account_number', 'account'],
    ['recipients/bank_account_us', 'account_number', 'account'],
    ['collections', 'client_reference', 'text'],
    ['collections', 'amount', 'amount'],
    ['collections', 'currency', 'code'],
    ['accounts', 'customer_id', 'uuid'],
  ])('%s: %s must not be contradicted', (name, field, as) => {
    const definition = allDefinitions.find((candidate) => candidate.name === name);
    expect(definition?.echoes).toContainEqual({ field, as });
  });
});
