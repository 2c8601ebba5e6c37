import { describe, expect, it } from 'vitest';
import type { Institution } from '../../../src/domain/institution.ts';
import { countryOfInstitutions } from '../../../src/propose/columns/institution-names.ts';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport, type Trial } from '../../../src/propose/dialogue/reading-source.ts';
import { proposeReadings } from '../../../src/propose/reading/propose.ts';
import { columnOf } from '../../../src/propose/sheet/column.ts';
import { gridOf, institution, kenyan, type Lines, proposingOf, readLines as read } from '../grids.ts';

const africa: Readonly<Record<string, readonly Institution[]>> = {
  ZA: ['Capitec Bank', 'Nedbank', 'First National Bank'].map((name) =>
    institution(name, 'bank', 'ZA', 'ZAR'),
  ),
  CI: ['Orange Money', 'Wave'].map((name) => institution(name, 'mobile_money', 'CI', 'XOF')),
};
const facts = { ...kenyan.facts, institutions: async (country: string) => africa[country] ?? [] };

const payroll: Lines = [
  ['Staff no', 'Names', 'Paid through', 'Account', 'Mobile No.', 'Net pay (KES)'],
  ['C-1', 'Amina Otieno', 'Safaricom', '', '0712 345 678', '850'],
  ['C-2', 'Joseph Mushi', 'KCB Bank Kenya', '1102345678901', '0712 345 679', '950'],
  ['C-3', 'Wanjiru Kamau', 'KCB Bank Kenya', '1102345678999', '', '760'],
  ['C-4', 'Ali Omar', 'Airtel Money', '1102345670000', '0733 345 680', '760'],
];

/** Each row is paid as its institution says. */
const mixed = { 'reading:payee_type': 'institution_name' };

describe('cells of rows whose payee type has no such field', () => {
  it('are reported with the rows, and left out only after a yes', async () => {
    const { writing, mapping, agreed } = await read(payroll, mixed, kenyan);
    const offers = writing.offers.filter(({ name }) => name === 'only_where_used');
    expect(offers.map(({ column, samples }) => [column.title, samples])).toEqual([
      ['Account', [{ row: 5, before: '1102345670000', after: '' }]],
      ['Mobile No.', [{ row: 3, before: '0712 345 679', after: '' }]],
    ]);
    expect(JSON.stringify(mapping.repair)).not.toContain('only_where_used');
    expect(agreed?.repair?.['Mobile No.']).toContain('only_where_used');
    const after = await read(payroll, { ...mixed, 'repair:Mobile No.:only_where_used': 'yes' }, kenyan);
    expect(after.mapping.repair?.['Mobile No.']).toContain('only_where_used');
    expect(after.mapping.repair?.['Account'] ?? []).not.toContain('only_where_used');
  });

  it('make a reading of both payee types better than one that loses half of the rows', async () => {
    // As the validator would judge: a bank row with a phone is refused until a person has agreed.
    const trial: Trial = async ({ mapping, assignment }) => {
      const isMixed = typeof mapping.constants?.['payee_type'] === 'object';
      const isAgreed = JSON.stringify(mapping.repair ?? {}).includes('only_where_used');
      const pass = !isMixed ? 2 : isAgreed ? 4 : 1;
      return {
        forecast: { pass: assignment.kind === 'recipients' ? pass : 0, refused: 0, left_out: 0 },
        reasons: [],
      };
    };
    const dialogue = new MappingDialogue(rowsToImport(proposingOf([gridOf(payroll)], kenyan)), trial);
    const { reading } = await dialogue.proposed();
    expect(reading.mapping.constants?.['payee_type']).toEqual({ from: 'institution_name' });
    expect(reading.mapping.columns).toMatchObject({
      'Mobile No.': 'phone_number',
      Account: 'account_number',
    });
  });
});

it('tries to derive payee types from the institutions, however many other ways look likelier', async () => {
  const lines: Lines = [
    ['Employee code', 'Last name', 'First name', 'Bank/MoMo', 'Account or phone', 'Type', 'Net pay (KES)'],
    ['C-1', 'OTIENO', 'Amina', 'Safaricom', '0712 345 678', 'A', '850'],
    ['C-2', 'MUSHI', 'Joseph', 'KCB Bank Kenya', 'KE1102-345678901', 'B', '950'],
    ['C-3', 'KAMAU', 'Wanjiru', 'Airtel', '0733 345 678', 'A', '760'],
  ];
  const readings = await proposeReadings(proposingOf([gridOf(lines)], kenyan), new Map());
  const mixed = readings.find(({ mapping }) => typeof mapping.constants?.['payee_type'] === 'object');
  // Accounts may be phones, and phones are no accounts.
  expect(mixed?.mapping.columns?.['Account or phone']).toBe('account_number');
});

