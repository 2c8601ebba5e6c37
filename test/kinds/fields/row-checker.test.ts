import { describe, expect, it } from 'vitest';
import { noteText } from '../../../src/domain/rows/finding.ts';
import {
  checkRow,
  type DefinitionName,
  definitionNames,
  findings,
  findingsOf,
  kindOf,
  notes,
  type Values,
  validRows,
  without,
} from '../rows.ts';

describe('valid rows', () => {
  it.each(definitionNames)('of %s have no findings and no notes', (name) => {
    const row = checkRow(kindOf(name), validRows[name]);
    expect(findingsOf(row)).toEqual([]);
    expect(row.notes).toEqual([]);
    expect(row.definition?.name).toBe(name);
  });
});

describe('values are checked by the type of their column', () => {
  it.each<[DefinitionName, Values, string]>([
    ['customers', { email: 'ada' }, 'email: invalid_email'],
    ['customers', { phone: '0712345678' }, 'phone: invalid_phone'],
    ['customers', { date_of_birth: '31.01.1990' }, 'date_of_birth: invalid_date'],
    ['customers', { date_of_birth: '2026-11-21' }, 'date_of_birth: date_in_future'],
    ['customers', { date_of_birth: '1899-12-31' }, 'date_of_birth: date_too_early'],
    ['customers', { country: 'UK' }, 'country: invalid_country'],
    ['customers', { country: 'KE', state: 'Nairobi' }, 'state: invalid_state'],
    ['customers', { country: 'KE', state: 'US-CA' }, 'state: invalid_state'],
    ['accounts', { currency: 'USDC' }, 'currency: invalid_currency'],
    ['accounts', { customer_id: '12' }, 'customer_id: invalid_uuid'],
    ['recipients/bank_account_us', { account_number: '123' }, 'account_number: invalid_account_number'],
    [
      'recipients/bank_account_us',
      { account_number: '123456789012345678' },
      'account_number: invalid_account_number',
    ],
    ['recipients/bank_account_us', { account_number: '1234-5678' }, 'account_number: invalid_account_number'],
    ['recipients/bank_account_us', { routing_number: '021000022' }, 'routing_number: invalid_routing_number'],
    ['recipients/bank_account_us', { currency: 'EUR' }, 'currency: currency_mismatch'],
    ['recipients/bank_account_us', { state: 'KE-30' }, 'state: invalid_state'],
    ['recipients/bank_account', { institution_id: 'x' }, 'institution_id: invalid_uuid'],
    ['recipients/bank_account', { institution_country: 'Kenya' }, 'institution_country: invalid_country'],
    ['recipients/bank_account', { amount: '1,500' }, 'amount: invalid_amount'],
    ['recipients/bank_account', { amount: '15.005' }, 'amount: too_many_decimals'],
    ['recipients/mobile_money', { phone_number: '0712345678' }, 'phone_number: invalid_phone'],
    ['recipients/mobile_money', { currency: 'UGX', amount: '0.5' }, 'amount: too_many_decimals'],
    ['recipients/sepa', { iban: 'DE89370400440532013001' }, 'iban: invalid_iban'],
    ['recipients/sepa', { iban: 'TR330006100519786457841326' }, 'iban: not_sepa_country'],
    ['recipients/sepa', { currency: 'USD' }, 'currency: currency_mismatch'],
    ['collections', { amount: '-5' }, 'amount: invalid_amount'],
    ['collections', { amount: '0.001' }, 'amount: too_many_decimals'],
    ['collections', { country: 'Kenya' }, 'country: invalid_country'],
    ['collections', { destination_id: 'main' }, 'destination_id: invalid_uuid'],
  ])('%s %j: %s', (name, change, expected) => {
    expect(findings(name, change)).toEqual([expected]);
  });

  it('brings values into their canonical form', () => {
    const { record } = checkRow('recipients', {
      ...validRows['recipients/sepa'],
      customer_id: '3F2B6C1E-8A57-4D0B-9C36-5B1F0E7A2D94',
      iban: 'de89 3704 0044 0532 0130 00',
      currency: 'eur',
      country: 'de',
      account_name: '\u00a0Zoe\u0308 ',
    });
    expect(record).toMatchObject({
      customer_id: '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94',
      iban: 'DE89370400440532013000',
      currency: 'EUR',
      country: 'DE',
      account_name: 'Zoë',
    });
    expect(
      checkRow('collections', { ...validRows.collections, amount: '100.00', currency: 'JPY' }).record[
        'amount'
      ],
    ).toBe('100');
    expect(
      checkRow('collections', { ...validRows.collections, methods: ' a ; b;;a ' }).record['methods'],
    ).toBe('a;b');
  });

  it('notes what may be right', () => {
    expect(notes('customers', { country: 'US', state: 'US-ZZ' })).toEqual(['unknown subdivision: state']);
    expect(notes('customers', { phone: '+15555555555' })).toEqual([
      'possible but not valid by the numbering plan: phone',
    ]);
  });
});

