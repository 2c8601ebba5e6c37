import { type BookType, utils, write } from '@e965/xlsx';
import { afterEach, describe, expect, it } from 'vitest';
import { plainText } from '../../../src/domain/settings/message.ts';
import type { OpenedTable } from '../../../src/read/rows/input-table.ts';
import { openInput } from '../../../src/read/sources/open-file.ts';
import { removeTemporaryFiles, rowsOf, temporaryFile } from '../reading.ts';

afterEach(removeTemporaryFiles);

const lines = [
  ['Supplier payments', '', '', '', '', ''],
  ['', '', '', '', '', ''],
  ['No.', 'Supplier', '', 'Bank', '', 'Remarks'],
  ['', 'Code', 'Name', 'Name', 'Account', ''],
  ['1', 'S-1', 'Ann', 'KCB', '0123', 'x'],
];

const titles = ['No.', 'Supplier / Code', 'Supplier / Name', 'Bank / Name', 'Bank / Account', 'Remarks'];

function workbook(bookType: BookType): Buffer {
  const sheet = utils.aoa_to_sheet(lines);
  sheet['!merges'] = ['A1:F1', 'B3:C3', 'D3:E3', 'A3:A4', 'F3:F4'].map((range) => utils.decode_range(range));
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'Payments');
  return write(book, { bookType, type: 'buffer' });
}

async function withFile<Result>(
  name: string,
  content: string | Buffer,
  work: (table: OpenedTable) => Promise<Result>,
): Promise<Result> {
  const file = await openInput(temporaryFile(name, content));
  try {
    const [table] = file.tables;
    if (table === undefined) throw new Error('no table');
    return await work(table);
  } finally {
    await file.close();
  }
}

describe('a header of two rows', () => {
  it.each<BookType>(['xlsx', 'ods', 'xls', 'xlsb'])('has the titles of merged cells in %s', async (type) => {
    await withFile(`list.${type}`, workbook(type), async (table) => {
      const below = await table.below([3, 4]);
      expect(below.header).toEqual(titles);
      expect(below.headerRow).toBe(4);
      expect(below.above?.map(({ number }) => number)).toEqual([1]);
      expect((await rowsOf(below)).map(({ cells }) => cells)).toEqual([
        ['1', 'S-1', 'Ann', 'KCB', '0123', 'x'],
      ]);
      expect(below.notes).toContain(
        'the header is rows 3 and 4, as stated; the lines above it are not read as rows',
      );
      expect(below.notes.map(plainText).join()).not.toContain('the header is row 1');
      expect(below.sheet).toBe('Payments');
      const { rows, merged } = await table.top();
      expect(rows.map(({ number }) => number)).toEqual([1, 3, 4, 5]);
      expect(merged).toContainEqual({ firstRow: 3, lastRow: 3, firstColumn: 2, lastColumn: 3 });
    });
  });

  it('takes, in CSV, the nearest upper title on the left, unless that one has nothing below it', async () => {
    const csv = lines.map((cells) => cells.join(',')).join('\r\n');
    await withFile('list.csv', csv, async (table) => {
      expect((await table.below([3, 4])).header).toEqual(titles);
    });
    const spread = 'No.,,Bank,\r\n,Code,Name,Account\r\n1,2,3,4\r\n';
    await withFile('list.csv', spread, async (table) => {
      expect((await table.below([1, 2])).header).toEqual(['No.', 'Code', 'Bank / Name', 'Bank / Account']);
    });
  });
});

describe('a header of one row', () => {
  it('is the row that was named, whatever is above it', async () => {
    await withFile(
      'list.csv',
      'A title,,\r\nPrinted,today,\r\nName,Phone,Sum\r\nAnn,1,2\r\n',
      async (table) => {
        const below = await table.below([3]);
        expect(below.header).toEqual(['Name', 'Phone', 'Sum']);
        expect(await rowsOf(below)).toHaveLength(1);
        await expect(table.below([9])).rejects.toMatchObject({ code: 'header_missing' });
      },
    );
  });
});

describe('a file in another dialect', () => {
  it('is read with the stated characters, without being opened twice', async () => {
    const file = await openInput(temporaryFile('list.csv', Buffer.from('Naam|Stra\xdfe\n1|2\n', 'latin1')));
    const inDialect = await file.inDialect({ delimiter: '|', encoding: 'windows-1252' });
    expect(inDialect.tables[0]?.header).toEqual(['Naam', 'Straße']);
    expect(inDialect.contentHash).toBe(file.contentHash);
    await file.close();
  });
});