describe('the country of the banks that a file names', () => {
  const named = (names: readonly string[]) =>
    columnOf(
      0,
      'Bank',
      names.map((name, at) => ({ number: at + 2, cells: [name] })),
    );

  it.each([
    [['FNB', 'Capitec', 'NEDBANK', 'Tyme Bank'], 'ZA'],
    [['HDFC BANK LTD', 'SBI', 'Kotak', 'PNB', 'Axis Bank Ltd.'], 'IN'],
    // Other countries have these too.
    [['Airtel Money', 'MTN', 'Absa'], undefined],
    [['Blue Crane', 'Karoo'], undefined],
  ])('%j is %s', (names, country) => {
    expect(countryOfInstitutions(named(names))).toBe(country);
  });

  it('gives the currency where nothing else does, and the signs of amounts agree', async () => {
    const { mapping, points } = await read(
      [
        ['Supplier code', 'Trading As', 'Bank', 'Acc No', 'Amount due'],
        ['C-1', 'Karoo Catering', 'Capitec', '1234567890', 'R 12 345,67'],
        ['C-2', 'Blue Crane CC', 'NEDBANK', '62 123 456 789', 'R 345,00'],
        ['C-3', 'Table Bay Trust', 'FNB', '62123456780', '-R 150,00'],
      ],
      {},
      { facts },
    );
    expect(mapping.constants).toMatchObject({ currency: 'ZAR', institution_country: 'ZA' });
    expect(mapping.columns).toMatchObject({ 'Trading As': 'account_name', Bank: 'institution_name' });
    expect(points.filter(({ id }) => id.startsWith('constant:'))).toEqual([]);
  });
});

