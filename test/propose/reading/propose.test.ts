import { describe, expect, it } from 'vitest';
import { turnsDuring } from '../../support/turns.ts';
import { kenyan, type Lines, readLines as read } from '../grids.ts';

const wages: Lines = [
  ['Umoja SACCO, wages of week 46'],
  ['Printed 13/11/2026'],
  ['No.', 'Member', 'Names', 'M-PESA no.', 'Provider', 'Gross', 'Net pay (KES)'],
  [1, 'C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', 900, 850],
  [2, 'C-2', 'Joseph Mushi', 712345679, 'MPESA', 1000, 950],
  [3, 'C-3', 'Wanjiru Kamau', '254712345680', 'Airtel', 800, 760],
  ['', '', 'TOTAL', '', '', 2700, 2560],
];

describe('the reading of a file without a mapping', () => {
  it('finds the header below titles, leaves out running numbers and totals, and reads the paid amount as the amount', async () => {
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

  it('reads no title as a value where the header is repeated on each page', async () => {
    const [, , header = [], ...rows] = wages;
    const pages = [header, ...rows.slice(0, 2), header, ...rows.slice(2)];
    const { mapping, sheet } = await read(pages, {}, kenyan);
    expect(mapping.values).toEqual({
      institution_name: { Safaricom: 'M-Pesa', MPESA: 'M-Pesa', Airtel: 'Airtel Money' },
    });
    expect(sheet).toMatchObject({ otherLines: 2 });
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

  it.each([
    ['-do-', true],
    // It may be a name, so it is worth a question only if it changes which rows pass.
    ['Do', false],
  ])('needs an answer about %j, which would be sent as a town: %s', async (word, isNeeded) => {
    const header = ['Ref', 'First name', 'Surname', 'Mail', 'Town', 'Country'];
    const towns = ['Pune', word, 'Kochi'];
    const rows = towns.map((town, at) => [`R-${at}`, 'Asha', 'Rao', `a${at}@people.example`, town, 'IN']);
    const { points } = await read([header, ...rows]);
    expect(points.find(({ id }) => id === 'repair:Town:ditto')?.isNeeded).toBe(isNeeded);
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

  it('accepts what a person says of a column, whatever its values', async () => {
    const { mapping } = await read(
      wages,
      { 'review:first': { columns: { Gross: 'amount', 'Net pay (KES)': 'ignore' } } },
      kenyan,
    );
    expect(mapping.columns?.['Gross']).toBe('amount');
    expect(mapping.ignore).toContain('Net pay (KES)');
  });
});

describe('a proposal while others wait for the same process', () => {
  /** While a file with this number of rows was looked at. */
  function turnsOf(rows: number): Promise<number> {
    const header = ['Member', 'Names', 'M-PESA no.', 'Provider', 'Net pay (KES)'];
    const lines = Array.from({ length: rows }, (_, at) => [
      ...[`C-${at}`, `Amina Otieno ${at}`, `0712 ${345_000 + at}`, 'Safaricom', 900 + at],
    ]);
    return turnsDuring(() => read([header, ...lines], {}, kenyan));
  }

  it('lets them in between columns and fields, and between the cells of a long column', async () => {
    const ofFew = await turnsOf(20);
    // Each of five columns is weighed for each field of several payee types.
    expect(ofFew).toBeGreaterThan(100);
    // Fifteen groups of a hundred phone numbers are looked at for several repairs.
    expect(await turnsOf(1_520)).toBeGreaterThan(ofFew + 30);
  });
});
