import { describe, expect, it } from 'vitest';
import { plainReadingRules } from '../../../src/domain/tables/mapping.ts';
import type { CellKind, SourceRow, SourceTable } from '../../../src/domain/tables/table.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-file.ts';
import { mapTable } from '../../../src/read/mapping/table-mapping.ts';
import { withEvidence, withoutDittoMarks, withoutNonRows } from '../../../src/read/rows/prepared-rows.ts';

const header = ['Customer', 'Name', 'Bank', 'Account', 'Sum'];

const mapping: MappingFile = {
  kind: 'recipients',
  columns: {
    Customer: 'customer_external_id',
    Name: 'account_name',
    Bank: 'institution_name',
    Account: 'account_number',
    Sum: 'amount',
  },
  constants: { payee_type: 'bank_account', currency: 'KES' },
  repair: { Bank: ['ditto'], Sum: ['ditto'], Account: ['lost_zeros'] },
};

function tableOf(lines: readonly (readonly string[])[], kinds?: ReadonlyMap<number, CellKind>): SourceTable {
  const rows = lines.map((cells, index): SourceRow => {
    const row = { number: index + 2, cells };
    return kinds === undefined ? row : { ...row, kinds };
  });
  return {
    sheet: null,
    header,
    headerRow: 1,
    notes: [],
    rows: async function* () {
      yield rows.slice(0, 2);
      yield rows.slice(2);
    },
  };
}

const columns = mapTable({ sheet: null, header }, { kind: 'recipients', mapping, fileName: 'f' });

async function rowsOf(table: SourceTable): Promise<SourceRow[]> {
  const all: SourceRow[] = [];
  for await (const group of table.rows()) all.push(...group);
  return all;
}

describe('totals', () => {
  const inFrancs = mapTable(
    { sheet: null, header },
    {
      kind: 'recipients',
      mapping: {
        ...mapping,
        constants: { payee_type: 'bank_account', currency: 'XAF' },
        repair: { Sum: ['thousands_marks'] },
        leaveOut: true,
      },
      fileName: 'f',
    },
  );
  const totalled = (amounts: readonly string[], total: string): SourceTable =>
    withoutNonRows(
      tableOf([
        ...amounts.map((amount, index) => [`C-${index}`, 'Ama Mensah', 'GCB', `0123${index}`, amount]),
        ['TOTAL', '', '', '', total],
      ]),
      { mapping: inFrancs, reading: plainReadingRules, isMeant: true, place: 'f' },
    );

  it('are compared with amounts as their currency has them', async () => {
    expect(await rowsOf(totalled(['125.000', '50 500', '1.500'], '177 000'))).toHaveLength(3);
    await expect(rowsOf(totalled(['125.000', '50 500', '1.500'], '176 000'))).rejects.toThrow('177000');
  });

  it('are not compared while the row of an amount is refused for it', async () => {
    expect(await rowsOf(totalled(['125.25', '50 500'], '177 000'))).toHaveLength(2);
  });
});

describe('ditto marks', () => {
  it('are the value above, of a row that is one, and told by cell', async () => {
    const table = tableOf([
      ['C-1', 'Ann', 'KCB', '1001', '5'],
      ['C-2', 'Ben', '"', '1002', 'do.'],
      ['', '', 'Head office', '', ''],
      ['C-3', 'Eve', '-"-', '1003', '7'],
      ['C-4', '"', 'NCBA', '1004', '〃'],
    ]);
    const rows = await rowsOf(withoutDittoMarks(table, columns));
    expect(rows.map(({ cells }) => [cells[1], cells[2], cells[4]])).toEqual([
      ['Ann', 'KCB', '5'],
      ['Ben', 'KCB', '5'],
      ['', 'Head office', ''],
      ['Eve', 'KCB', '7'],
      ['"', 'NCBA', '7'],
    ]);
    expect(rows.map(({ notes }) => notes)).toEqual([
      undefined,
      ['repaired Bank: ditto mark', 'repaired Sum: ditto mark'],
      undefined,
      ['repaired Bank: ditto mark'],
      ['repaired Sum: ditto mark'],
    ]);
  });

  it('without a value above them stay, and take over what the cell above was', async () => {
    const kinds = new Map<number, CellKind>([[4, 'number']]);
    const [first, second] = await rowsOf(
      withoutDittoMarks(
        {
          ...tableOf([]),
          rows: async function* () {
            yield [
              { number: 2, cells: ['C-1', 'Ann', 'ditto', '1001', '5'], kinds },
              { number: 3, cells: ['C-2', 'Ben', 'KCB', '1002', '"'] },
            ];
          },
        },
        columns,
      ),
    );
    expect(first?.cells[2]).toBe('ditto');
    expect(second?.kinds?.get(4)).toBe('number');
  });
});