describe('what is inferred from a whole file about its columns', () => {
  it('reads the only phones as those of mobile money, and the only amounts with a currency, and offers lost zeros', async () => {
    const { mapping, writing } = await read(
      [
        ['N°', 'Code planteur', 'Nom et prénoms', 'Numéro à créditer', 'Réseau', 'Tonnage', 'Prime (FCFA)'],
        [1, 'C-1', 'KOUASSI Aya', '07 01 23 45 67', 'Orange', 1.5, 75000],
        [2, 'C-2', 'YAO Serge', 701234568, 'Wave', 2, 129000],
        [3, 'C-3', 'KONAN Affoué', '+2250701234569', 'WAVE CI', 2.5, 90000],
        [4, 'C-4', 'YAO Marie', '+2250701234570', 'OM', 3, 45000],
      ],
      { 'reading:payee_type': 'mobile_money' },
      { facts },
    );
    expect(mapping.columns).toMatchObject({ 'Numéro à créditer': 'phone_number', 'Prime (FCFA)': 'amount' });
    expect(mapping.constants).toMatchObject({ currency: 'XOF', institution_country: 'CI' });
    expect(writing.offers.find(({ name }) => name === 'lost_zeros')?.samples).toEqual([
      { row: 3, before: '701234568', after: '0701234568' },
    ]);
  });

  it.each([
    ['offers a zero where texts have kept none', ['2005193411', '3300498221', '123456789'], ['123456789']],
    ['offers none where most texts have kept theirs', ['0200519341', '0300498221', '123456789'], []],
    ['offers none before another zero', ['2005193411', '3300498221', '033827111'], []],
    ['offers one in a number cell beside such texts', ['0200519341', '0300498221', 123456789], ['123456789']],
  ])('%s', async (_, accounts, offered) => {
    const bank = institution('Zenith Bank', 'bank', 'NG', 'NGN');
    const { writing } = await read(
      [
        ['Vendor', 'Account name', 'Bank', 'Account number', 'Currency'],
        ...accounts.map((account, at) => [`C-${at}`, `Ada Obi ${at}`, 'Zenith Bank', account, 'NGN']),
      ],
      { 'reading:payee_type': 'bank_account' },
      { facts: { ...facts, institutions: async (country: string) => (country === 'NG' ? [bank] : []) } },
    );
    const samples = writing.offers.find(({ name }) => name === 'lost_zeros')?.samples ?? [];
    expect(samples.map(({ before }) => before)).toEqual(offered);
  });

  it('reads words that are written together, and takes the fuller of two columns that are called alike', async () => {
    const { mapping, points } = await read(
      [
        [
          '*ContactName',
          'AccountNumber',
          'FirstName',
          'LastName',
          'POAddressLine1',
          'POCity',
          'SAAddressLine1',
          'SACity',
          'PhoneNumber',
          'MobileNumber',
          'POCountry',
        ],
        ['Eva Roy', 'CU1', 'Eva', 'Roy', '5 High Street', 'London', '', '', '', '07400 123456', 'UK'],
        [
          'Tom Lee',
          'CU2',
          'Tom',
          'Lee',
          '6 High Street',
          'Dublin',
          '1 Depot Lane',
          'Cork',
          '',
          '085 1234567',
          'Ireland',
        ],
        [
          'Ann Bell',
          'CU3',
          'Ann',
          'Bell',
          '7 High Street',
          'Leeds',
          '',
          '',
          '0131 496 0000',
          '07400 123457',
          'UK',
        ],
      ],
      {},
      { stated: { kind: 'customers' } },
    );
    expect(mapping.columns).toMatchObject({
      AccountNumber: 'external_id',
      FirstName: 'first_name',
      POAddressLine1: 'address_line1',
      POCity: 'city',
      MobileNumber: 'phone',
      POCountry: 'country',
    });
    expect(mapping.ignore).toEqual(expect.arrayContaining(['SAAddressLine1', 'SACity', 'PhoneNumber']));
    expect(points.filter(({ id }) => id.startsWith('column:'))).toEqual([]);
  });

  it('asks for the country of addresses, and proposes that of the phones', async () => {
    const lines: Lines = [
      ['No. Cliente', 'Nombre(s)', 'Apellido Paterno', 'Celular', 'Calle', 'C.P.', 'Ciudad'],
      ['MX1', 'Ana', 'Luna', '+52 55 1234 5678', 'Reforma 5', '06600', 'Cuauhtémoc'],
      ['MX2', 'Luis', 'Vega', '+52 81 1234 5678', 'Juárez 7', '64000', 'Monterrey'],
      ['MX3', 'Eva', 'Mora', '5512345679', 'Juárez 9', '64000', 'Monterrey'],
    ];
    const { points, mapping } = await read(lines, {}, { stated: { kind: 'customers' } });
    expect(points.find(({ id }) => id === 'constant:country')?.subject).toMatchObject({ proposal: 'MX' });
    expect(mapping.phoneCountry).toBe('MX');
    const asked = await read(
      lines,
      { 'constant:country': { text: 'MX' } },
      { stated: { kind: 'customers' } },
    );
    expect(asked.mapping.constants?.['country']).toBe('MX');
    expect(asked.points.find(({ id }) => id === 'constant:country')).toBeUndefined();
  });

  it('reads a Polish file by its own words, country names and kinds of people', async () => {
    const { mapping } = await read([
      [
        'Lp.',
        'Nr kontrahenta',
        'Nazwa odbiorcy',
        'Rodzaj',
        'Ulica i nr',
        'Kod pocztowy',
        'Miejscowość',
        'Kraj',
        'Nr rachunku (IBAN)',
        'Nazwa banku',
        'Kwota do zapłaty (EUR)',
      ],
      [
        '1',
        'C-1',
        'Łukasz Zając',
        'Osoba fizyczna',
        'ul. Długa 5',
        '31-042',
        'Kraków',
        'Polska',
        'PL61109010140000071219812874',
        'mBank',
        '1\u00a0250,50',
      ],
      [
        '2',
        'C-2',
        'Bałtyk sp. z o.o.',
        'Spółka z o.o.',
        'Allee 7',
        '10115',
        'Berlin',
        'Niemcy',
        'DE89370400440532013000',
        'ING',
        '80,00',
      ],
    ]);
    expect(mapping.columns).toEqual({
      'Nr kontrahenta': 'customer_external_id',
      'Nazwa odbiorcy': 'account_name',
      Rodzaj: 'account_owner_type',
      'Ulica i nr': 'address_line1',
      'Kod pocztowy': 'postal_code',
      Miejscowość: 'city',
      Kraj: 'country',
      'Nr rachunku (IBAN)': 'iban',
      'Nazwa banku': 'bank_name',
      'Kwota do zapłaty (EUR)': 'amount',
    });
    expect(mapping).toMatchObject({ decimal: ',', thousands: ' ' });
    expect(mapping.values).toEqual({
      account_owner_type: { 'Osoba fizyczna': 'individual', 'Spółka z o.o.': null },
    });
  });

  it.each([
    [['37.500,-', '72.000,-', 27_500], { decimal: ',', thousands: '.' }],
    [['37.500,-', '27.000,00', '60.000', 3_500], { decimal: ',', thousands: '.' }],
    [['1,500.-', '12,250.--', '300.-'], { decimal: undefined, thousands: ',' }],
    // A dash behind the sign between groups says nothing of the cents.
    [['37.500.-', '27.000', 37_500, 27_500, 60_000], { decimal: ',', thousands: '.' }],
  ])('reads %j, where a dash stands for no cents', async (amounts, { decimal, thousands }) => {
    const header = ['Customer no.', 'Account holder', 'Phone', 'Operator', 'Amount', 'Currency'];
    const rows = amounts.map((amount, at) => [
      ...[`C-${at}`, 'Amina Otieno', `+25471234567${at}`, 'M-Pesa'],
      ...[amount, 'KES'],
    ]);
    const { mapping } = await read([header, ...rows], {}, kenyan);
    expect(mapping.decimal).toBe(decimal);
    expect(mapping.thousands).toBe(thousands);
  });

  it('collects what is still owed, not what was billed or paid', async () => {
    const { mapping } = await read(
      [
        ['Adm No', 'Student', 'Invoice', 'Wallet', 'Billed', 'Paid', 'Balance (KES)'],
        ['C-1', 'Amina Otieno', 'T3-1', 'MPESA', 45000, 40000, 5000],
        ['C-2', 'Joseph Mushi', 'T3-2', 'Airtel', 45000, 38500, 6500],
      ],
      {},
      { ...kenyan, stated: { kind: 'collections' } },
    );
    expect(mapping.columns?.['Balance (KES)']).toBe('amount');
  });

  it('reads a state that several countries have as that of US accounts, and as none elsewhere', async () => {
    const us = await read(
      [
        ['Cust #', 'Name', 'ABA Routing No', 'Acct', 'Acct Type', 'Bank', 'Street', 'City', 'State', 'Zip'],
        [
          'C-1',
          'John Doe',
          '021000021',
          '1234567801',
          'SAV',
          'Chase',
          '1 Main St',
          'New York',
          'NY',
          '10001',
        ],
        [
          'C-2',
          'Jane Roe',
          '021000021',
          '1234567802',
          'SAV',
          'Chase',
          '2 Main St',
          'New York',
          'NY',
          '10001',
        ],
      ],
      {},
      { ...kenyan, stated: { kind: 'recipients' } },
    );
    expect(us.mapping.constants).toMatchObject({ payee_type: 'bank_account_us', country: 'US' });
    const { mapping } = await read(
      [
        ['First name', 'Last name', 'Street', 'City', 'State'],
        ['John', 'Doe', '1 Main St', 'New York', 'NY'],
      ],
      {},
      { stated: { kind: 'customers' } },
    );
    expect(mapping.constants?.['country']).toBeUndefined();
  });
});

it('joins the names of persons with those of businesses, where no row has both', async () => {
  const titles = ['Customer no.', 'First name', 'Last name', 'Business name', 'Mobile', 'Network', 'Amount'];
  const payees = [
    ['C-1', 'Ann', 'Lee', '', '0712345678', 'M-PESA', '150.00'],
    ['C-2', '', '', 'Bluebird Ltd', '0712345679', 'M-PESA', '250.00'],
    ['C-3', 'Joe', 'Kamau', '', '0712345670', 'M-PESA', '350.00'],
  ];
  const stated = { ...kenyan, stated: { kind: 'recipients' as const } };
  const { mapping } = await read([titles, ...payees], {}, stated);
  expect(mapping.join?.['account_name']).toEqual(['First name', 'Last name', 'Business name']);
  const both = payees.map((cells) => cells.with(1, 'Ann').with(2, 'Lee'));
  const other = await read([titles, ...both], {}, stated);
  expect(other.mapping.join?.['account_name'] ?? []).not.toHaveLength(3);
});
