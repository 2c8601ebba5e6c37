import { describe, expect, it } from 'vitest';
import { noteText } from '../../../src/domain/rows/finding.ts';
import type { CellKind } from '../../../src/domain/tables/table.ts';
import { createRowChecker, type RowCheckerOptions } from '../../../src/kinds/fields/row-checker.ts';
import { parseMappingFile, readingRulesOf } from '../../../src/read/mapping/mapping-file.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { mapTable } from '../../../src/read/mapping/table-mapping.ts';
import { textOf } from '../../support/messages.ts';

type Cell = string | readonly [text: string, kind: CellKind];
type Options = Partial<RowCheckerOptions> & {
  readonly isTextOnly?: boolean;
  readonly accountLengths?: ReadonlyMap<string, number>;
};

const customer = '0d5f7a3c-0000-4000-8000-000000000001';

/** Checks one row of a file with these titles. */
function checkRow(mapping: object, row: Readonly<Record<string, Cell>>, options: Options = {}) {
  const parsed: MappingFile = parseMappingFile(JSON.stringify(mapping), 'm.json');
  const header = Object.keys(row);
  const { isTextOnly = false, accountLengths, ...others } = options;
  const columns = mapTable({ sheet: null, header }, { kind: null, mapping: parsed, fileName: 'f' });
  const checker = createRowChecker({
    mapping: { ...columns, isTextOnly, ...(accountLengths === undefined ? {} : { accountLengths }) },
    reading: readingRulesOf(parsed),
    today: '2026-11-22',
    headerWidth: header.length,
    ...others,
  });
  const cells = Object.values(row).map((cell) => (typeof cell === 'string' ? cell : cell[0]));
  const kinds = new Map(
    Object.values(row).flatMap((cell, index): [number, CellKind][] =>
      typeof cell === 'string' ? [] : [[index, cell[1]]],
    ),
  );
  const source = { cells, ...(kinds.size === 0 ? {} : { kinds }) };
  const checked = checker.checkFields(source);
  const kept = checker.keptCells(source, checked);
  return {
    ...checked,
    codes: checked.findings.map(({ column, code }) => `${column}: ${code}`),
    kept: Object.fromEntries(header.map((title, index) => [title, kept[index]])),
  };
}

const number = (text: string): Cell => [text, 'number'];

const us = {
  customer_id: customer,
  account_name: 'Ann',
  account_number: '1234567',
  bank_name: 'KCB',
  currency: 'USD',
  account_owner_type: 'individual',
  account_type: 'checking',
  payee_type: 'bank_account_us',
  address_line1: '1 Main St',
  city: 'Boston',
  State: 'MA',
  country: 'US',
  routing_number: '021000021',
};
const usMapping = {
  columns: { ZIP: 'postal_code', State: 'state' },
  repair: { ZIP: ['lost_zeros', 'number_cells'] },
};

describe('lost zeros of postal codes', () => {
  it('are restored where the state confirms them, and reported', () => {
    const { record, notes, codes, kept } = checkRow(usMapping, { ...us, ZIP: number('2108') });
    expect(codes).toEqual([]);
    expect(record['postal_code']).toBe('02108');
    expect(notes).toContain('repaired ZIP: lost zero');
    expect(kept['ZIP']).toBe('02108');
  });

  it('stay lost where the state is another one, and where nobody has agreed', () => {
    const wrong = checkRow(usMapping, { ...us, State: 'CA', ZIP: number('2108') });
    expect(wrong.codes).toEqual(['ZIP: damaged_number']);
    expect(wrong.kept['ZIP']).toBe('2108.0');
    const { repair: _, ...without } = usMapping;
    expect(checkRow(without, { ...us, ZIP: number('2108') }).codes).toEqual(['ZIP: damaged_number']);
  });

  it('are not looked for in text, unless the file has nothing but text', () => {
    expect(checkRow(usMapping, { ...us, ZIP: '2108' }).record['postal_code']).toBe('2108');
    const csv = checkRow(usMapping, { ...us, ZIP: '2108' }, { isTextOnly: true });
    expect(csv.record['postal_code']).toBe('02108');
    expect(csv.kept['ZIP']).toBe('02108');
  });

  it('are none in a number cell of the full length', () => {
    const { record, notes } = checkRow(usMapping, { ...us, ZIP: number('94105') });
    expect(record['postal_code']).toBe('94105');
    expect(notes).toContain('repaired ZIP: number cell');
  });
});

