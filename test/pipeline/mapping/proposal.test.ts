import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../src/domain/batches/kind.ts';
import { likeliestKind, looksLikeAnyHeader } from '../../../src/pipeline/mapping/likeliest-kind.ts';
import { type MappingProposal, proposeMapping } from '../../../src/pipeline/mapping/proposal.ts';

const today = '2026-11-22';

/** A table written as lines, its cells separated by `|`. */
function propose(kind: Kind, ...lines: readonly string[]): MappingProposal {
  const [header = [], ...rows] = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  return proposeMapping(kind, { sheet: null, today, header, rows });
}

function fieldsOf({ columns }: MappingProposal): Record<string, string> {
  return Object.fromEntries(
    columns.map(({ title, field, certainty }) => [title, `${field ?? '-'} ${certainty}`]),
  );
}

describe('proposeMapping', () => {
  it('knows what others call our columns', () => {
    const proposal = propose('recipients', 'A/C No|Account Holder*|MSISDN|Sort name|IBAN No.|Ccy|Amt|ZIP');
    expect(fieldsOf(proposal)).toMatchObject({
      'A/C No': 'account_number sure',
      MSISDN: 'phone_number sure',
      'IBAN No.': 'iban sure',
      Ccy: 'currency sure',
      Amt: 'amount sure',
      ZIP: 'postal_code sure',
    });
    expect(fieldsOf(propose('recipients', 'Account #|Payee|Mobile'))).toEqual({
      'Account #': 'account_number sure',
      Payee: 'account_name sure',
      Mobile: 'phone_number sure',
    });
    expect(fieldsOf(propose('customers', 'Surname|DOB (DD/MM/YYYY)|Mobile|Client No'))).toEqual({
      Surname: 'last_name sure',
      'DOB (DD/MM/YYYY)': 'date_of_birth sure',
      Mobile: 'phone sure',
      'Client No': 'external_id sure',
    });
    expect(fieldsOf(propose('collections', 'Invoice No|Ccy'))).toEqual({
      'Invoice No': 'client_reference sure',
      Ccy: 'currency sure',
    });
  });

  it('leaves out what the API has no field for, and does not mention columns with their own names', () => {
    const { mapping, columns } = propose('recipients', 'Swift|Remarks|IBAN|result_status');
    expect(mapping).toEqual({ ignore: ['Swift', 'Remarks'] });
    expect(columns.map(({ title }) => title)).not.toContain('result_status');
  });

  it('leaves to a person what is unknown or has two columns, and keeps it out of the mapping', () => {
    const proposal = propose('recipients', 'Foo|Beneficiary|Payee|payee_type');
    expect(fieldsOf(proposal)).toMatchObject({ Foo: '- open', Beneficiary: '- open', Payee: '- open' });
    expect(proposal.mapping).toEqual({});
    expect(fieldsOf(propose('recipients', 'account_name|Payee'))).toEqual({
      account_name: 'account_name sure',
      Payee: '- open',
    });
  });

  it('says which of two fields a "Bank" is only where the payee types or another column tell', () => {
    const header = 'payee_type|Bank';
    expect(fieldsOf(propose('recipients', header, 'sepa|Commerzbank'))['Bank']).toBe('bank_name likely');
    expect(fieldsOf(propose('recipients', header, 'mobile_money|M-PESA'))['Bank']).toBe(
      'institution_name likely',
    );
    expect(fieldsOf(propose('recipients', header, 'sepa|A', 'mobile_money|B'))['Bank']).toBe('- open');
    expect(fieldsOf(propose('recipients', `${header}|Provider`, 'sepa|A|', 'mobile_money||B'))).toMatchObject(
      {
        Bank: 'bank_name likely',
        Provider: 'institution_name sure',
      },
    );
  });

  it('looks at the values where the name says nothing, or the wrong thing', () => {
    expect(fieldsOf(propose('recipients', 'Where', 'DE89 3704 0044 0532 0130 00'))['Where']).toBe(
      'iban likely',
    );
    expect(fieldsOf(propose('recipients', 'Account No', 'DE89370400440532013000'))['Account No']).toBe(
      'iban likely',
    );
    expect(fieldsOf(propose('recipients', 'Customer ID', 'C-1001'))['Customer ID']).toBe(
      'customer_external_id likely',
    );
    expect(fieldsOf(propose('customers', 'Mobile', 'ada@example.com'))['Mobile']).toBe('- open');
    const [phone] = propose('customers', 'Mobile', '0712345678').columns;
    expect(phone).toMatchObject({
      field: 'phone',
      why: 'a known name of it',
    });
  });

  it('takes a name that is all but ours for a typing mistake', () => {
    expect(fieldsOf(propose('recipients', 'acount_number'))['acount_number']).toBe('account_number likely');
  });

  it('translates payee types that differ only in their writing, and asks about others', () => {
    const { mapping, open } = propose('recipients', 'Type', 'SEPA', 'Mobile Money');
    expect(mapping.values).toEqual({ payee_type: { SEPA: 'sepa', 'Mobile Money': 'mobile_money' } });
    expect(open.join()).not.toContain('what does');
    expect(propose('recipients', 'payee_type', 'wire').open.join()).toContain('“wire”');
  });

  it('names what every row needs and no column gives', () => {
    expect(propose('recipients', 'payee_type', 'sepa').open.join('\n')).toMatch(
      /iban[\s\S]*account_owner_type/,
    );
    expect(propose('customers', 'first_name|last_name').open).toEqual([]);
  });
});

