import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type OptionDefinition, sharedOptions } from '../../src/cli/options/options.ts';
import {
  allDefinitions,
  columnsOf,
  definitionFor,
  definitionsOf,
  fieldForHeader,
  kinds,
  normaliseHeader,
  ownReferenceOf,
  requiredColumns,
} from '../../src/kinds/registry.ts';

describe('the registry', () => {
  it('lists the definition of every payee type', () => {
    const folder = new URL('../../src/kinds/recipients/', import.meta.url);
    const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
    const defined = [...texts.join('\n').matchAll(/ = recipient\(\{\s+payeeType: '(\w+)'/g)];
    expect(defined.length).toBeGreaterThan(0);
    const listed = definitionsOf('recipients').map(({ payeeType }) => payeeType ?? '');
    expect(listed.sort()).toEqual(defined.map(([, payeeType = '']) => payeeType).sort());
  });

  it('names each definition once, after its kind and payee type', () => {
    for (const { name, kind, payeeType } of allDefinitions) {
      expect(name).toBe(payeeType === null ? kind : `${kind}/${payeeType}`);
    }
    expect(new Set(allDefinitions.map(({ name }) => name)).size).toBe(allDefinitions.length);
  });

  it('has one reference by which people know the rows of a kind, which is one of its columns', () => {
    for (const kind of kinds) expect(columnsOf(kind)).toContain(ownReferenceOf(kind));
  });

  it('has a definition for each kind', () => {
    for (const kind of kinds) expect(definitionsOf(kind).length).toBeGreaterThan(0);
    expect(definitionFor('recipients', 'sepa')?.name).toBe('recipients/sepa');
    expect(definitionFor('recipients', 'cheque')).toBeUndefined();
    expect(definitionFor('customers', null)?.name).toBe('customers');
  });
});

describe('columnsOf gives the public columns in their order', () => {
  it.each([
    [
      'customers',
      'external_id first_name middle_name last_name email phone type gender date_of_birth address_line1 address_line2 city state country postal_code',
    ],
    ['accounts', 'customer_id customer_external_id currency type blockchain_network label'],
    [
      'recipients',
      'payee_type customer_id customer_external_id account_name account_number phone_number iban routing_number bank_name currency account_owner_type account_type institution_id institution_name institution_country amount address_line1 city state country postal_code',
    ],
    [
      'collections',
      'client_reference amount currency country customer_id customer_external_id client_customer_id source_type methods destination_id destination_label destination_type institution_id institution_name',
    ],
  ] as const)('%s', (kind, columns) => {
    expect(columnsOf(kind)).toEqual(columns.split(' '));
  });
});

describe('requiredColumns gives what every row of a kind needs', () => {
  it.each([
    ['customers', [['first_name'], ['last_name']]],
    ['accounts', [['customer_id', 'customer_external_id'], ['currency'], ['blockchain_network'], ['label']]],
    ['recipients', [['payee_type'], ['customer_id', 'customer_external_id'], ['account_name'], ['currency']]],
    [
      'collections',
      [
        ['client_reference'],
        ['amount'],
        ['currency'],
        ['country'],
        ['customer_id', 'customer_external_id'],
        ['destination_id', 'destination_label'],
      ],
    ],
  ] as const)('%s', (kind, groups) => {
    expect(requiredColumns(kind)).toEqual(groups);
  });
});

describe('headers are matched without regard to case, spaces, hyphens and underscores', () => {
  it.each([
    ['customers', 'First Name', 'first_name'],
    ['customers', 'FIRST-NAME', 'first_name'],
    ['customers', 'firstName', 'first_name'],
    ['customers', ' e-mail ', 'email'],
    ['customers', 'Date\u00a0of\u2011Birth', 'date_of_birth'],
    ['customers', '\ufeffexternal_id', 'external_id'],
    ['recipients', 'Payee Type', 'payee_type'],
    ['recipients', 'address line 1', 'address_line1'],
    ['customers', 'iban', undefined],
    ['customers', 'first.name', undefined],
    ['customers', '', undefined],
  ] as const)('%s %j: %s', (kind, title, field) => {
    expect(fieldForHeader(kind, title)).toBe(field);
  });

  it('and of how accents are encoded, for the columns that a mapping names', () => {
    expect(normaliseHeader('Cafe\u0301')).toBe(normaliseHeader('CAFÉ'));
  });
});

it('is what the help offers for --kind', async () => {
  const option: OptionDefinition | undefined = sharedOptions.find(({ name }) => name === 'kind');
  const choices = typeof option?.choices === 'function' ? await option.choices() : option?.choices;
  expect(choices).toEqual(kinds);
});