describe('lost zeros of routing numbers', () => {
  const mapping = {
    columns: { ABA: 'routing_number', State: 'state' },
    repair: { ABA: ['lost_zeros', 'number_cells'] },
  };
  const { routing_number: _, ...row } = { ...us, postal_code: '02108' };

  it.each<[string, string | undefined]>([
    ['21000021', '021000021'],
    ['21000022', undefined],
    ['1000021', undefined],
    ['121000248', '121000248'],
  ])('%s is %s', (digits, routing) => {
    const { record } = checkRow(mapping, { ...row, ABA: number(digits) });
    expect(record['routing_number']).toBe(routing);
  });
});

describe('account numbers in number cells', () => {
  const mapping = {
    constants: { payee_type: 'bank_account', institution_country: 'NG' },
    columns: { NUBAN: 'account_number', Bank: 'institution_name' },
    repair: { NUBAN: ['lost_zeros', 'number_cells'] },
  };
  const row = { customer_id: customer, currency: 'NGN', account_name: 'Ann', Bank: 'Zenith Bank' };

  it('have the length that all of their country have, one zero at most', () => {
    const of = (digits: string, options?: Options) =>
      checkRow(mapping, { ...row, NUBAN: number(digits) }, options).record['account_number'];
    expect(of('123456789')).toBe('0123456789');
    expect(of('2123456789')).toBe('2123456789');
    expect(of('12345678')).toBeUndefined();
    // Where the bank's code is known, the last digit has to be its check digit.
    const known = { bankCodesOf: () => ['057'] };
    const right = [...'0123456789'].filter((digit) => of(`12345678${digit}`, known) !== undefined);
    expect(right).toHaveLength(1);
  });

  it('or that of their institution in this file', () => {
    const kenyan = { ...mapping, constants: { payee_type: 'bank_account', institution_country: 'KE' } };
    const of = (digits: string, accountLengths?: ReadonlyMap<string, number>) =>
      checkRow(
        kenyan,
        { ...row, currency: 'KES', Bank: 'KCB', NUBAN: number(digits) },
        accountLengths === undefined ? {} : { accountLengths },
      ).record['account_number'];
    expect(of('123456789')).toBeUndefined();
    const lengths = new Map([['kcb', 10]]);
    expect(of('123456789', lengths)).toBe('0123456789');
    expect(of('1234567890', lengths)).toBe('1234567890');
    expect(of('12345678', lengths)).toBeUndefined();
  });
});

describe('phone numbers and ids in number cells', () => {
  it('are read where possible, and reported as number cells or local phone numbers', () => {
    const mapping = {
      columns: { Tel: 'phone', No: 'external_id' },
      phoneCountry: 'KE',
      repair: { Tel: ['number_cells', 'local_phone'], No: ['number_cells'] },
    };
    const row = { first_name: 'A', last_name: 'B', No: number('4711') };
    const { record, notes } = checkRow(mapping, { ...row, Tel: number('712345678') });
    expect(record).toMatchObject({ phone: '+254712345678', external_id: '4711' });
    expect(notes).toEqual(['repaired No: number cell', 'repaired Tel: number cell']);
    expect(checkRow(mapping, { ...row, Tel: '0712 345 678' }).notes.map(noteText)).toContain(
      'repaired Tel: local phone number',
    );
    expect(checkRow(mapping, { ...row, Tel: number('999') }).codes).toEqual(['Tel: damaged_number']);
  });
});