describe('the writing of dates', () => {
  it.each<[readonly string[], string | undefined]>([
    [['1990-01-31'], undefined],
    [['31/01/1990', '01/02/1991'], 'DD/MM/YYYY'],
    [['01/31/1990', '02/01/1991'], 'MM/DD/YYYY'],
    [['31.1.1990'], 'D.M.YYYY'],
    [['1990/01/31'], 'YYYY/MM/DD'],
  ])('of %j is %s', (values, dateFormat) => {
    const { mapping, open } = propose(
      'customers',
      'first_name|last_name|DOB',
      ...values.map((value) => `a|b|${value}`),
    );
    expect(mapping.dateFormat).toBe(dateFormat);
    expect(open).toEqual([]);
  });

  it.each(['03/04/1990', '3 April 1990'])('of %s is for a person to decide', (value) => {
    const { mapping, open } = propose('customers', 'first_name|last_name|DOB', `a|b|${value}`);
    expect(mapping.dateFormat).toBeUndefined();
    expect(open).toHaveLength(1);
  });

  it('is what the title says', () => {
    expect(propose('customers', 'DOB (MM/DD/YYYY)', '03/04/1990').mapping.dateFormat).toBe('MM/DD/YYYY');
  });
});

describe('the writing of amounts', () => {
  it.each<[readonly string[], object]>([
    [['1500', '25.50'], {}],
    [['25,50', '3'], { decimal: ',' }],
    [['1.500,00', '3'], { decimal: ',', thousands: '.' }],
    [['1,500.00'], { thousands: ',' }],
    [['1 500,00'], { decimal: ',', thousands: ' ' }],
  ])('of %j is %j', (values, style) => {
    const { mapping } = propose('recipients', 'Amt', ...values);
    const { decimal, thousands } = mapping;
    expect({ decimal, thousands }).toEqual({ decimal: undefined, thousands: undefined, ...style });
  });

  it.each([
    [
      '1,500',
      [
        [{ decimal: ',' }, '1.5'],
        [{ decimal: '.', thousands: ',' }, '1500'],
      ],
    ],
    [
      '1.500',
      [
        [{ decimal: '.' }, '1.5'],
        [{ decimal: ',', thousands: '.' }, '1500'],
      ],
    ],
  ])('of %s is for a person to choose, and then stated', (value, choices) => {
    const { mapping, open, alternatives } = propose('recipients', 'Amt', value);
    expect(mapping).toEqual({ columns: { Amt: 'amount' } });
    expect(open.join()).toContain('“Amt”');
    expect(alternatives.map((group) => group.map((each) => [each.mapping, each.samples[0]?.after]))).toEqual([
      choices,
    ]);
  });
});

describe('the kind and the header', () => {
  it('are found by other people’s names', () => {
    const header = ['Beneficiary name', 'MSISDN', 'Amt', 'Ccy', 'Bank', 'Foo'];
    expect(likeliestKind({ sheet: null, header })).toBe('recipients');
    expect(likeliestKind({ sheet: 'Customers', header })).toBe('customers');
    expect(likeliestKind({ sheet: null, header: ['a', 'b'] })).toBeUndefined();
    expect(looksLikeAnyHeader(header)).toBe(true);
    expect(looksLikeAnyHeader(['Payouts November', '', ''])).toBe(false);
  });

  it.each([
    ['customer_id,currency,country,amount,institution_name,account_name', 'recipients'],
    ['Invoice No,Customer ID,Currency,Amount,Bank', 'collections'],
    ['Customer ID,Currency,Amount,Bank', undefined],
  ])('of as many names, those that only one kind has decide: %s', (header, kind) => {
    expect(likeliestKind({ sheet: 'Sheet1', header: header.split(',') })).toBe(kind);
  });
});

