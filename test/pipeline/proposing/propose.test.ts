import { describe, expect, it } from 'vitest';
import { proposeReadings, type Reading } from '../../../src/pipeline/proposing/propose.ts';
import type { Decision } from '../../../src/pipeline/proposing/questions.ts';
import { gridOf, institution, proposingOf } from './grids.ts';

type Lines = Parameters<typeof gridOf>[0];

async function read(
  lines: Lines,
  decisions: Readonly<Record<string, Decision>> = {},
  own = {},
): Promise<Reading> {
  const [best] = await proposeReadings(proposingOf([gridOf(lines)], own), new Map(Object.entries(decisions)));
  if (best === undefined) throw new Error('nothing was proposed');
  return best;
}

const wages: Lines = [
  ['Umoja SACCO, wages of week 46'],
  ['Printed 13/11/2026'],
  ['No.', 'Member', 'Names', 'M-PESA no.', 'Provider', 'Gross', 'Net pay (KES)'],
  [1, 'C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', 900, 850],
  [2, 'C-2', 'Joseph Mushi', 712345679, 'MPESA', 1000, 950],
  [3, 'C-3', 'Wanjiru Kamau', '254712345680', 'Airtel', 800, 760],
  ['', '', 'TOTAL', '', '', 2700, 2560],
];

const kenyan = {
  facts: {
    accountLabels: async () => new Map([['Rent', 1]]),
    knownCustomers: async (ids: readonly string[]) =>
      ids.filter((id) => id.startsWith('C-')).length / ids.length,
    institutions: async (country: string) =>
      country === 'KE'
        ? [
            institution('M-Pesa', 'mobile_money'),
            institution('Airtel Money', 'mobile_money'),
            institution('KCB Bank Kenya', 'bank'),
          ]
        : [],
  },
};

