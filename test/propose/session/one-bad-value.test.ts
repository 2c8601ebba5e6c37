import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Engine } from '../../../src/index.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { createDatabase, dropDatabase } from '../../support/ledger.ts';

type Lines = readonly (readonly string[])[];

const names = [
  ...[
    'Amina Otieno',
    'Grace Wanjiru',
    'Peter Mwangi',
    'John Kamau',
    'Mary Njeri',
    'Paul Ouma',
    'Ruth Achieng',
  ],
  ...['Sam Kiptoo', 'Jane Wambui', 'Tom Barasa', 'Ann Chebet', 'Ali Hassan', 'Eva Muster'],
];
const ibans = ['DE89370400440532013000', 'FR1420041010050500013M02606', 'NL91ABNA0417164300'];
const postalCodes = ['10115', '75001', '1011 AB'];

const customer = (index: number): string => `3f2a9c1e-0000-4000-8000-0000000000${index + 10}`;

/** Rows of three payee types, each with what it needs. */
const payees: Lines = [
  [
    ...['Payee type', 'Customer', 'Name', 'Account number', 'Mobile', 'IBAN', 'Bank or provider', 'Currency'],
    ...['Country', 'Bank name', 'Owner', 'Street', 'City', 'ZIP'],
  ],
  ...names.map((name, at) => {
    const own = [customer(at), name] as const;
    const empty = ['', '', '', '', ''];
    if (at < 5)
      return [
        'bank_account',
        ...own,
        `${1_234_500_000 + at * 7_919}`,
        '',
        '',
        'KCB Bank Kenya',
        'KES',
        'KE',
        ...empty,
      ];
    if (at < 10)
      return [
        'mobile_money',
        ...own,
        '',
        `+2547${12_345_000 + at * 37}`,
        '',
        'M-PESA',
        'KES',
        'KE',
        ...empty,
      ];
    const country = ['DE', 'FR', 'NL'][at - 10] ?? '';
    const bank = ['Some Bank', 'individual', 'Weg 1', 'Town', postalCodes[at - 10] ?? ''];
    return ['sepa', ...own, '', '', ibans[at - 10] ?? '', '', 'EUR', country, ...bank];
  }),
];

/** Customers with days that only a date format explains. @param sexes in turn */
const peopleOf = (...sexes: readonly string[]): Lines => [
  ['Ref', 'First name', 'Surname', 'Sex', 'Born'],
  ...names.map((name, at) => {
    const [first = '', last = ''] = name.split(' ');
    return [
      `X-${at}`,
      first,
      last,
      sexes[at % sexes.length] ?? '',
      `${13 + at}/0${1 + (at % 9)}/19${70 + at}`,
    ];
  }),
];

/** Collections whose amounts are whole numbers. */
const collections: Lines = [
  ['Reference', 'Amount', 'Currency', 'Country', 'Customer', 'Destination', 'Method'],
  ...names.map((_, at) => {
    return [`INV-${at}`, `${1_500 + at}`, 'KES', 'KE', customer(at), customer(at + 40), 'mobile money'];
  }),
];

let engine: Engine;
let folder: string;
let databaseUrl: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(inject('testFolder'), 'bad-value-'));
  databaseUrl = await createDatabase();
  engine = await Engine.open({
    api: { localSandbox: true, sandboxDir: join(folder, 'api') },
    ledger: { databaseUrl },
    output: { out: join(folder, 'results') },
  });
});
afterAll(async () => {
  await engine.close();
  await dropDatabase(databaseUrl);
  await rm(folder, { recursive: true, force: true });
});

/** How a file is proposed to be read, and how many of its rows pass. */
async function proposed(lines: Lines): Promise<{ readonly mapping: MappingFile; readonly pass: number }> {
  files += 1;
  const path = join(folder, `${files}.csv`);
  const quoted = lines.map((line) => line.map((cell) => `"${cell}"`).join(','));
  await writeFile(path, `${quoted.join('\r\n')}\r\n`);
  const { proposal } = await engine.mapping({ file: path }).result;
  if (proposal === null) throw new Error('nothing was proposed');
  return { mapping: proposal.reading.mapping, pass: proposal.result.forecast.pass };
}

function withValue(lines: Lines, row: number, title: string, value: string): Lines {
  const column = lines[0]?.indexOf(title) ?? -1;
  if (column < 0) throw new Error(`there is no column ${title}`);
  return lines.map((line, at) => (at === row ? line.with(column, value) : line));
}

describe('one value that is not understood decides nothing for other rows', () => {
  it('a file of several payee types is read for all of them', async () => {
    const { mapping, pass } = await proposed(payees);
    expect(mapping.columns).toMatchObject({
      'Account number': 'account_number',
      Mobile: 'phone_number',
      IBAN: 'iban',
      'Bank or provider': 'institution_name',
    });
    expect([mapping.ignore, pass]).toEqual([undefined, 13]);
  });

  it.each([
    [1, 'bank_acount'],
    [7, 'mobil_money'],
    [13, 'seppa'],
    [13, ''],
  ])('nor a mistyped payee type in row %i: %j', async (row, value) => {
    const clean = await proposed(payees);
    const { mapping, pass } = await proposed(withValue(payees, row, 'Payee type', value));
    expect(mapping.columns).toEqual(clean.mapping.columns);
    expect([mapping.ignore, pass]).toEqual([undefined, 12]);
  });

  it('a column is kept that only rows of a mistyped payee type have filled in', async () => {
    const lines = payees.slice(0, 12).map((line, at) => (at === 11 ? line.with(0, 'seppa') : line));
    const { mapping, pass } = await proposed(lines);
    expect(mapping.columns?.['IBAN']).toBe('iban');
    expect(pass).toBe(10);
  });

  it('a column is left out that no payee type of the file uses, whatever it contains', async () => {
    const lines = withValue(payees.slice(0, 11), 3, 'IBAN', ibans[0] ?? '');
    const { mapping, pass } = await proposed(withValue(lines, 5, 'Payee type', 'bank_acount'));
    expect(mapping.ignore).toContain('IBAN');
    expect(pass).toBe(9);
  });

  it.each(['13.13.1970', '02/30/1970', '1970', '12/25/1970'])('nor a day: %s', async (value) => {
    const { mapping, pass } = await proposed(withValue(peopleOf('M'), 8, 'Born', value));
    expect([mapping.dateFormat, pass]).toEqual(['DD/MM/YYYY', 12]);
  });

  it('nor a letter for a gender beside M and F', async () => {
    // The API has not shown a word for F: its rows wait for a person.
    const people = peopleOf('M', 'M', 'F');
    const clean = await proposed(people);
    const { pass } = await proposed(withValue(people, 1, 'Sex', 'V'));
    expect([clean.pass, pass]).toEqual([9, 8]);
  });

  it.each(['1.234', '12,50', '100 EUR', 'tbc'])('nor an amount: %s', async (value) => {
    const clean = await proposed(collections);
    const { mapping, pass } = await proposed(withValue(collections, 8, 'Amount', value));
    expect(mapping.constants).toEqual(clean.mapping.constants);
    expect(pass).toBeGreaterThanOrEqual(12);
  });

  // The name of the currency that the other rows have is understood.
  it.each([
    ['KSH', 13],
    ['EURO', 12],
    ['xyz', 12],
  ])('nor a currency: %s', async (value, passing) => {
    const clean = await proposed(payees);
    const { mapping, pass } = await proposed(withValue(payees, 3, 'Currency', value));
    expect([mapping.constants, pass]).toEqual([clean.mapping.constants, passing]);
  });
});