describe('how people write', () => {
  const readingsOf = ({ readings }: MappingProposal): string => readings.map(({ text }) => text).join('\n');

  it('currencies in the title or before the amounts', () => {
    expect(propose('recipients', 'Amt (KES)', '1500').mapping.constants).toEqual({ currency: 'KES' });
    expect(propose('recipients', 'Montant en EUR', '1500').mapping.constants).toEqual({ currency: 'EUR' });
    expect(propose('recipients', 'Amount (₦)', '1500').mapping.constants).toEqual({ currency: 'NGN' });
    expect(propose('recipients', 'Amount', 'KSh 1,500.00', 'KSh 20.00').mapping).toMatchObject({
      constants: { currency: 'KES' },
      thousands: ',',
      currencySigns: 'accept',
    });
    expect(propose('recipients', 'Amount ($)', '1500').mapping.constants).toBeUndefined();
    expect(propose('recipients', 'Amt (KES)|Ccy', '1500|UGX').mapping.constants).toBeUndefined();
  });

  it('thousands, where the currency has no such decimals', () => {
    expect(propose('recipients', 'Amt (KES)', '1,234').mapping.thousands).toBe(',');
    expect(propose('recipients', 'Amt (KES)', '1,500').mapping.thousands).toBeUndefined();
  });

  it('phone numbers of the country that the file tells, with what they become', () => {
    const proposal = propose('recipients', 'Mobile No.|Amt (KES)', '0712 345 678|5', '254712345679|5');
    expect(proposal.mapping.phoneCountry).toBe('KE');
    expect(proposal.readings.flatMap(({ samples }) => samples)).toContainEqual({
      before: '0712 345 678',
      after: '+254712345678',
    });
    expect(readingsOf(proposal)).not.toContain('0712');
    const byRow = propose(
      'customers',
      'Mobile|Country',
      '0712 345 678|Kenya',
      '(415) 555-0100|United States',
    );
    expect(byRow.mapping).toMatchObject({ phoneCountry: { column: 'Country' }, places: 'names' });
    const unknown = propose('customers', 'first_name|last_name|Mobile', 'a|b|0712 345 678');
    expect(unknown.mapping.phoneCountry).toBeUndefined();
    expect(unknown.open.join()).toContain('"phoneCountry"');
  });

  it('states by name, and the country that has them all', () => {
    const proposal = propose('customers', 'Bundesland', 'Bayern', 'Hessen', 'Sachsen');
    expect(proposal.mapping).toMatchObject({ constants: { country: 'DE' }, places: 'names' });
    expect(propose('customers', 'State|Country', 'CA|US', 'NY|US').mapping.places).toBe('names');
    expect(propose('customers', 'State|Country', 'US-CA|US', 'US-NY|US').mapping.places).toBeUndefined();
  });

  it('first and last names that are joined, in that order', () => {
    const proposal = propose('recipients', 'Surname|First name|Bank', 'Otieno|Amina|KCB');
    expect(proposal.mapping.join).toEqual({ account_name: ['First name', 'Surname'] });
    expect(propose('recipients', 'Surname|First name|Payee', 'a|b|c').mapping.join).toBeUndefined();
  });

  it('payee types that the columns leave over', () => {
    expect(propose('recipients', 'Bank|A/C No', 'KCB|123').mapping).toMatchObject({
      columns: { Bank: 'institution_name', 'A/C No': 'account_number' },
      constants: { payee_type: { from: 'institution_name' } },
    });
    expect(propose('recipients', 'IBAN|Bank', 'DE89370400440532013000|X').mapping).toMatchObject({
      columns: { Bank: 'bank_name' },
      constants: { payee_type: 'sepa' },
    });
  });

  it('number cells with the digits that most of them have', () => {
    const table = (cells: readonly string[], title = 'A/C No'): MappingProposal =>
      proposeMapping('recipients', {
        sheet: null,
        today,
        header: [title, 'Amt (NGN)'],
        rows: cells.map((cell) => [cell, '5']),
        kinds: cells.map(() => new Map([[0, 'number']])),
      });
    expect(table(['1234567890', '2234567890']).mapping.numericIdentifiers).toEqual({ account_number: 10 });
    expect(readingsOf(table(['1234567890', '123456789']))).toContain('One value is not, and will be refused');
    expect(table(['123', '12345'], 'Zip').open.join()).toContain('different lengths');
    expect(table(['8031234567'], 'Mobile').mapping).toMatchObject({
      phoneCountry: 'NG',
      numericIdentifiers: { phone_number: 'accept' },
    });
  });

  it('lines between rows, which say nothing of how values are written', () => {
    const rows = ['NAIROBI||', 'Amina|31/01/1990|a@x.example', '|Subtotal|'];
    const proposal = propose('customers', 'first_name|DOB|email', ...rows);
    expect(proposal.mapping).toMatchObject({ leaveOut: true, dateFormat: 'DD/MM/YYYY' });
    expect(readingsOf(proposal)).toContain('2 rows look like headings or totals');
  });

  it('genders in five languages', () => {
    const { mapping } = propose('customers', 'Geschlecht', 'männlich', 'weiblich');
    expect(mapping.values).toEqual({ gender: { männlich: 'male', weiblich: 'female' } });
    expect(propose('customers', 'Sex', 'M', 'X').mapping.values).toBeUndefined();
  });

  it('days in the order that all but a few mistakes have', () => {
    const days = Array.from({ length: 25 }, (_, at) => `01/${String((at % 15) + 13)}/19${50 + at}`);
    expect(propose('customers', 'first_name|DOB', ...days.map((day) => `a|${day}`)).mapping.dateFormat).toBe(
      'MM/DD/YYYY',
    );
    const mixed = propose('customers', 'first_name|last_name|DOB', 'a|b|31/01/1990', 'a|b|01/31/1990');
    expect(mixed.mapping.dateFormat).toBeUndefined();
    expect(mixed.open).toHaveLength(1);
  });
});