describe('words that mean an empty value', () => {
  const row = { first_name: 'Amina', last_name: 'Otieno', Mail: 'n/a', Remark: 'N/A' };

  it('are empty values, in every column or in one, and reported', () => {
    const all = checkRow({ columns: { Mail: 'email', Remark: 'gender' }, empty: ['N/A'] }, row);
    expect(all.codes).toEqual([]);
    expect(all.record).not.toHaveProperty('email');
    expect(all.notes).toEqual(['repaired Mail: word for nothing', 'repaired Remark: word for nothing']);
    const one = checkRow({ columns: { Mail: 'email', Remark: 'gender' }, empty: { Remark: ['n/a'] } }, row);
    expect(one.codes).toEqual(['Mail: invalid_email']);
  });

  it('are missing where a value is required, and left out of what is joined', () => {
    const mapping = { empty: ['-'], join: { address_line1: ['Street', 'No'] } };
    const joined = checkRow(mapping, {
      first_name: '-',
      last_name: 'B',
      country: 'KE',
      Street: 'Moi Ave',
      No: '-',
    });
    expect(joined.codes).toEqual(['first_name: required']);
    expect(joined.record['address_line1']).toBe('Moi Ave');
  });
});

describe('values of a mapping', () => {
  const mapping = {
    columns: { Sex: 'gender' },
    values: { gender: { 'M ': 'male', Frau: 'female', x: '', Zeepay: null } },
  };
  const gender = (text: string) => checkRow(mapping, { first_name: 'A', last_name: 'B', Sex: text });

  it('are compared exactly first, then without regard to case and blanks', () => {
    expect(gender('m').record['gender']).toBe('male');
    expect(gender('FRAU').record['gender']).toBe('female');
    expect(gender('X').record).not.toHaveProperty('gender');
    const both = { columns: { Sex: 'gender' }, values: { gender: { A: 'male', a: 'female' } } };
    expect(checkRow(both, { first_name: 'A', last_name: 'B', Sex: 'a' }).record['gender']).toBe('female');
  });

  it('leave no other word of the file to be sent, unless it is one of the API or usual for it', () => {
    expect(gender('Enby').findings).toMatchObject([{ code: 'unknown_value', column: 'Sex' }]);
    expect(textOf(gender('Enby').findings[0])).toContain(
      'explains the values of this column, and not “Enby”',
    );
    for (const own of ['male', 'female', 'Female']) expect(gender(own).codes).toEqual([]);
    // Without explanations, the API is the judge of a word.
    const unexplained = { columns: { Sex: 'gender' } };
    expect(checkRow(unexplained, { first_name: 'A', last_name: 'B', Sex: 'Enby' }).codes).toEqual([]);
  });

  it('determine the country of phone numbers too', () => {
    const mapping = {
      columns: { Land: 'country', Tel: 'phone' },
      values: { country: { 'Rep. of Ireland': 'IE' } },
      phoneCountry: { column: 'Land' },
    };
    const row = { first_name: 'A', last_name: 'B', Land: 'rep. of ireland', Tel: '087 234 5607' };
    expect(checkRow(mapping, row).record['phone']).toBe('+353872345607');
  });

  it('refuse the rows whose value has no counterpart', () => {
    const { findings } = gender('ZEEPAY');
    expect(findings).toMatchObject([{ code: 'unknown_value', column: 'Sex' }]);
    expect(textOf(findings[0])).toContain('the mapping has no counterpart for “ZEEPAY”');
  });
});

describe('amounts', () => {
  const base = { columns: { Sum: 'amount' }, thousands: ',', constants: { payee_type: 'bank_account' } };
  const row = {
    customer_id: customer,
    currency: 'UGX',
    account_name: 'A',
    account_number: '1',
    institution_name: 'X',
  };
  const amount = (repair: readonly string[], text: Cell, currency = 'UGX') =>
    checkRow({ ...base, repair: { Sum: repair } }, { ...row, currency, Sum: text });

  it.each([
    ['45,000/=', 'UGX', '45000'],
    ['UGX 45,000/=', 'UGX', '45000'],
    ['₦1,500', 'NGN', '1500'],
    ['KSh 1,500', 'KES', '1500'],
    ['K 250', 'ZMW', '250'],
    ['GH₵1,500', 'GHS', '1500'],
  ])('%s in %s is %s, without its marks', (text, currency, plain) => {
    const { record, notes } = amount(['amount_marks'], text, currency);
    expect(record['amount']).toBe(plain);
    expect(notes).toContain('repaired Sum: currency mark');
  });

  it('in brackets are negative, and refused as that', () => {
    const { findings } = amount(['negative_in_brackets'], '(1,234.50)');
    expect(findings).toMatchObject([{ code: 'invalid_amount' }]);
    expect(textOf(findings[0])).toContain('is -1234.50; an amount is above zero');
  });

  it('in another currency are refused', () => {
    expect(amount(['amount_marks'], '₦1,500', 'KES').codes).toEqual(['Sum: currency_mismatch']);
  });
});

