import { describe, expect, it } from 'vitest';
import { noteText } from '../../../src/domain/rows/finding.ts';
import { textOf } from '../../support/messages.ts';
import {
  checkNamed,
  checkRow,
  type DefinitionName,
  findings,
  findingsOf,
  kindOf,
  notes,
  type Values,
  validRows,
  without,
} from '../rows.ts';

describe('what a payee type does not use', () => {
  const unused: Readonly<Record<string, readonly string[]>> = {
    'recipients/bank_account_us': ['phone_number', 'iban', 'institution_id', 'institution_name'],
    'recipients/bank_account': ['phone_number', 'iban', 'routing_number'],
    'recipients/mobile_money': ['iban', 'routing_number'],
    'recipients/sepa': [
      'account_number',
      'phone_number',
      'routing_number',
      'institution_id',
      'institution_name',
    ],
  };
  const unusedCases = Object.entries(unused).flatMap(([name, fields]) =>
    fields.map((field) => [name as DefinitionName, field] as const),
  );
  it.each(unusedCases)('%s: a value in %s is unexpected', (name, field) => {
    expect(findings(name, { [field]: '+254712345678' })).toEqual([`${field}: unexpected_value`]);
  });

  const notSent: Readonly<Record<string, readonly string[]>> = {
    'recipients/bank_account_us': ['institution_country', 'amount'],
    'recipients/bank_account': [
      'account_owner_type',
      'account_type',
      'address_line1',
      'city',
      'state',
      'country',
      'postal_code',
    ],
    'recipients/mobile_money': [
      'account_owner_type',
      'account_type',
      'address_line1',
      'city',
      'state',
      'country',
      'postal_code',
    ],
    'recipients/sepa': ['account_type', 'institution_country', 'amount', 'state'],
  };
  const notSentCases = Object.entries(notSent).flatMap(([name, fields]) =>
    fields.map((field) => [name as DefinitionName, field] as const),
  );
  it.each(notSentCases)('%s: a value in %s is not sent, and a note says so', (name, field) => {
    const value = field === 'amount' ? '12.50' : 'anything';
    const row = checkRow('recipients', { ...validRows[name], [field]: value });
    expect(findingsOf(row)).toEqual([]);
    expect(row.notes.map(noteText)).toEqual([`not sent: ${field}`]);
    expect(row.record[field]).toBe(field === 'amount' ? value : undefined);
  });
  it.each(['-150.00', '0', '(150.00)', 'later'])(
    'an amount of %s is refused although it is not sent',
    (amount) => {
      const row = checkRow('recipients', { ...validRows['recipients/sepa'], amount });
      expect(findingsOf(row)).toEqual(['amount: invalid_amount']);
    },
  );
});

describe('open sets let other values pass with a note', () => {
  it.each([
    ['customers', 'type', 'individual', 'business'],
    ['customers', 'gender', 'male', 'female'],
    ['accounts', 'type', 'regular', 'savings'],
    ['accounts', 'blockchain_network', 'polygon', 'base'],
    ['recipients/bank_account_us', 'account_type', 'savings', 'checking'],
    ['recipients/bank_account_us', 'account_owner_type', 'individual', 'business'],
    ['recipients/sepa', 'account_owner_type', 'individual', 'business'],
    ['collections', 'source_type', 'external', 'internal'],
    ['collections', 'destination_type', 'internal_account', 'wallet'],
    ['collections', 'methods', 'mobile_money', 'mobile_money;card'],
  ] as const)('%s %s: %s is known, %s is not', (name, field, seen, unseen) => {
    expect(notes(name, { [field]: seen })).toEqual([]);
    const row = checkRow(kindOf(name), { ...validRows[name], [field]: unseen });
    expect(findingsOf(row)).toEqual([]);
    expect(row.notes.map(noteText)).toEqual([`unseen value: ${field}`]);
    expect(row.record[field]).toBe(unseen);
  });
});

describe('the payee type', () => {
  it.each([
    ['bank_acount', 'did you mean bank_account?'],
    ['SEPA', 'did you mean sepa?'],
    ['mobile money', 'did you mean mobile_money?'],
  ])('%s is not known: %s', (payeeType, advice) => {
    const row = checkRow('recipients', { ...validRows['recipients/sepa'], payee_type: payeeType });
    expect(findingsOf(row)).toEqual(['payee_type: unknown_value']);
    expect(textOf(row.findings[0])).toContain(advice);
    expect(row.definition).toBeNull();
  });

  it('is required, and without it only what holds for every value is checked', () => {
    const values = { payee_type: '', account_name: 'a\nb', iban: 'nonsense', bank_name: '#REF!' };
    expect(findingsOf(checkRow('recipients', values))).toEqual([
      'payee_type: required',
      'account_name: invalid_characters',
      'bank_name: spreadsheet_error',
    ]);
    expect(findingsOf(checkRow('recipients', { account_name: 'A' }))).toEqual(['payee_type: required']);
  });

  it('that is not known hides nothing about an institution, which a row of it has to have', () => {
    const values = { ...validRows['recipients/bank_account'], payee_type: 'bank', amount: '0.5' };
    expect(findingsOf(checkNamed('recipients', values))).toEqual([
      'payee_type: unknown_value',
      'amount: below_minimum',
    ]);
    const unnamed = { ...without(values, 'institution_id'), institution_name: 'Equty', currency: '' };
    const row = checkNamed('recipients', unnamed);
    expect(findingsOf(row)).toEqual([
      'payee_type: unknown_value',
      'currency: required',
      'institution_name: institution_unknown',
    ]);
    expect(row.definition).toBeNull();
  });

  it('may be a constant or a translation of the mapping', () => {
    const values = without(validRows['recipients/sepa'], 'payee_type');
    expect(findingsOf(checkRow('recipients', values, { constants: { payee_type: 'sepa' } }))).toEqual([]);
    const translated = { ...validRows['recipients/sepa'], payee_type: 'Euro' };
    expect(
      findingsOf(checkRow('recipients', translated, { translations: { payee_type: { Euro: 'sepa' } } })),
    ).toEqual([]);
  });
});

describe('mobile money’s account number', () => {
  const values = without(validRows['recipients/mobile_money'], 'phone_number');

  it('serves as phone number when that is empty', () => {
    const row = checkRow('recipients', { ...values, account_number: '+254 712 345 678', phone_number: '' });
    expect(findingsOf(row)).toEqual([]);
    expect(row.record['phone_number']).toBe('+254712345678');
    expect(row.notes).toEqual(['account_number serves as phone number: phone_number is empty']);
  });

  it.each<[Values, readonly string[]]>([
    [{ account_number: '0712345678' }, ['phone_number: required']],
    [{ account_number: '+254712345678', phone_number: '+254712345678' }, []],
    [{ account_number: '+254 712-345-678', phone_number: '+254712345678' }, []],
    [
      { account_number: '+254712345679', phone_number: '+254712345678' },
      ['account_number: conflicting_values'],
    ],
    [{ account_number: '12345', phone_number: '+254712345678' }, ['account_number: conflicting_values']],
    [{ account_number: '1E+11' }, ['account_number: damaged_number']],
    [{ account_number: '0712', phone_number: '0712' }, ['phone_number: invalid_phone']],
  ])('%j: %j', (change, expected) => {
    expect(findingsOf(checkRow('recipients', { ...values, ...change }))).toEqual(expected);
  });
});
