import { describe, expect, it } from 'vitest';
import { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { plainText } from '../../src/domain/settings/message.ts';
import { readingRulesOf } from '../../src/read/mapping/mapping-file.ts';
import type { MappingFile } from '../../src/read/mapping/mapping-schema.ts';
import { createNonRowCheck } from '../../src/read/mapping/non-rows.ts';
import { mapTable } from '../../src/read/mapping/table-mapping.ts';
import { withoutNonRows } from '../../src/read/rows/prepared-rows.ts';

const header = ['S/No', 'Name', 'Account', 'Bank', 'Ccy', 'Amount'];
const columns = header.map((_, index) => index);
const check = createNonRowCheck(header, { own: columns, identifiers: new Set([2]) });
const cellsOf = (line: string): readonly string[] => line.split('|');

describe('createNonRowCheck', () => {
  it.each([
    ['NAIROBI REGION|||||', 'heading'],
    ['|Region: Coast||||', 'heading'],
    ['Nakuru|Nakuru|Nakuru|Nakuru|Nakuru|Nakuru', 'heading'],
    ['Region:|Coast||||', 'heading'],
    ['|Sub-total||||12,000.00', 'total'],
    ['|TOTAL|||KES|12000', 'total'],
    ['Grand Total||(45 payees)|||12000', 'total'],
    ['|Zwischensumme||||12.000,00', 'total'],
    ['|Sous-total||||12 000', 'total'],
    ['|Jumla kuu||||12000', 'total'],
    ['|Soma||||12000', 'total'],
    ['Nairobi total:|||||12000', 'total'],
    ['Approved by:|||J. Kamau||', 'signature'],
    ['Genehmigt|||||', 'signature'],
    ['S/No|Name|Account|Bank|Ccy|Amount', 'repeated header'],
    ['s/no|NAME|account||ccy|Amount', 'repeated header'],
    ['611|||||', 'empty form'],
    ['611||||KES|', 'empty form'],
    ['1|Amina Otieno|0110123456789|KCB|KES|500', null],
    ['1|Total Energies|0110123456789|KCB|KES|500', null],
    ['1|Soma Banda|0110123456789||KES|500', null],
    ['|Soma Banda||||500', null],
    ['|Total Energies|0110123456789|||', null],
    ['||0110123456789|||500', null],
    ['|Soma:||||500', 'total'],
    ['1|Amina Otieno||KCB|KES|500', null],
    ['|Amina Otieno|0110123456789||KES|', null],
    ['|||KCB|KES|500', null],
  ])('%s is %s', (line, expected) => {
    expect(check({ cells: cellsOf(line) })).toBe(expected);
  });

  it('says nothing where a row has no more than one or two values anyway', () => {
    const narrow = createNonRowCheck(['Name', 'Amount', 'Remarks'], { own: [0, 1] });
    expect(narrow({ cells: ['Amina', '', ''] })).toBeNull();
  });
});

const mappingFile: MappingFile = {
  columns: { Name: 'account_name', Account: 'account_number', Bank: 'institution_name', Ccy: 'currency' },
  constants: { payee_type: 'bank_account', customer_id: '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94' },
  ignore: ['S/No'],
  thousands: ',',
};

async function read(isMeant: boolean, ...lines: readonly string[]) {
  return readAccepting([], isMeant, ...lines);
}

async function readAccepting(accepted: readonly string[], isMeant: boolean, ...lines: readonly string[]) {
  const whole = {
    sheet: null,
    header,
    headerRow: 1,
    notes: [],
    rows: async function* () {
      yield lines.map((line, at) => ({ number: at + 2, cells: cellsOf(line) }));
    },
  };
  const mapping = mapTable(whole, { kind: null, mapping: mappingFile, fileName: 'k.csv' });
  const leaving = { mapping, reading: readingRulesOf(mappingFile), isMeant, place: 'k.csv', accepted };
  const table = withoutNonRows(whole, leaving);
  const kept: number[] = [];
  for await (const group of table.rows()) kept.push(...group.map(({ number }) => number));
  return { kept, notes: table.notes };
}

const file = [
  'NAIROBI|||||',
  '1|Amina Otieno|0110123456789|KCB|KES|1,500.50',
  '2|Joseph Mushi|0110123456780|KCB|KES|500',
  '|Subtotal||||2,000.50',
  'COAST|||||',
  '3|Jane Doe|0110123456781|KCB|KES|100',
  '|Subtotal||||100.00',
  '|Grand total||||2,100.50',
];

describe('withoutNonRows', () => {
  it('leaves them out only when that is meant, and reports them in either case', async () => {
    expect(await read(true, ...file)).toEqual({
      kept: [3, 4, 7],
      notes: ['5 rows look like headings, totals or examples: 2, 5, 6, 8, 9; left out'],
    });
    const told = await read(false, ...file);
    expect(told.kept).toHaveLength(8);
    expect(told.notes.map(plainText)).toEqual([
      expect.stringContaining('the setting leaveOutNonRows leaves them out'),
    ]);
  });

  it('refuses a subtotal that is not the sum of its rows', async () => {
    const changed = file.map((line) => line.replace('|500', '|5000'));
    const error = await read(true, ...changed).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(PaybatchError);
    expect(error).toMatchObject({ code: 'subtotal_differs', kind: 'file_refused' });
    expect(String(error)).toContain('row 5 is 2000.50, but the rows above it add up to 6500.50');
    const missing = file.filter((line) => !line.startsWith('3|'));
    expect(await read(true, ...missing).catch((caught: unknown) => caught)).toMatchObject({
      code: 'subtotal_differs',
    });
    expect((await read(false, ...changed)).kept).toHaveLength(8);
  });

  it('takes totals of groups within groups, and of those since any heading', async () => {
    const nested = [
      'KENYA|||||',
      ...file.slice(0, 7),
      '|Total Kenya||||2,100.50',
      'UGANDA|||||',
      '4|Ida Okot|0110123456782|KCB|KES|50',
      '5|Ola Okot|0110123456783|KCB|KES|30',
      '|Grand total||||2,180.50',
    ];
    expect((await read(true, ...nested)).kept).toEqual([4, 5, 8, 12, 13]);
    const wrong = nested.with(-1, '|Grand total||||2,180.00');
    expect(await read(true, ...wrong).catch((caught: unknown) => caught)).toMatchObject({
      code: 'subtotal_differs',
    });
    const accepted = await readAccepting(['2180'], true, ...wrong);
    expect(accepted.kept).toHaveLength(5);
    expect(accepted.notes).toContain(
      'totals that differ from the rows, which a person has said are right: 14',
    );
  });

  it('reports which totals it could not compare', async () => {
    const unreadable = file.map((line) => line.replace('|500', '|five hundred'));
    expect((await read(true, ...unreadable)).notes).toContain(
      'totals that could not be compared with the rows above: 5, 8, 9',
    );
    expect((await read(true, '1|A B|1|KCB|KES|5', '|Total payees||||1')).kept).toEqual([2]);
  });
});