describe('a full name that is split', () => {
  const mapping = { split: { Name: { into: ['first_name', 'last_name'], order: 'first_last' } } };

  it('gives its parts, and reports them', () => {
    const { record, notes } = checkRow(mapping, { Name: 'Maria da Silva', email: 'm@people.example' });
    expect(record).toMatchObject({ first_name: 'Maria', last_name: 'da Silva' });
    expect(notes.map(noteText)).toEqual(['read as Maria: Name', 'read as da Silva: Name']);
  });

  it('is refused with a single name, by the name of its column', () => {
    const { codes, findings } = checkRow(mapping, { Name: 'Ronaldo', email: 'm@people.example' });
    expect(codes).toEqual(['Name: required']);
    expect(textOf(findings[0])).toBe(
      'has a single name, and no last name with it: write the first and the last name in “Name”',
    );
    expect(checkRow(mapping, { Name: 'A, B, C', email: 'm@people.example' }).codes).toEqual([
      'Name: required',
    ]);
  });
});

describe('an address that is split', () => {
  const mapping = {
    split: { Address: { into: ['address_line1', 'city', 'state', 'postal_code'] } },
    constants: { country: 'US' },
    places: 'names',
  };
  const person = { first_name: 'Ann', last_name: 'Lee', email: 'a@people.example' };

  it('gives its parts, each checked as in a column of its own', () => {
    const address = '12 Elm St, Apt 2, Austin, TX 78701';
    const { record, codes } = checkRow(mapping, { ...person, Address: address });
    expect(codes).toEqual([]);
    expect(record).toMatchObject({
      address_line1: '12 Elm St, Apt 2',
      city: 'Austin',
      state: 'US-TX',
      postal_code: '78701',
      country: 'US',
    });
  });

  it.each([
    ['12 Elm St, Austin 78701', 'is not street, town, state, postal code in one'],
    ['1450 Rue Peel, Montreal, QC H3A 1T5, Canada', 'is not street, town, state, postal code in one'],
  ])('has one finding for the whole cell: %s', (address, words) => {
    const { codes, findings } = checkRow(mapping, { ...person, Address: address });
    expect(codes).toEqual(['Address: required']);
    expect(textOf(findings[0])).toContain(words);
  });

  it('has one finding where the cell is empty and a payee needs all of it', () => {
    const kept = Object.entries(us).filter(([title]) => !['address_line1', 'city', 'State'].includes(title));
    const { codes } = checkRow({ ...mapping, constants: {} }, { ...Object.fromEntries(kept), Address: '' });
    expect(codes).toEqual(['Address: required']);
  });
});

describe('cells that only other payee types have a use for', () => {
  const titles = {
    columns: { Type: 'payee_type', Account: 'account_number', Mobile: 'phone_number' },
    constants: { institution_country: 'KE', currency: 'KES', institution_name: 'KCB' },
    phoneCountry: 'KE',
  };
  const agreed = {
    ...titles,
    repair: { Account: ['only_where_used'], Mobile: ['only_where_used', 'local_phone'] },
  };
  const row = { customer_id: customer, account_name: 'Ann', Account: '1102345678', Mobile: '0712345678' };

  it('are left out once a person has agreed, and reported', () => {
    expect(checkRow(titles, { ...row, Type: 'bank_account' }).codes).toEqual(['Mobile: unexpected_value']);
    const { codes, record, notes, kept } = checkRow(agreed, { ...row, Type: 'bank_account' });
    expect(codes).toEqual([]);
    expect(record).toMatchObject({ account_number: '1102345678' });
    expect(record).not.toHaveProperty('phone_number');
    expect(notes).toContain('repaired Mobile: not of this payee type');
    expect(kept['Mobile']).toBe('0712345678');
  });

  it('are accounts of mobile money too, which are phone numbers, unless there is a phone', () => {
    expect(checkRow(titles, { ...row, Type: 'mobile_money' }).codes).toEqual(['Account: conflicting_values']);
    const { codes, record } = checkRow(agreed, { ...row, Type: 'mobile_money' });
    expect(codes).toEqual([]);
    expect(record).toMatchObject({ phone_number: '+254712345678' });
    const alone = checkRow(agreed, { ...row, Type: 'mobile_money', Account: '0712345678', Mobile: '' });
    expect(alone.record['phone_number']).toBe('+254712345678');
  });

  it('count in the rows that have a use for them', () => {
    expect(checkRow(agreed, { ...row, Type: 'mobile_money', Account: '', Mobile: '07' }).codes).toEqual([
      'Mobile: invalid_phone',
    ]);
  });
});

