import { describe, expect, it } from 'vitest';
import type { CellKind } from '../../../src/domain/cell.ts';
import { parseRules } from '../../../src/resources/rule-changes.ts';
import {
  checkRow,
  type DefinitionName,
  findingsOf,
  kindOf,
  type RowOptions,
  type Values,
  validRows,
  without,
} from '../rows.ts';

const definitionNames = Object.keys(validRows) as DefinitionName[];

function findings(name: DefinitionName, change: Values, options: RowOptions = {}): readonly string[] {
  return findingsOf(checkRow(kindOf(name), { ...validRows[name], ...change }, options));
}

function notes(name: DefinitionName, change: Values, options: RowOptions = {}): readonly string[] {
  return checkRow(kindOf(name), { ...validRows[name], ...change }, options).notes;
}

describe('valid rows', () => {
  it.each(definitionNames)('of %s have no findings and no notes', (name) => {
    const row = checkRow(kindOf(name), validRows[name]);
    expect(findingsOf(row)).toEqual([]);
    expect(row.notes).toEqual([]);
    expect(row.definition?.name).toBe(name);
  });
});

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

describe('defaults stand in for empty values', () => {
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
    const row = checkRow('recipients', { ...validRows[name], [field]: 'anything' });
    expect(findingsOf(row)).toEqual([]);
    expect(row.notes).toEqual([`not sent: ${field}`]);
    expect(row.record[field]).toBeUndefined();
  });
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
    expect(row.notes).toEqual([`unseen value: ${field}`]);
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
    expect(row.findings[0]?.message).toContain(advice);
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

  it('may be a constant or a translation of the mapping', () => {
    const values = without(validRows['recipients/sepa'], 'payee_type');
    expect(findingsOf(checkRow('recipients', values, { constants: { payee_type: 'sepa' } }))).toEqual([]);
    const translated = { ...validRows['recipients/sepa'], payee_type: 'Euro' };
    expect(
      findingsOf(checkRow('recipients', translated, { translations: { payee_type: { Euro: 'sepa' } } })),
    ).toEqual([]);
  });
});

describe('types are checked where they stand', () => {
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

describe('a customer’s country', () => {
  it.each(['address_line1', 'address_line2', 'city', 'postal_code'])(
    'is required once %s is given',
    (field) => {
      expect(findings('customers', { [field]: 'X' })).toEqual(['country: required']);
      expect(findings('customers', { [field]: 'X', country: 'KE' })).toEqual([]);
    },
  );

  it('is required once a state is given', () => {
    expect(findings('customers', { state: 'KE-30' })).toEqual(['country: required']);
  });

  it('is not reported missing when it is wrong', () => {
    expect(findings('customers', { city: 'London', country: 'UK' })).toEqual(['country: invalid_country']);
  });
});

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
    expect(noted.notes).toEqual(['unseen value: Sex']);
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

  it('are not quoted, since nobody knows what they are', () => {
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
      ['m', 'm'],
    ] as const) {
      expect(
        checkRow('customers', { ...validRows.customers, gender: text }, { translations }).record['gender'],
      ).toBe(gender);
    }
  });
});

describe('the changes of a rules file', () => {
  function withRules(name: DefinitionName, change: Values, rules: unknown): readonly string[] {
    const row = checkRow(kindOf(name), { ...validRows[name], ...change }, { rules: parseRules(rules) });
    return [...findingsOf(row), ...row.notes];
  }

  it.each<[DefinitionName, Values, unknown, readonly string[]]>([
    ['customers', {}, { customers: { phone: { required: true } } }, ['phone: required']],
    ['customers', { last_name: '' }, { customers: { last_name: { required: false } } }, []],
    ['customers', { city: 'X' }, { customers: { country: { required: false } } }, []],
    ['customers', {}, { customers: { country: { required: true } } }, ['country: required']],
    ['customers', { gender: 'female' }, { customers: { gender: { allowed: ['female'] } } }, []],
    ['customers', { gender: 'male' }, { customers: { gender: { allowed: ['female'] } } }, []],
    [
      'customers',
      { gender: 'femail' },
      { customers: { gender: { allowed: ['female'], closed: true } } },
      ['gender: unknown_value'],
    ],
    ['customers', { gender: 'male' }, { customers: { gender: { allowed: ['female'], closed: true } } }, []],
    ['customers', { country: 'XK' }, { customers: { country: { allowed: ['XK'] } } }, []],
    ['customers', { external_id: 'AB-12' }, { customers: { external_id: { pattern: '[A-Z]{2}-\\d+' } } }, []],
    [
      'customers',
      { external_id: 'xAB-12' },
      { customers: { external_id: { pattern: '[A-Z]{2}-\\d+' } } },
      ['external_id: pattern_mismatch'],
    ],
    [
      'customers',
      { external_id: 'AB' },
      { customers: { external_id: { minLength: 3 } } },
      ['external_id: too_short'],
    ],
    [
      'customers',
      { external_id: 'ABCD' },
      { customers: { external_id: { maxLength: 3 } } },
      ['external_id: too_long'],
    ],
    ['customers', { external_id: 'ABC' }, { customers: { external_id: { minLength: 3, maxLength: 3 } } }, []],
    ['recipients/sepa', { bank_name: '' }, { 'recipients/sepa': { bank_name: { required: false } } }, []],
    [
      'recipients/bank_account_us',
      { bank_name: '' },
      { 'recipients/sepa': { bank_name: { required: false } } },
      ['bank_name: required'],
    ],
    [
      'collections',
      { methods: 'mobile_money;card' },
      { collections: { methods: { allowed: ['card'] } } },
      [],
    ],
    [
      'recipients/bank_account',
      { institution_id: '' },
      { 'recipients/bank_account': { institution_id: { required: false } } },
      [],
    ],
  ])('%s %j with %j: %j', (name, change, rules, expected) => {
    expect(withRules(name, change, rules)).toEqual(expected);
  });
});