describe('a row’s findings', () => {
  it('are all there, in the order of the file’s columns, those between fields last', () => {
    const values = {
      currency: 'USD',
      iban: 'TR330006100519786457841326',
      country: 'Germany',
      payee_type: 'sepa',
      account_name: '',
      phone_number: '+254712345678',
      city: 'x'.repeat(256),
      customer_id: 'x',
    };
    expect(findingsOf(checkRow('recipients', values))).toEqual([
      'country: invalid_country',
      'account_name: required',
      'phone_number: unexpected_value',
      'city: too_long',
      'customer_id: invalid_uuid',
      'bank_name: required',
      'account_owner_type: required',
      'address_line1: required',
      'postal_code: required',
      'iban: not_sepa_country',
      'currency: currency_mismatch',
    ]);
  });

  it('name the column as the file does', () => {
    const row = checkRow(
      'customers',
      { ...validRows.customers, phone: 'x' },
      { titles: { phone: 'Mobile No.' } },
    );
    expect(row.findings[0]).toMatchObject({ field: 'phone', column: 'Mobile No.', severity: 'invalid' });
    const noted = checkRow(
      'customers',
      { ...validRows.customers, gender: 'x' },
      { titles: { gender: 'Sex' } },
    );
    expect(noted.notes.map(noteText)).toEqual(['unseen value: Sex']);
  });

  it.each<[DefinitionName, Values, string]>([
    ['customers', { email: 'secret.person.at.home' }, 'secret'],
    ['customers', { phone: '0798987654' }, '87654'],
    ['recipients/sepa', { iban: 'DE89370400440532099999' }, '20999'],
    ['recipients/sepa', { account_number: '98765432109' }, '32109'],
    ['recipients/bank_account_us', { account_number: '9876543210x' }, '3210x'],
    ['recipients/bank_account_us', { iban: 'DE89370400440532099999' }, '37040'],
    ['recipients/bank_account_us', { phone_number: '+254798123456' }, '23456'],
    ['recipients/mobile_money', { account_number: '98765432109' }, '98765'],
  ])('%s %j hide what identifies a person', (name, change, hidden) => {
    const row = checkRow(kindOf(name), { ...validRows[name], ...change });
    expect(row.findings).not.toEqual([]);
    for (const { message } of row.findings) expect(message).not.toContain(hidden);
  });
});

describe('cells beyond the header', () => {
  it('are findings when something is in them', () => {
    expect(findings('customers', {}, { cellsBeyond: ['', 'x', ' '] })).toEqual([
      'column 5: unexpected_value',
    ]);
    expect(findings('customers', {}, { cellsBeyond: ['', ' \u00a0'] })).toEqual([]);
  });

  it('are not quoted, since it is unknown what they are', () => {
    const row = checkRow('customers', validRows.customers, { cellsBeyond: ['4111111111111111'] });
    expect(row.findings[0]?.message).not.toContain('1111');
  });
});

describe('missing cells at a row’s end are empty', () => {
  it('whatever the header has', () => {
    const row = checkRow('customers', { first_name: 'A', last_name: 'B' });
    expect(findingsOf(row)).toEqual([]);
    const short = checkRow('customers', { first_name: 'A' });
    expect(findingsOf(short)).toEqual(['last_name: required']);
  });
});

describe('a mapping’s constants and translations', () => {
  it('are checked like the file’s own values', () => {
    const values = without(validRows.accounts, 'currency');
    expect(findingsOf(checkRow('accounts', values, { constants: { currency: 'usd' } }))).toEqual([]);
    expect(findingsOf(checkRow('accounts', values, { constants: { currency: 'dollars' } }))).toEqual([
      'currency: invalid_currency',
    ]);
    const translations = { gender: { M: 'male', '': 'male', X: '' } };
    for (const [text, gender] of [
      ['M', 'male'],
      [' M ', 'male'],
      ['', 'male'],
      ['X', undefined],
      ['m', 'male'],
    ] as const) {
      expect(
        checkRow('customers', { ...validRows.customers, gender: text }, { translations }).record['gender'],
      ).toBe(gender);
    }
  });
});

describe('what a mapping translates a value to', () => {
  it('is noted, also where it is a word that the specification does not show', () => {
    const translations = { gender: { М: 'male', Ж: 'female' } };
    const notesOf = (gender: string): readonly string[] =>
      checkRow('customers', { ...validRows.customers, gender }, { translations }).notes.map(noteText);
    expect(notesOf('М')).toEqual(['read as male: gender']);
    expect(notesOf('Ж')).toEqual(['unseen value, read as female: gender']);
  });

  it.each(['a\0b', 'a\ud800b', 'a\nb'])('is checked like a value of the file: %j', (meant) => {
    const values = { ...validRows.accounts, label: 'x' };
    expect(findingsOf(checkRow('accounts', values, { translations: { label: { x: meant } } }))).toEqual([
      'label: invalid_characters',
    ]);
    const payee = { ...validRows['recipients/sepa'], payee_type: 'unheard of', city: 'x' };
    expect(findingsOf(checkRow('recipients', payee, { translations: { city: { x: meant } } }))).toContain(
      'city: invalid_characters',
    );
  });

  it('is trimmed like a value of the file', () => {
    const values = { ...validRows.accounts, currency: 'x' };
    const row = checkRow('accounts', values, { translations: { currency: { x: ' usd ' } } });
    expect([findingsOf(row), row.record['currency']]).toEqual([[], 'USD']);
  });
});
