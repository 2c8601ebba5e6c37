import { describe, expect, it } from 'vitest';
import { dividedCells } from '../../../src/propose/columns/divided-cells.ts';
import { columnOf } from '../../../src/propose/sheet/column.ts';
import { kenyan, type Lines, readLines } from '../grids.ts';

const routings = ['021000021', '323803081', '011401533', '091000019', '121000248', '026009593'];

/** American payees: routing and account number are in one column of this title. */
function american(title: string, cell: (routing: string, account: string, at: number) => string): Lines {
  const header = ['Vendor ID', 'Vendor name', 'Kind', 'Account type', 'Bank name', title];
  const address = ['Street', 'City', 'State', 'ZIP'];
  const rows = routings.map((routing, at) => [
    ...[`C-${at}`, `Vendor ${'ABCDEF'[at]} Inc`, 'business', 'Checking', 'Chase'],
    cell(routing, `00${at}4567890`, at),
    ...['1 Main St', 'Austin', 'TX', '78701'],
  ]);
  return [[...header, ...address], ...rows];
}

/** Payees at banks of Kenya: bank and account number are in one column. */
function atBanks(cell: (bank: string, account: string, at: number) => string): Lines {
  const banks = ['KCB Bank Kenya', 'KCB', 'KCB Bank Kenya', 'KCB', 'KCB Bank Kenya', 'KCB'];
  const rows = banks.map((bank, at) => [
    ...[`C-${at}`, `Amina Otieno ${'ABCDEF'[at]}`, 'bank_account', 'KES'],
    cell(bank, `01234${at}7890`, at),
  ]);
  return [['Customer no.', 'Account holder', 'Payee type', 'Currency', 'Bank details'], ...rows];
}

describe('a column with the values of two required fields is divided', () => {
  it('at the sign between them', async () => {
    const { mapping } = await readLines(
      american('Routing / Account', (one, other) => `${one} / ${other}`),
      {},
      kenyan,
    );
    expect(mapping.split).toEqual({
      'Routing / Account': { into: ['routing_number', 'account_number'], at: ' / ' },
    });
  });

  it('by the number, where banks and numbers are in any order and with any sign', async () => {
    const forms = [
      (bank: string, account: string) => `${bank} ${account}`,
      (bank: string, account: string) => `${account} (${bank})`,
      (bank: string, account: string) => `${bank}: ${account}`,
    ];
    const lines = atBanks((bank, account, at) => forms[at % 3]?.(bank, account) ?? '');
    const { mapping, tables } = await readLines(lines, {}, kenyan);
    expect(mapping.split).toEqual({
      'Bank details': { into: ['institution_name', 'account_number'], number: 'account_number' },
    });
    expect(tables.find(({ field }) => field === 'institution_name')?.lines.map(({ value }) => value)).toEqual(
      ['KCB Bank Kenya', 'KCB'],
    );
  });

  it('and not where each field has a column of its own', async () => {
    const [header = [], ...rows] = american('Routing / Account', (one, other) => `${one} / ${other}`);
    const apart = rows.map((row, at) => [...row, routings[at] ?? '', `00${at}4567890`]);
    const { mapping } = await readLines([[...header, 'ABA routing', 'Account number'], ...apart], {}, kenyan);
    expect(mapping.split).toBeUndefined();
  });

  it('and not where a person has said what it is', async () => {
    const said = { 'review:first': { columns: { 'Routing / Account': 'account_number' } } };
    const lines = american('Routing / Account', (one, other) => `${one} / ${other}`);
    const { mapping } = await readLines(lines, said, kenyan);
    expect(mapping.split).toBeUndefined();
  });
});

describe('a code beside a name', () => {
  const suppliers = (cell: (at: number) => string): Lines => [
    ['Customer no.', 'Supplier', 'Payee type', 'Currency', 'Account number', 'Bank'],
    ...routings.map((_, at) => [
      `C-${at}`,
      cell(at),
      'bank_account',
      'KES',
      `01234${at}7890`,
      'KCB Bank Kenya',
    ]),
  ];

  it('is left out of the name', async () => {
    const { mapping } = await readLines(
      suppliers((at) => `S104${at} - Otieno - Sons ${'ABCDEF'[at]}`),
      {},
      kenyan,
    );
    expect(mapping.split).toEqual({ Supplier: { into: ['ignore', 'account_name'], at: ' - ' } });
  });

  it.each([
    ['a name in two parts', (at: number) => `Otieno - ${'ABCDEF'[at]} Sons`],
    ['a few names', (at: number) => (at < 3 ? `S104${at} - Otieno Sons` : `Otieno ${'ABCDEF'[at]} Sons`)],
  ])('and not of %s', async (_, cell) => {
    const { mapping } = await readLines(suppliers(cell), {}, kenyan);
    expect(mapping.columns?.['Supplier']).toBe('account_name');
  });
});

it('a person divides a column into fields that its values alone do not show', async () => {
  const lines: Lines = [
    ['Ref', 'First name', 'Surname', 'Country', 'Contact'],
    ...routings.map((_, at) => [`R-${at}`, 'Amina', 'Otieno', 'KE', `a${at}@people.example; 071234567${at}`]),
  ];
  const said = { 'review:first': { columns: { Contact: ['email', 'phone'] } } };
  const { mapping } = await readLines(lines, said, kenyan);
  expect(mapping.split).toEqual({ Contact: { into: ['email', 'phone'], at: ';' } });
  expect(mapping.phoneCountry).toBe('KE');
});

it.each([
  ['a bank and an account', ['KCB / 0123456789', 'NCBA / 0123456780'], { values_per_cell: 2 }],
  ['three values', ['a;b;1', 'c;d;2'], { values_per_cell: 3 }],
  ['one value', ['KCB', 'NCBA'], {}],
  ['days', ['3/7/1984', '12/11/1990'], {}],
  ['days and times', ['2026-11-30T08:15', '2026-11-29T09:20'], {}],
])('a question says how many values a cell has: %s', (_, texts, said) => {
  const rows = texts.map((text, at) => ({ number: at + 2, cells: [text], kinds: new Map() }));
  expect(dividedCells(columnOf(0, 'Column', rows))).toEqual(said);
});
