import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/domain/settings/message.ts';
import type { MappedColumn } from '../../../src/domain/tables/mapping.ts';
import type { RowLook } from '../../../src/domain/tables/row-marks.ts';
import type { SourceRow, SourceTable } from '../../../src/domain/tables/table.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { withMarkedRows } from '../../../src/read/rows/marked-rows.ts';

const header = ['Ref', 'Name', 'IBAN', 'Pd?'];
const struck: RowLook = { marks: ['struck through'], partly: [] };
const yellow: RowLook = { marks: ['yellow FFFF00'], partly: [] };
const columns: readonly MappedColumn[] = [
  { field: 'customer_external_id', title: 'Ref', index: 0 },
  { field: 'account_name', title: 'Name', index: 1 },
  { field: 'iban', title: 'IBAN', index: 2 },
];

function tableOf(rows: readonly SourceRow[]): SourceTable {
  return {
    sheet: 'S',
    header,
    headerRow: 1,
    notes: [],
    rows: async function* () {
      yield rows;
    },
  };
}

function row(number: number, paid = '', look?: RowLook): SourceRow {
  const cells = [`C-${number}`, `Name ${number}`, 'ES00', paid];
  return { number, cells, ...(look === undefined ? {} : { look }) };
}

async function read(
  rows: readonly SourceRow[],
  stated: Pick<MappingFile, 'markedRows' | 'markedValues'>,
  refuseNew: Parameters<typeof withMarkedRows>[1]['refuseNew'] = null,
) {
  const table = withMarkedRows(tableOf(rows), {
    mapping: { kind: 'recipients', columns },
    stated,
    refuseNew,
  });
  const kept: SourceRow[] = [];
  for await (const group of table.rows()) kept.push(...group);
  return {
    kept: kept.map(({ number }) => number),
    held: kept.flatMap(({ number, heldFor }) => (heldFor === undefined ? [] : [number])),
    notes: table.notes.map(plainText),
  };
}

const some = [row(2), row(3, '', struck), row(4, '', yellow), row(5), row(6, '', struck), row(7)];

describe('marked rows', () => {
  it('are left out and named, held, or sent, as a person has said', async () => {
    expect(
      await read(some, { markedRows: { 'struck through': 'leave_out', 'yellow FFFF00': 'hold' } }),
    ).toEqual({
      kept: [2, 4, 5, 7],
      held: [4],
      notes: ['2 rows are left out, since they are struck through: 3, 6'],
    });
    expect((await read(some, { markedRows: { 'struck through': 'send' } })).kept).toHaveLength(6);
  });

  it('are recognised by the value of a column, and held with a value that the mapping does not name', async () => {
    const rows = [row(2), row(3, 'Yes'), row(4, 'no'), row(5, 'maybe')];
    expect(
      await read(rows, { markedValues: { 'pd?': { yes: 'leave_out', no: 'send', '': 'send' } } }),
    ).toEqual({
      kept: [2, 4, 5],
      held: [5],
      notes: ['1 row is left out, since it is "Yes" in "pd?": 3'],
    });
  });

  it('are named as empty where the column has nothing', async () => {
    const { notes } = await read([row(2), row(3, 'ok')], {
      markedValues: { 'Pd?': { ok: 'send', '': 'leave_out' } },
    });
    expect(notes).toEqual(['1 row is left out, since it is empty in "Pd?": 2']);
  });

  it('are sent with any other value where a person has said so, but for one that says it is not to be sent', async () => {
    const rows = [row(2), row(3, 'promised'), row(4, 'HOLD - case 7'), row(5, 'paid 12/11')];
    const stated = { markedValues: { 'Pd?': { 'HOLD - case 2': 'leave_out', '*': 'send' } } } as const;
    expect(await read(rows, stated)).toEqual({ kept: [2, 3, 4, 5], held: [4, 5], notes: [] });
    const named = { markedValues: { 'Pd?': { 'hold - case 7': 'send', '*': 'send' } } } as const;
    expect((await read(rows, named)).held).toEqual([5]);
  });

  it('are left out rather than held where two marks say different things', async () => {
    const stated = {
      markedRows: { 'struck through': 'hold' },
      markedValues: { 'Pd?': { x: 'leave_out' } },
    } as const;
    expect((await read([row(2, 'x', struck)], stated)).kept).toEqual([]);
  });

  it('are all held where a person has said so of a line that explains lost colours', async () => {
    expect((await read([row(2), row(3)], { markedRows: { 'said: yellow = wait': 'hold' } })).held).toEqual([
      2, 3,
    ]);
  });

  it('refuse the file where they are marked in a new way', async () => {
    const settled = { markedRows: { 'struck through': 'leave_out' } } as const;
    await expect(read(some, settled, { place: 'a.xlsx', path: 'a.xlsx' })).rejects.toMatchObject({
      code: 'mapping_open',
      message: expect.stringContaining('yellow FFFF00 (row 4)'),
    });
    const known = { markedRows: { ...settled.markedRows, 'yellow FFFF00': 'send' } } as const;
    expect((await read(some, known, { place: 'a.xlsx', path: 'a.xlsx' })).kept).toEqual([2, 4, 5, 7]);
  });
});