describe('what the file says of the length of account numbers', () => {
  const account = (bank: string, number: string): string[] => ['C-1', 'Ann', bank, number, '5'];

  it('is the one length of an institution, as far as its numbers are sure', async () => {
    const lines = [
      ...['1000000001', '1000000002', '1000000003', '100000004'].map((number) => account('KCB', number)),
      ...['1000000001', '100000002', '10000003'].map((number) => account('NCBA', number)),
    ];
    const numbers = await withEvidence(
      columns,
      tableOf(lines, new Map([[3, 'number']])),
      plainReadingRules,
      false,
    );
    expect(numbers.accountLengths).toEqual(new Map([['kcb', 10]]));
    const texts = await withEvidence(columns, tableOf(lines), plainReadingRules, false);
    expect(texts.accountLengths).toEqual(new Map());
    const csv = await withEvidence(columns, tableOf(lines), plainReadingRules, true);
    expect(csv).toMatchObject({ isTextOnly: true, accountLengths: new Map([['kcb', 10]]) });
  });

  it('is not asked for where nothing is repaired by it', async () => {
    const { repair: _, ...plain } = mapping;
    const without = mapTable({ sheet: null, header }, { kind: 'recipients', mapping: plain, fileName: 'f' });
    expect(await withEvidence(without, tableOf([]), plainReadingRules, true)).toBe(without);
  });
});

describe('phones of an earlier file that were read as those of their country', () => {
  const ofPhones = mapTable(
    { sheet: null, header },
    {
      kind: 'recipients',
      mapping: {
        ...mapping,
        columns: {
          Customer: 'customer_external_id',
          Name: 'account_name',
          Account: 'phone_number',
          Sum: 'amount',
        },
        ignore: ['Bank'],
        constants: { payee_type: 'mobile_money', institution_name: 'GCash', currency: 'PHP' },
        phoneCountry: 'PH',
        repair: { Account: ['local_phone', 'phones_of_country'] },
      },
      fileName: 'f',
    },
  );
  const repairsWith = async (phones: readonly string[]): Promise<readonly string[]> => {
    const lines = phones.map((phone, at) => [`C-${at}`, 'Ann', '', phone, '5']);
    const read = await withEvidence(ofPhones, tableOf(lines), plainReadingRules, true);
    return [...(read.columns.find(({ field }) => field === 'phone_number')?.repairs ?? [])];
  };
  const own = ['0917 123 4561', '0917 123 4562', '+63 917 123 4563', '0917 123 4564', '09171234565'];

  it('are read so again, in a short file too', async () => {
    for (const phones of [[...own, '9614123456'], ['9614123456'], [...own.slice(0, 1), '9614123456']])
      expect(await repairsWith(phones)).toEqual(['local_phone', 'phones_of_country']);
  });

  it.each([
    ['another phone is of the other country', [...own, '+961 4 123 456', '9614123456']],
    ['most numbers could be of both', ['1', '2', '3', '4', '5'].map((last) => `961412345${last}`)],
  ])('are not where %s', async (_, phones) => {
    expect(await repairsWith(phones)).toEqual(['local_phone']);
  });
});