describe('a control line in a file', () => {
  const header = 'Name|A/C No.|Bank|Ccy|Amount';
  const rows = ['Amina|0110123456789|KCB|KES|1,500.50', 'Joseph|0110123456780|KCB|KES|2,500'];

  it.each([
    ['Control:|2 rows||KES|4,000.50', 'Control: {rows} rows {currency} {total}'],
    ['Control: 2 rows, KES 4,000.50||||', 'Control: {rows} rows, {currency} {total}'],
    ['Total|||2|4000.50', 'Total {rows} {total}'],
    ['Kontrollsumme||||4,000.50', 'Kontrollsumme {total}'],
  ])('is proposed where what it says is right: %s', (line, controlLine) => {
    const { mapping, readings } = propose('recipients', header, ...rows, line);
    expect(mapping).toMatchObject({ controlLine });
    expect(mapping).not.toHaveProperty('leaveOut');
    expect(readings.at(-1)?.text).toBe(
      `The line “${controlLine}” is no row: the file is refused unless it is there, and right.`,
    );
  });

  it.each([
    'Control:|3 rows||KES|4,000.50',
    'Control:|2 rows||KES|4,000.00',
    'Control of 2026:|2 rows||KES|4,000.50',
    'Total||||4,000.50',
  ])('is not, where it is wrong, has other figures, or is a total like any other: %s', (line) => {
    const { mapping } = propose('recipients', header, ...rows, line);
    expect(mapping).not.toHaveProperty('controlLine');
    expect(mapping).toMatchObject({ leaveOut: true });
  });

  it('may stand above the header', () => {
    const above = [{ cells: ['2 payees, KES 4000.50'], kinds: undefined }];
    const cells = (line: string): string[] => line.split('|');
    const table = { sheet: null, today, header: cells(header), above, rows: rows.map(cells) };
    expect(proposeMapping('recipients', table).mapping).toMatchObject({
      controlLine: '{rows} payees, {currency} {total}',
    });
  });
});

describe('years of two digits', () => {
  const century = ', and mean the latest such year that is not in the future';

  it.each([
    [['15.03.84', '01.12.05'], 'DD.MM.YY', '2005-12-01'],
    [['3/15/84', '12/1/05'], 'M/D/YY', '2005-12-01'],
    [['84-03-15', '65-12-01'], 'YY-MM-DD', '1965-12-01'],
    [['15.03.26', '15.12.26'], 'DD.MM.YY', '1926-12-15'],
  ])('%j are proposed as %s, with the century told', (values, format, second) => {
    const { mapping, readings } = propose('customers', 'Name|DOB', ...values.map((value) => `A|${value}`));
    expect(mapping).toMatchObject({ dateFormat: format });
    expect(readings[0]?.text).toBe(`Days in “DOB” are written ${format}${century}.`);
    expect(readings[0]?.samples[1]).toEqual({ before: values[1], after: second });
  });

  it('are a question where day and month could be either', () => {
    const { mapping, alternatives, open } = propose('customers', 'DOB', '03/04/84', '05/06/91');
    expect(mapping).not.toHaveProperty('dateFormat');
    expect(alternatives.flat().map((reading) => reading.mapping)).toEqual([
      { dateFormat: 'DD/MM/YY' },
      { dateFormat: 'MM/DD/YY' },
    ]);
    expect(open[0]).toContain('"DD/MM/YY" or "MM/DD/YY"');
  });
});