it.each([
  // In Ivory Coast the zero is a part of the number.
  ['701234567', 'CI', '+2250701234567', true],
  ['201234567', 'CI', undefined, false],
  // In Hungary 06 is dialled before it: the 6 that is left keeps it from being read.
  ['6304641276', 'HU', '+36304641276', true],
  ['304641276', 'HU', '+36304641276', false],
  // Elsewhere the zero is dialled before it, and the number is read without it.
  ['712345678', 'KE', '+254712345678', false],
])('the phone %s in a number cell of %s is %s', (digits, country, expected, isRepaired) => {
  const repair = { Mobile: ['lost_zeros', 'number_cells', 'local_phone'] };
  const mapping = { columns: { Mobile: 'phone' }, phoneCountry: country, repair };
  const { record, notes } = checkRow(mapping, { first_name: 'A', last_name: 'B', Mobile: number(digits) });
  expect(record['phone']).toBe(expected);
  expect(notes.includes('repaired Mobile: lost zero')).toBe(isRepaired);
});

it('a line break inside a value is a space where that was agreed to', () => {
  const mapping = { columns: { Street: 'address_line1' }, repair: { Street: ['line_breaks'] } };
  const row = { first_name: 'A', last_name: 'B', country: 'KE', Street: 'Moi Ave\n5' };
  const { record, notes } = checkRow(mapping, row);
  expect(record['address_line1']).toBe('Moi Ave 5');
  expect(notes).toEqual(['repaired Street: line break']);
});

it.each(['-"-', '-//-', '||', '-II-', '- II -', 'ídem', 'Same as above', 'j.w.'])(
  'a ditto mark with nothing above it is refused: %s',
  (mark) => {
    const mapping = { columns: { Town: 'city' }, repair: { Town: ['ditto'] } };
    const { codes } = checkRow(mapping, { first_name: 'A', last_name: 'B', country: 'KE', Town: mark });
    expect(codes).toEqual(['Town: required']);
  },
);

describe('values as a spreadsheet or another script has them', () => {
  const mapping = {
    kind: 'customers',
    phoneCountry: 'EG',
    columns: { Ref: 'external_id', First: 'first_name', Last: 'last_name', Mobile: 'phone' },
    repair: { Ref: ['text_marks'], Mobile: ['other_digits', 'local_phone'] },
  };
  const row = { Ref: "'00417", First: 'Hana', Last: 'Nabil', Mobile: '٠١٠٢٣٤٥٦٧٨٩' };

  it('are read where a person has agreed, and the result says so', () => {
    const { record, codes, notes } = checkRow(mapping, row);
    expect(codes).toEqual([]);
    expect(record).toMatchObject({ external_id: '00417', phone: '+201023456789' });
    expect(notes).toEqual([
      'repaired Ref: mark of a text',
      'repaired Mobile: digits of another script, local phone number',
    ]);
    expect(checkRow(mapping, { ...row, Ref: '="00418"' }).record['external_id']).toBe('00418');
  });

  it('are read in a column of phones or codes with signs of full width, and with the sign of the post', () => {
    const own = {
      kind: 'customers',
      phoneCountry: 'JP',
      columns: { First: 'first_name', Last: 'last_name', Mobile: 'phone', Code: 'postal_code' },
      constants: { country: 'JP' },
      repair: { Mobile: ['other_digits', 'local_phone'], Code: ['text_marks', 'other_digits'] },
    };
    const one = { First: '健', Last: '森', Mobile: '090－2345－6789', Code: '〒 060－0061' };
    const { record, codes, notes } = checkRow(own, one);
    expect(codes).toEqual([]);
    expect(record).toMatchObject({ phone: '+819023456789', postal_code: '060-0061' });
    expect(notes).toEqual([
      'repaired Mobile: signs of full width, local phone number',
      'repaired Code: mark of a text, signs of full width',
    ]);
  });

  it('are refused, or stay as they are, without that', () => {
    const { codes, record } = checkRow({ ...mapping, repair: {} }, row);
    expect(codes).toEqual(['Mobile: invalid_phone']);
    expect(record['external_id']).toBe("'00417");
  });

  it('are refused where their check digits are not those of their column', () => {
    const own = {
      kind: 'recipients',
      columns: { Customer: 'customer_external_id', Name: 'account_name', CLABE: 'account_number' },
      constants: { payee_type: 'bank_account', currency: 'MXN', institution_id: customer },
      accountForms: { CLABE: 'clabe' },
    };
    const paid = { Customer: 'C-1', Name: 'Ana Paz', CLABE: '021580298093799464' };
    expect(checkRow(own, paid).codes).toEqual([]);
    expect(checkRow(own, { ...paid, CLABE: '021 580 29809379946 4' }).codes).toEqual([]);
    expect(checkRow(own, { ...paid, CLABE: '021580298093799465' }).codes).toEqual([
      'CLABE: invalid_account_number',
    ]);
  });
});

