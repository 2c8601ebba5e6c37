import { describe, expect, it } from 'vitest';
import type { CellKind } from '../../../src/domain/tables/table.ts';
import { type DefinitionName, definitionNames, findings, type RowOptions, validRows } from '../rows.ts';

describe('spreadsheet damage', () => {
  const identifiers: readonly (readonly [DefinitionName, string])[] = [
    ['customers', 'external_id'],
    ['customers', 'phone'],
    ['accounts', 'customer_external_id'],
    ['recipients/bank_account_us', 'account_number'],
    ['recipients/bank_account_us', 'routing_number'],
    ['recipients/bank_account_us', 'postal_code'],
    ['recipients/bank_account', 'account_number'],
    ['recipients/mobile_money', 'phone_number'],
    ['recipients/mobile_money', 'account_number'],
    ['recipients/sepa', 'iban'],
    ['collections', 'client_reference'],
    ['collections', 'client_customer_id'],
  ];
  it.each(identifiers)('%s %s', (name, field) => {
    expect(findings(name, { [field]: '1.23457E+11' })).toEqual([`${field}: damaged_number`]);
    expect(findings(name, { [field]: '123456' }, { kinds: { [field]: 'number' } })).toEqual([
      `${field}: damaged_number`,
    ]);
  });

  it.each<[DefinitionName, string, string, CellKind]>([
    ['collections', 'amount', '1500', 'number'],
    ['accounts', 'label', '2026', 'number'],
    ['customers', 'date_of_birth', '1990-01-31', 'date'],
    ['recipients/bank_account_us', 'routing_number', '021000021', 'shown_number'],
  ])('is not seen in %s %s %s (%s)', (name, field, text, kind) => {
    expect(findings(name, { [field]: text }, { kinds: { [field]: kind } })).toEqual([]);
  });

  it('is accepted for short whole numbers where the mapping says so', () => {
    const options: RowOptions = {
      kinds: { account_number: 'number' },
      reading: { numericIdentifiers: 'accept' },
    };
    expect(findings('recipients/bank_account', { account_number: '123456789012345' }, options)).toEqual([]);
    expect(findings('recipients/bank_account', { account_number: '1234567890123456' }, options)).toEqual([
      'account_number: damaged_number',
    ]);
  });

  it('does not matter in a value that is not sent or that the mapping translates', () => {
    expect(findings('recipients/bank_account', { postal_code: '1.23457E+11' })).toEqual([]);
    expect(
      findings('customers', { external_id: '1.0' }, { translations: { external_id: { '1.0': 'C-1' } } }),
    ).toEqual([]);
  });

  it.each(definitionNames)('%s: an error of a formula is one in every column', (name) => {
    for (const field of Object.keys(validRows[name]).filter((candidate) => candidate !== 'payee_type')) {
      expect(findings(name, { [field]: '#N/A' })).toEqual([`${field}: spreadsheet_error`]);
      expect(findings(name, { [field]: '' }, { kinds: { [field]: 'formula_without_value' } })).toEqual([
        `${field}: spreadsheet_error`,
      ]);
    }
  });
});
