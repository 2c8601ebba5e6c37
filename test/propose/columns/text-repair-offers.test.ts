import { describe, expect, it } from 'vitest';
import { institution, type Lines, readLines as read } from '../grids.ts';

const philippine = {
  facts: {
    accountLabels: async () => new Map(),
    knownCustomers: async (ids: readonly string[]) =>
      ids.filter((id) => id.startsWith('C-')).length / ids.length,
    institutions: async (country: string) =>
      country === 'PH'
        ? [institution('GCash', 'mobile_money', 'PH', 'PHP'), institution('Metrobank', 'bank', 'PH', 'PHP')]
        : [],
  },
};

const header = ['Member', 'Holder', 'Account / mobile', 'Bank', 'Net pay (PHP)'];

/** A list of payments, the first to a bank and the others to these phones. */
function payments(phones: readonly string[]): Lines {
  const names = [
    'Ana Cruz',
    'Ben Reyes',
    'Carla Santos',
    'Dan Flores',
    'Eva Ramos',
    'Fe Torres',
    'Gil Castro',
  ];
  return [
    header,
    ['C-0', 'Hana Diaz', '7221-7640-838', 'Metrobank', '900'],
    ...phones.map((phone, at) => [`C-${at + 1}`, names[at] ?? '', phone, 'GCash', `${800 + at}`]),
  ];
}

const own = ['0917 123 4561', '0917 123 4562', '+63 917 123 4563', '0917 123 4564', '09171234565'];

describe('a phone number that could be of two countries', () => {
  it('is of the one that all others of its column are of', async () => {
    const { mapping } = await read(payments([...own, '9614123456']), {}, philippine);
    expect(mapping.repair?.['Account / mobile']).toContain('phones_of_country');
    expect(mapping.phoneCountry).toBe('PH');
  });

  it('is of it too where the column has account numbers and phones', async () => {
    const said = { 'column:Account / mobile': 'account_number' };
    const { mapping } = await read(payments([...own, '9614123456']), said, philippine);
    expect(mapping.columns?.['Account / mobile']).toBe('account_number');
    expect(mapping.repair?.['Account / mobile']).toContain('phones_of_country');
  });

  it.each([
    ['another phone is of the other country', [...own, '+961 4 123 456', '9614123456']],
    ['few others are there', [...own.slice(0, 2), '9614123456']],
  ])('is of none where %s', async (_, phones) => {
    const { mapping } = await read(payments(phones), {}, philippine);
    expect(mapping.repair?.['Account / mobile'] ?? []).not.toContain('phones_of_country');
  });
});

const suppliers: Lines = [
  ['Lev.nr', 'Name', 'IBAN', 'Bank', 'Street', 'City', 'Postnr', 'Country', 'Type'],
  ['C-1', 'Lars Holm', 'DK5000400440116243', 'Danske', 'Allé 5', 'Aarhus', 'DK-8200', 'DK', 'individual'],
  [
    'C-2',
    'Eva Berg',
    'ЅЕ4550000000058398257466',
    'SEB',
    'Gatan 2',
    'Uppsala',
    'SE-753 10',
    'SE',
    'individual',
  ],
  ['C-3', 'Ida Lund', 'DK5000400440116243', 'Danske', 'Vej 1', 'Aarhus', '8200', 'DK', 'individual'],
];

it('reads postal codes without their country, and shows it with the reading', async () => {
  const { mapping, writing } = await read(suppliers);
  expect(mapping.repair?.['Postnr']).toContain('country_prefix');
  const offer = writing.offers.find(({ name }) => name === 'country_prefix');
  expect(offer?.samples).toEqual([
    { row: 2, before: 'DK-8200', after: '8200' },
    { row: 3, before: 'SE-753 10', after: '753 10' },
  ]);
});

it('asks about letters of another alphabet in IBANs, with what becomes of them', async () => {
  const { mapping, points } = await read(suppliers);
  expect(mapping.repair?.['IBAN'] ?? []).not.toContain('latin_letters');
  const point = points.find(({ id }) => id === 'repair:IBAN:latin_letters');
  expect(point?.samples).toEqual([
    { row: 3, before: 'ЅЕ4550000000058398257466', after: 'SE4550000000058398257466' },
  ]);
  expect(point?.subject).toMatchObject({ kind: 'repair', proposal: null });
  const after = await read(suppliers, { 'repair:IBAN:latin_letters': 'yes' });
  expect(after.mapping.repair?.['IBAN']).toContain('latin_letters');
});

it('asks about mobiles with digits that are no longer dialled, with what becomes of them', async () => {
  const lines: Lines = [
    ['No. de socio', 'Nombre(s)', 'Apellido paterno', 'Celular', 'Fecha de nac.'],
    ['S-1', 'Ana', 'Luna', '+52 55 4321 8765', '13/02/1980'],
    ['S-2', 'Luis', 'Rojas', '+52 1 55 4321 8766', '01/12/1971'],
  ];
  const stated = { stated: { kind: 'customers' as const } };
  const { mapping, points } = await read(lines, {}, stated);
  expect(mapping.repair?.['Celular'] ?? []).not.toContain('old_phone_form');
  const point = points.find(({ id }) => id === 'repair:Celular:old_phone_form');
  expect(point?.samples).toEqual([{ row: 3, before: '+52 1 55 4321 8766', after: '+525543218766' }]);
});

it('asks about IBANs without their country, which the row has and the check digits confirm', async () => {
  const [header = [], first = []] = suppliers;
  const lines: Lines = [
    header,
    first,
    [
      'C-4',
      'Jan Nowak',
      '61 1090 1014 0000 0712 1981 2874',
      'Bank',
      'Rynek 1',
      'Łódź',
      '90-001',
      'PL',
      'individual',
    ],
    [
      'C-5',
      'Ewa Nowak',
      '61 1090 1014 0000 0712 1981 2875',
      'Bank',
      'Rynek 2',
      'Łódź',
      '90-001',
      'PL',
      'individual',
    ],
  ];
  const { mapping, points } = await read(lines);
  expect(mapping.repair?.['IBAN'] ?? []).not.toContain('iban_country');
  const point = points.find(({ id }) => id === 'repair:IBAN:iban_country');
  expect(point?.samples).toEqual([
    { row: 3, before: '61 1090 1014 0000 0712 1981 2874', after: 'PL61109010140000071219812874' },
  ]);
  expect(point?.subject).toMatchObject({ kind: 'repair', proposal: null });
  const after = await read(lines, { 'repair:IBAN:iban_country': 'yes' });
  expect(after.mapping.repair?.['IBAN']).toContain('iban_country');
});

it('reads a name of a currency as the code that other rows have, and asks about no other', async () => {
  const header = ['Lev.nr', 'Name', 'IBAN', 'Currency', 'Type'];
  const row = (at: number, currency: string) => [
    `C-${at}`,
    'Lars Holm',
    'DK5000400440116243',
    currency,
    'individual',
  ];
  const rows = ['EUR', 'euro', 'EUR', 'Euros', 'Danish krone', 'EUR'].map((currency, at) =>
    row(at, currency),
  );
  const { mapping, points } = await read([header, ...rows]);
  expect(mapping.values?.['currency']).toEqual({ euro: 'EUR', Euros: 'EUR' });
  expect(points.map(({ id }) => id)).not.toContain('values:Currency');
});