describe('the reading of a file that nobody has described', () => {
  it('finds the header below titles, leaves out running numbers and totals, and takes what is paid for the amount', async () => {
    const { mapping } = await read(wages, {}, kenyan);
    expect(mapping).toMatchObject({
      kind: 'recipients',
      headerRows: [3],
      columns: {
        Member: 'customer_external_id',
        Names: 'account_name',
        'M-PESA no.': 'phone_number',
        Provider: 'institution_name',
        'Net pay (KES)': 'amount',
      },
      ignore: ['No.', 'Gross'],
      constants: { currency: 'KES', institution_country: 'KE', payee_type: 'mobile_money' },
      phoneCountry: 'KE',
      leaveOut: true,
      values: { institution_name: { Safaricom: 'M-Pesa', MPESA: 'M-Pesa', Airtel: 'Airtel Money' } },
    });
  });

  it('reads a header of two rows', async () => {
    const { mapping } = await read([
      ['Payee', '', 'Address', '', '', '', 'Bank', ''],
      ['Code', 'Name', 'Street', 'ZIP', 'City', 'Country', 'IBAN', 'Bank name'],
      [
        'C-1',
        'Lukas Schneider',
        'Allee 5',
        '10115',
        'Berlin',
        'Germany',
        'DE89370400440532013000',
        'Commerzbank',
      ],
      ['C-2', 'Marie Dubois', '2 rue Foch', '75001', 'Paris', 'France', 'FR1420041010050500013M02606', 'LCL'],
    ]);
    expect(mapping.headerRows).toEqual([1, 2]);
    expect(mapping.columns).toMatchObject({
      'Bank / IBAN': 'iban',
      'Payee / Code': 'customer_external_id',
      'Bank / Bank name': 'bank_name',
    });
    expect(mapping.constants).toMatchObject({ payee_type: 'sepa', currency: 'EUR' });
  });

  it('joins the parts of a name for an account holder, and splits a whole name for a customer', async () => {
    const recipients = await read([
      ['Code', 'Surname', 'First name', 'IBAN', 'Bank', 'Street', 'City', 'ZIP', 'Country'],
      ['C-1', 'Otieno', 'Amina', 'DE89370400440532013000', 'ING', 'Allee 5', 'Berlin', '10115', 'DE'],
      ['C-2', 'Mushi', 'Joseph', 'FR1420041010050500013M02606', 'LCL', 'Foch 2', 'Paris', '75001', 'FR'],
    ]);
    expect(recipients.mapping.join).toEqual({ account_name: ['Surname', 'First name'] });
    const customers = await read(
      [
        ['Client no', 'Full name', 'E-mail'],
        ['X-1', 'Amina Otieno', 'amina@people.example'],
        ['X-2', 'Joseph van der Berg', 'joseph@people.example'],
      ],
      {},
      { stated: { kind: 'customers' } },
    );
    expect(customers.mapping.split).toEqual({
      'Full name': { into: ['first_name', 'last_name'], order: 'first_last' },
    });
    expect(customers.points.map(({ id }) => id)).toContain('reading:name_order');
  });

  it('never proposes a word that the specification has not shown, and asks about it', async () => {
    const lines: Lines = [
      ['Code', 'Name', 'IBAN', 'Bank', 'Street', 'City', 'ZIP', 'Country', 'Art'],
      [
        'C-1',
        'Lukas Schneider',
        'DE89370400440532013000',
        'ING',
        'Allee 5',
        'Berlin',
        '10115',
        'DE',
        'Privat',
      ],
      ['C-2', 'Dubois SARL', 'FR1420041010050500013M02606', 'LCL', 'Foch 2', 'Paris', '75001', 'FR', 'Firma'],
    ];
    const proposed = await read(lines);
    expect(proposed.mapping.values).toEqual({ account_owner_type: { Privat: 'individual', Firma: null } });
    const decided = await read(lines, { 'values:Art': { values: { Firma: 'business' } } });
    expect(decided.mapping.values).toEqual({
      account_owner_type: { Privat: 'individual', Firma: 'business' },
    });
    expect(decided.points.map(({ id }) => id)).not.toContain('values:Art');
  });

  it('offers lost zeros and marks for the row above, and makes neither by itself', async () => {
    const lines: Lines = [
      [
        'Vendor no',
        'Vendor',
        'ABA',
        'Account no',
        'Bank',
        'Street',
        'City',
        'State',
        'ZIP',
        'Kind',
        'Holder',
      ],
      [
        'C-1',
        'Ann Lee',
        21000021,
        '12345678',
        'Chase',
        '1 Main St',
        'Newark',
        'NJ',
        7102,
        'savings',
        'individual',
      ],
      [
        'C-2',
        'Bob Ray',
        '121000248',
        '87654321',
        '"',
        '2 Main St',
        'Denver',
        'CO',
        '80202',
        'savings',
        'individual',
      ],
    ];
    const { writing, mapping } = await read(lines);
    expect(writing.offers.map(({ name, column }) => `${column.title} ${name}`)).toEqual(
      expect.arrayContaining(['ABA lost_zeros', 'ZIP lost_zeros', 'Bank ditto']),
    );
    expect(JSON.stringify(mapping.repair ?? {})).not.toMatch(/lost_zeros|ditto/);
    const agreed = await read(lines, { 'repair:ABA:lost_zeros': 'yes' });
    expect(agreed.mapping.repair?.['ABA']).toContain('lost_zeros');
  });

  it('asks what only a person knows: hidden rows', async () => {
    const lines: Lines = [...wages.slice(0, 5), ['hidden:', ...(wages[5] ?? [])]];
    const { points } = await read(lines, {}, kenyan);
    expect(points.find(({ id }) => id === 'reading:hidden')).toMatchObject({
      isNeeded: true,
      subject: { proposal: null },
    });
    const skipped = await read(lines, { 'reading:hidden': 'skip' }, kenyan);
    expect(skipped.mapping.hidden).toBe('skip');
    expect(skipped.sheet.rows).toHaveLength(2);
  });

  it('takes what a person says of a column, whatever its values', async () => {
    const { mapping } = await read(
      wages,
      { 'review:first': { columns: { Gross: 'amount', 'Net pay (KES)': 'ignore' } } },
      kenyan,
    );
    expect(mapping.columns?.['Gross']).toBe('amount');
    expect(mapping.ignore).toContain('Net pay (KES)');
  });

  it('takes a column of words that mean one thing for that field, whatever its title', async () => {
    const { mapping } = await read([
      ['Code', 'Nom', 'IBAN', 'Banque', 'Rue', 'Ville', 'CP', 'Pays', 'Type'],
      [
        'C-1',
        'Luc Petit',
        'DE89370400440532013000',
        'ING',
        'Allee 5',
        'Berlin',
        '10115',
        'DE',
        'Particulier',
      ],
      ['C-2', 'Ets Roy', 'FR1420041010050500013M02606', 'LCL', 'Foch 2', 'Paris', '75001', 'FR', 'Société'],
    ]);
    expect(mapping.columns?.['Type']).toBe('account_owner_type');
    expect(mapping.values).toEqual({ account_owner_type: { Particulier: 'individual', Société: null } });
  });

  it.each([
    [['H', 'M'], { H: 'male', M: 'female' }],
    [['M', 'F'], { M: 'male', F: 'female' }],
    [['H', 'F'], { H: 'male', F: 'female' }],
    [['M', 'W'], { M: 'male', W: 'female' }],
    // Man and vrouw, or varón and mujer: only a person knows.
    [['M', 'V'], { M: null, V: null }],
  ])('reads the letters for men and women %j by each other', async ([first = '', second = ''], expected) => {
    const { tables } = await read(
      [
        ['Client no', 'First name', 'Last name', 'Sex'],
        ['X-1', 'Ana', 'Luna', first],
        ['X-2', 'Luis', 'Vega', second],
        ['X-3', 'Eva', 'Rojas', first],
      ],
      {},
      { stated: { kind: 'customers' } },
    );
    const { lines = [] } = tables.find(({ field }) => field === 'gender') ?? {};
    expect(Object.fromEntries(lines.map(({ value, meaning, hint }) => [value, meaning ?? hint]))).toEqual(
      expected,
    );
  });

  it('joins the two surnames of a Spanish name, and knows words by the point behind them', async () => {
    const { mapping } = await read(
      [
        ['No. de socio', 'Nombre(s)', 'Apellido paterno', 'Apellido materno', 'Fecha de nac.', 'C.P.'],
        ['S-1', 'Ana', 'Luna', 'Vega', '13/02/1980', '44100'],
        ['S-2', 'Luis', 'Rojas', 'Mora', '01/12/1971', '64000'],
      ],
      {},
      { stated: { kind: 'customers' } },
    );
    expect(mapping.join).toEqual({ last_name: ['Apellido paterno', 'Apellido materno'] });
    expect(mapping.columns?.['Fecha de nac.']).toBe('date_of_birth');
  });

  it('takes words for nothing as such by column, and never in amounts', async () => {
    const { mapping } = await read(
      [
        ['Member', 'Names', 'Phone', 'Provider', 'Net pay (KES)', 'E-mail'],
        ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', '850', 'NA'],
        ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', '-', 'j@people.example'],
        ['C-3', 'Na', '-', 'MPESA', '700', 'NIL'],
      ],
      {},
      kenyan,
    );
    expect(mapping.empty).toEqual({ Phone: ['-'] });
    expect(mapping.repair).not.toHaveProperty('Net pay (KES)');
  });

  it.each([
    // Number cells of the same column are as large as one of the readings.
    [[45000, 161500, 88000], 'KES', { thousands: ',' }, false],
    // What the country of the currency writes is proposed, and asked.
    [[], 'KES', { thousands: ',' }, true],
    [[], 'EUR', {}, true],
  ])('reads three digits behind a comma beside %j in %s', async (beside, currency, expected, isAsked) => {
    const { mapping, points } = await read(
      [
        ['Member', 'Names', 'Phone', 'Provider', `Net pay (${currency})`],
        ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', '161,000'],
        ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', '44,800'],
        ['C-3', 'Wanjiru Kamau', '0712 345 680', 'MPESA', '52,000'],
        ...beside.map((amount, at) => [`C-${4 + at}`, `Wanjiru ${at}`, '0712 345 681', 'MPESA', amount]),
      ],
      {},
      kenyan,
    );
    expect(mapping).toMatchObject(expected);
    expect(points.some(({ id }) => id === 'reading:decimal')).toBe(isAsked);
  });

  it('knows the country of a row by its code, for the zeros that its postal code has lost', async () => {
    const { writing } = await read([
      [
        'Cod. fornitore',
        'Ragione sociale',
        'IBAN',
        'Banca',
        'Indirizzo',
        'CAP',
        'Comune',
        'Paese',
        'Tipo persona',
      ],
      ['C-1', 'Marco Galli', 'DE89370400440532013000', 'ING', 'Via 5', '184', 'Roma', 'IT', 'Privato'],
      ['C-2', 'Serra', 'FR1420041010050500013M02606', 'LCL', 'Via 2', '20121', 'Milano', 'Italia', 'Privato'],
    ]);
    expect(writing.offers.find(({ name }) => name === 'lost_zeros')?.samples).toEqual([
      { row: 2, before: '184', after: '00184' },
    ]);
  });

  it.each([
    ['Wpłata (KES)', 'recipients', 'amount'],
    ['Wpłata', 'recipients', undefined],
    ['Wpłata', 'collections', 'amount'],
  ] as const)(
    'takes the only column of amounts %j of %s for what is paid, if it has to',
    async (title, kind, field) => {
      const { mapping } = await read(
        [
          ['Member', 'Names', 'Phone', 'Provider', 'Invoice ref', title],
          ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', 'INV-1', '850.00'],
          ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', 'INV-2', '12500.00'],
          ['C-3', 'Wanjiru Kamau', '0712 345 680', 'MPESA', 'INV-3', '700.00'],
        ],
        {},
        { ...kenyan, stated: { kind } },
      );
      expect(mapping.columns?.[title]).toBe(field);
    },
  );

  it('takes the only column of names for the holder, whatever it is called', async () => {
    const { mapping } = await read(
      [
        ['Member', 'Pracownik', 'Phone', 'Provider', 'Town', 'Net pay (KES)'],
        ['C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', 'Voi', '850'],
        ['C-2', 'Joseph Mushi', '0712 345 679', 'MPESA', 'Voi', '950'],
        ['C-3', 'Wanjiru Kamau', '0712 345 680', 'MPESA', 'Thika', '760'],
      ],
      {},
      { ...kenyan, stated: { kind: 'recipients' } },
    );
    expect(mapping.columns?.['Pracownik']).toBe('account_name');
  });

  it.each([
    [{ Rent: 1 }, 'Rent', ['Rent']],
    [{ Rent: 0.7, Deposits: 0.6 }, undefined, ['Rent', 'Deposits']],
    [{}, undefined, []],
  ])('proposes the label that the accounts of the customers have: %j', async (labels, label, options) => {
    const { mapping, points } = await read(
      [
        ['Invoice ref', 'Tenant code', 'Arrears (KES)'],
        ['INV-1', 'C-1', '850.00'],
        ['INV-2', 'C-2', '1250.00'],
      ],
      {},
      {
        facts: { ...kenyan.facts, accountLabels: async () => new Map(Object.entries(labels)) },
        stated: { kind: 'collections' },
      },
    );
    expect(mapping.constants?.['destination_label']).toBe(label);
    const asked = points.find(({ id }) => id === 'constant:destination_label');
    expect(asked?.options.map(({ id }) => id)).toEqual(options);
    expect(asked?.subject).toMatchObject({ proposal: label ?? null });
  });
});