describe('values in another form, as a person has agreed to have them read', () => {
  const mapping = {
    kind: 'recipients',
    columns: { Member: 'customer_external_id', Holder: 'account_name', Account: 'account_number' },
    constants: { institution_id: customer, currency: 'PHP' },
    phoneCountry: 'PH',
    repair: { Account: ['phones_of_country'] },
  };
  const paid = { Member: 'C-1', Holder: 'Ana Cruz', Account: '9614123456' };

  it('are the phone of mobile money, and stay an account of a bank', () => {
    const phone = checkRow(mapping, { ...paid, payee_type: 'mobile_money' });
    expect(phone.record['phone_number']).toBe('+639614123456');
    expect(phone.notes).toContain('repaired Account: phone of its country');
    expect(checkRow(mapping, { ...paid, payee_type: 'bank_account' }).record['account_number']).toBe(
      '9614123456',
    );
    const without = checkRow({ ...mapping, repair: {} }, { ...paid, payee_type: 'mobile_money' });
    expect(without.codes).toEqual(['phone_number: required']);
  });

  it('are a postal code without its country, and an IBAN in Latin letters, and the result says so', () => {
    const own = {
      kind: 'recipients',
      columns: { Member: 'customer_external_id', Holder: 'account_name', IBAN: 'iban', Code: 'postal_code' },
      constants: {
        ...{ payee_type: 'sepa', currency: 'EUR', bank_name: 'BNB', account_owner_type: 'individual' },
        ...{ address_line1: 'Rakovski 1', city: 'Sofia', country: 'BG' },
      },
      repair: { IBAN: ['latin_letters'], Code: ['country_prefix'] },
    };
    const row = { Member: 'C-1', Holder: 'Ana Ilieva', IBAN: 'ВG80 ВNВG 9661 1020 3456 78', Code: 'BG-1407' };
    const { record, notes, codes } = checkRow(own, row);
    expect(codes).toEqual([]);
    expect(record).toMatchObject({ iban: 'BG80BNBG96611020345678', postal_code: '1407' });
    expect(notes).toEqual([
      'repaired IBAN: letters of another alphabet',
      'repaired Code: country before the postal code',
    ]);
    expect(checkRow({ ...own, repair: {} }, row).codes).toEqual([
      'IBAN: invalid_iban',
      'Code: invalid_postal_code',
    ]);
  });

  it('are phones as they are dialled now', () => {
    const own = {
      kind: 'customers',
      columns: { First: 'first_name', Last: 'last_name', Mobile: 'phone' },
      repair: { Mobile: ['old_phone_form'] },
    };
    const { record, notes } = checkRow(own, { First: 'Ana', Last: 'Luna', Mobile: '+52 1 55 4321 8765' });
    expect(record['phone']).toBe('+525543218765');
    expect(notes).toEqual(['repaired Mobile: digits that are no longer dialled']);
  });
});
