import { expect, it } from 'vitest';
import { institution, readLines as read } from '../grids.ts';

const facts = {
  accountLabels: async () => new Map(),
  knownCustomers: async () => 1,
  institutions: async (country: string) =>
    country === 'KE'
      ? [institution('KCB Bank', 'bank', 'KE', 'KES'), institution('NCBA Bank', 'bank', 'KE', 'KES')]
      : [],
};

const header = ['Member', 'Holder', 'Account number', 'Bank name', 'Net pay (KES)'];
const names = [
  'Ana Otieno',
  'Ben Mushi',
  'Carla Were',
  'Dan Kamau',
  'Eva Njeri',
  'Fay Achieng',
  'Gil Barasa',
];

/** A list of payments with these cells under the bank. */
function payments(banks: readonly string[]): string[][] {
  return [
    header,
    ...banks.map((bank, at) =>
      bank === 'Subtotal'
        ? ['', 'Subtotal', '', '', '2700']
        : [`C-${at + 1}`, names[at % names.length] ?? '', `11${at}4567890`, bank, `${800 + at}`],
    ),
  ];
}

const repairs = async (banks: readonly string[], said = {}) =>
  (await read(payments(banks), said, { facts })).points.filter(
    ({ id }) => id === 'repair:Bank name:value_above',
  );

it('a bank that is written once for its people is asked about, and filled in once a person agrees', async () => {
  const banks = ['KCB Bank', '', '', 'Subtotal', 'NCBA Bank', '', ''];
  const [point] = await repairs(banks);
  expect(point?.samples).toEqual([
    { row: 3, before: '', after: 'KCB Bank' },
    { row: 4, before: '', after: 'KCB Bank' },
    { row: 7, before: '', after: 'NCBA Bank' },
  ]);
  const said = { 'repair:Bank name:value_above': 'yes' };
  const { mapping } = await read(payments(banks), said, { facts });
  expect(mapping.repair?.['Bank name']).toContain('value_above');
});

it.each([
  ['few are empty', ['KCB Bank', 'KCB Bank', 'NCBA Bank', 'KCB Bank', '', 'NCBA Bank', 'NCBA Bank']],
  ['nothing is above many', ['', '', '', 'KCB Bank', '', 'NCBA Bank', '']],
])('nothing is offered where %s', async (_, banks) => {
  expect(await repairs(banks)).toEqual([]);
});

it('nothing is offered where the lines without a value lack what each row has of its own', async () => {
  const lines = payments(['KCB Bank', '', '', 'NCBA Bank', '', '', 'KCB Bank']).map((line) =>
    line[3] === '' ? ['', '', '', '', line[4] ?? ''] : line,
  );
  const { points } = await read(lines, {}, { facts });
  expect(points.filter(({ id }) => id.endsWith('value_above'))).toEqual([]);
});

it('nothing is offered where each row has its value in one of several columns', async () => {
  const lines = [
    ['Member', 'Polygon', 'Base', 'Currency', 'Label'],
    ...names.map((_, at) => [
      `C-${at}`,
      at % 2 ? 'polygon' : '',
      at % 2 ? '' : 'base',
      'USD',
      `Wallet ${at}`,
    ]),
  ];
  const said = { 'column:Polygon': 'blockchain_network', 'column:Base': 'blockchain_network' };
  const { points, mapping } = await read(lines, said, { facts });
  expect(mapping.join).toMatchObject({ blockchain_network: ['Polygon', 'Base'] });
  expect(points.filter(({ id }) => id.endsWith('value_above'))).toEqual([]);
});

it('an account number is never one for several people', async () => {
  const lines = payments(['KCB Bank', 'KCB Bank', 'NCBA Bank', 'NCBA Bank']).map((line, at) =>
    line.map((cell, index) => (index === 2 && at > 1 ? '' : cell)),
  );
  const { points } = await read(lines, {}, { facts });
  expect(points.filter(({ id }) => id.endsWith('value_above'))).toEqual([]);
});

it('a value that may be missing is never one of the row above', async () => {
  const customers = [
    ['First name', 'Last name', 'E-mail', 'City', 'State', 'Country'],
    ...names.map((name, at) => {
      const [first = '', last = ''] = name.split(' ');
      const place = at % 3 === 0 ? ['Austin', 'US-TX', 'US'] : ['', '', ''];
      return [first, last, `${first}.${last}@example.org`, ...place];
    }),
  ];
  const { mapping, points } = await read(customers, {}, { facts });
  expect(mapping.columns?.['Country']).toBe('country');
  expect(points.filter(({ id }) => id.endsWith('value_above'))).toEqual([]);
});

/** Wallets by customer, as a pivot table lists them, with a line of totals below each customer. */
const wallets = (kind: 'accounts' | 'recipients', customers: readonly string[]) =>
  read(
    [
      ['Kd.-Nr.', 'Bezeichnung', 'Netz', 'Währung'],
      ...customers.map((customer, at) =>
        customer.endsWith('Ergebnis') ? [customer, '', '', ''] : [customer, `Kasse ${at}`, 'Polygon', 'USD'],
      ),
    ],
    {},
    { kind },
  );

it('asks whether the number of a customer counts for the rows below it, where a customer may have several', async () => {
  const customers = ['C-1', '', '', 'C-1 Ergebnis', 'C-2', '', 'C-2 Ergebnis', 'C-3', 'C-3 Ergebnis'];
  const { points } = await wallets('accounts', customers);
  const [asked] = points.filter(({ id }) => id === 'repair:Kd.-Nr.:value_above');
  expect(asked?.rows).toBe(3);
  const single = await wallets('accounts', ['C-1', '', 'C-2', 'C-3', 'C-4', 'C-5']);
  expect(single.points.filter(({ id }) => id.endsWith('value_above'))).toEqual([]);
});
