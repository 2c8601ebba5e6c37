import { describe, expect, it } from 'vitest';
import { plainReadingRules } from '../../../src/domain/tables/mapping.ts';
import {
  type CellKind,
  type SourceRow,
  type SourceTable,
  tableLike,
} from '../../../src/domain/tables/table.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { mapTable } from '../../../src/read/mapping/table-mapping.ts';
import { withTitlesNamed } from '../../../src/read/mapping/titles.ts';
import { withHeadings, withoutNonRows, withValuesAbove } from '../../../src/read/rows/prepared-rows.ts';
import { header, mapping, tableOf } from './payee-table.ts';

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
  it('are the value above, of a line that is a row, and reported by cell', async () => {
    const table = tableOf([
      ['C-1', 'Ann', 'KCB', '1001', '5'],
      ['C-2', 'Ben', '"', '1002', 'do.'],
      ['', '', 'Head office', '', ''],
      ['C-3', 'Eve', '-"-', '1003', '7'],
      ['C-4', '"', 'NCBA', '1004', '〃'],
    ]);
    const rows = await rowsOf(withValuesAbove(table, columns, false));
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
      withValuesAbove(
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
        false,
      ),
    );
    expect(first?.cells[2]).toBe('ditto');
    expect(second?.kinds?.get(4)).toBe('number');
  });
});

describe('values that are written once for a group of rows', () => {
  const grouped = mapTable(
    { sheet: null, header },
    {
      kind: 'recipients',
      mapping: { ...mapping, repair: { Bank: ['value_above', 'ditto'] } },
      fileName: 'f',
    },
  );
  const list = tableOf([
    ['C-1', 'Ann', 'KCB', '1001', '5'],
    ['C-2', 'Ben', '', '1002', '6'],
    ['C-3', 'Eve', ' "', '1003', '7'],
    ['', 'Subtotal', '', '', '18'],
    ['C-4', 'Dan', '', '1004', '8'],
    ['C-5', 'Fay', 'NCBA', '1005', '9'],
    ['C-6', 'Gil', '', '', '9'],
  ]);

  it('count for the rows below, up to a line that is no row', async () => {
    const rows = await rowsOf(withValuesAbove(list, grouped, false));
    expect(rows.map(({ cells }) => cells[2])).toEqual(['KCB', 'KCB', 'KCB', '', '', 'NCBA', 'NCBA']);
    expect(rows[1]?.notes).toEqual(['repaired Bank: value above']);
    expect(rows[6]?.cells[3], 'a column without the repair').toBe('');
  });

  it('are not filled in among single rows of an earlier file', async () => {
    const rows = await rowsOf(withValuesAbove(list, grouped, true));
    expect(rows.map(({ cells }) => cells[2])).toEqual(['KCB', '', 'KCB', '', '', 'NCBA', '']);
  });
});

describe('values of the headings between the rows', () => {
  const { Bank, ...others } = mapping.columns ?? {};
  const grouped: MappingFile = {
    ...mapping,
    columns: { ...others, '(heading)': Bank ?? '' },
    ignore: ['Bank'],
  };
  const table = withTitlesNamed(
    tableOf([
      ['BANK: KCB', '', '', '', ''],
      ['C-1', 'Ann', 'rent', '1001', '5'],
      ['C-2', 'Ben', '', '1002', '6'],
      ['', 'Subtotal', '', '', '11'],
      ['C-3', 'Eve', '', '1003', '7'],
      ['NCBA', '', '', '', ''],
      ['C-4', 'Dan', '', '1004', '8'],
    ]),
    grouped,
  );
  const ofGroups = mapTable(table, { kind: 'recipients', mapping: grouped, fileName: 'f' });
  const banksOf = async (isCorrection: boolean) =>
    (await rowsOf(withHeadings(table, ofGroups, isCorrection))).map(({ cells }) => cells[5]);

  it('count for the rows below, up to a total', async () => {
    expect(await banksOf(false)).toEqual(['', 'KCB', 'KCB', '', '', '', 'NCBA']);
  });

  it('are those of the line above the titles for the first rows', async () => {
    const [first, ...others] = await rowsOf(table);
    const below = {
      ...tableLike(table, {
        rows: async function* () {
          yield others;
        },
      }),
      above: [first ?? { number: 1, cells: [] }],
    };
    const [row] = await rowsOf(withHeadings(below, ofGroups, false));
    expect(row?.cells[5]).toBe('KCB');
  });

  it('are not filled in among single rows of an earlier file', async () => {
    expect(await banksOf(true)).toEqual(['', '', '', '', '', '', '']);
  });

  it('do not replace the value that a row has', async () => {
    const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
      yield [
        { number: 2, cells: ['KCB', '', '', '', '', ''] },
        { number: 3, cells: ['C-1', 'Ann', '', '1001', '5', 'NCBA'] },
      ];
    };
    const [, row] = await rowsOf(withHeadings(tableLike(table, { rows }), ofGroups, false));
    expect(row?.cells[5]).toBe('NCBA');
  });
});
