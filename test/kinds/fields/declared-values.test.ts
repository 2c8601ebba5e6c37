import { describe, expect, it } from 'vitest';
import { noteText } from '../../../src/domain/rows/finding.ts';
import { textOf } from '../../support/messages.ts';
import { checkRow, findingsOf, type RowOptions, type Values, validRows } from '../rows.ts';

const person = { external_id: 'C-1', first_name: 'Amina', last_name: 'Otieno' };

describe('values as people write them, by declaration', () => {
  const options: RowOptions = {
    phoneCountry: { title: 'Country', index: 4 },
    reading: { places: 'names' },
    titles: { phone: 'Mobile', country: 'Country' },
  };
  const row = (phone: string, country: string): Values => ({ ...person, phone, country });

  it('reads phone numbers by the country of their row, and reports it', () => {
    const checked = checkRow('customers', row('0712 345 678', 'Kenia'), options);
    expect(checked.record).toMatchObject({ phone: '+254712345678', country: 'KE' });
    expect(checked.notes.map(noteText)).toEqual(['read as +254712345678: Mobile', 'read as KE: Country']);
    expect(checkRow('customers', row('(415) 555-0100', 'US'), options).record).toMatchObject({
      phone: '+14155550100',
    });
  });

  it.each([
    ['0712 345 678', ''],
    ['0712 345 678', 'Nowhere'],
    ['0712 345 678', 'US'],
  ])('refuses %s in a row of %s', (phone, country) => {
    expect(findingsOf(checkRow('customers', row(phone, country), options))).toContain(
      'Mobile: invalid_phone',
    );
  });

  it('finds states by name within the country of the row, whatever the order of the columns', () => {
    const values = { ...person, state: 'ca', city: 'Fresno', country: 'Etats-Unis' };
    const checked = checkRow('customers', values, options);
    expect(checked.record).toMatchObject({ state: 'US-CA', country: 'US' });
    expect(checked.notes.map(noteText)).toEqual(['read as US-CA: state', 'read as US: Country']);
    expect(findingsOf(checkRow('customers', { ...values, country: 'KE' }, options))).toEqual([
      'state: invalid_state',
    ]);
  });

  it('takes no names where nothing is declared', () => {
    expect(findingsOf(checkRow('customers', row('0712345678', 'Kenya')))).toEqual([
      'phone: invalid_phone',
      'country: invalid_country',
    ]);
  });
});

describe('columns that are joined', () => {
  const { account_name: _, ...unnamed } = validRows['recipients/sepa'];
  const options: RowOptions = { joins: { account_name: ['First', 'Last'] }, others: ['First', 'Last'] };

  it('are one value, in their order and without empty ones', () => {
    const checked = checkRow('recipients', { ...unnamed, Last: 'Otieno', First: ' Amina ' }, options);
    expect(findingsOf(checked)).toEqual([]);
    expect(checked.record['account_name']).toBe('Amina Otieno');
    expect(checked.notes.map(noteText)).toContain('read as Amina Otieno: First + Last');
    const alone = checkRow('recipients', { ...unnamed, Last: 'Otieno', First: '' }, options);
    expect(alone.record['account_name']).toBe('Otieno');
    expect(alone.notes.map(noteText).join()).not.toContain('Otieno');
  });

  it('are required, and refused, as one', () => {
    const named = (First: string, Last: string): Values => ({ ...unnamed, First, Last });
    expect(findingsOf(checkRow('recipients', named('', ''), options))).toEqual(['First + Last: required']);
    const broken = checkRow('recipients', named('', 'Otieno'), {
      ...options,
      kinds: { First: 'formula_without_value' },
    });
    expect(findingsOf(broken)).toEqual(['First + Last: spreadsheet_error']);
  });
});

describe('number cells of a column whose values all have the same number of digits', () => {
  const account = (
    text: string,
    numericIdentifiers: NonNullable<RowOptions['reading']>['numericIdentifiers'],
  ) =>
    checkRow(
      'recipients',
      { ...validRows['recipients/bank_account'], account_number: text },
      {
        kinds: { account_number: 'number' },
        reading: { numericIdentifiers: numericIdentifiers ?? 'refuse' },
      },
    );

  it('are accepted where they have this number of digits, and refused where a zero may be lost', () => {
    expect(findingsOf(account('1234567890', { account_number: 10 }))).toEqual([]);
    const short = account('123456789', { account_number: 10 });
    expect(findingsOf(short)).toEqual(['account_number: damaged_number']);
    expect(textOf(short.findings[0])).toContain('of 9 digits');
    expect(findingsOf(account('1234567890', { routing_number: 9 }))).toEqual([
      'account_number: damaged_number',
    ]);
    expect(findingsOf(account('1234567890.5', { account_number: 10 }))).toEqual([
      'account_number: damaged_number',
    ]);
  });

  it('are phone numbers only where the plan of the declared country has them', () => {
    const phone = (text: string) =>
      checkRow(
        'customers',
        { ...person, phone: text },
        {
          kinds: { phone: 'number' },
          phoneCountry: { country: 'KE' },
          reading: { numericIdentifiers: { phone: 'accept' } },
        },
      );
    expect(phone('712345678').record['phone']).toBe('+254712345678');
    expect(phone('254712345678').record['phone']).toBe('+254712345678');
    expect(findingsOf(phone('71234567'))).toEqual(['phone: invalid_phone']);
  });
});

describe('an account number column that holds phone numbers of mobile money', () => {
  it('is read by the declared country too', () => {
    const { phone_number: _, ...wallet } = validRows['recipients/mobile_money'];
    const checked = checkRow(
      'recipients',
      { ...wallet, account_number: '0712345678' },
      { phoneCountry: { country: 'KE' } },
    );
    expect(findingsOf(checked)).toEqual([]);
    expect(checked.record['phone_number']).toBe('+254712345678');
  });
});
