import { CFB, utils, type WorkSheet, write } from '@e965/xlsx';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { zip } from '../../../support/workbook.ts';
import { type ReadTable, readAll, readTable, refusalOf, removeTemporaryFiles } from '../../reading.ts';

afterEach(removeTemporaryFiles);

function exampleSheet(): WorkSheet {
  const sheet = utils.aoa_to_sheet([
    ['id', 'day', 'code', 'yes', 'wrong', 'number'],
    [],
    [
      'x',
      { t: 'n', v: 45000, z: 'yyyy-mm-dd' },
      { t: 'n', v: 420, z: '00000' },
      true,
      { t: 'e', v: 0x17 },
      123456789012.5,
    ],
    ['Zoë €', { t: 'n', v: 45000.25, z: 'dd/mm/yyyy hh:mm' }, 420, false, '', -0.5],
  ]);
  sheet['!merges'] = [utils.decode_range('A1:A2')];
  return sheet;
}

function example(bookType: 'biff8' | 'xlsb'): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, exampleSheet(), 'One');
  utils.book_append_sheet(book, utils.aoa_to_sheet([]), 'Two');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['q'], ['1']]), 'Three');
  return write(book, { type: 'buffer', bookType });
}

describe.each([
  ['xls', 'biff8'],
  ['xlsb', 'xlsb'],
] as const)('%s', (format, bookType) => {
  let tables: ReadTable[];
  let found: string;

  beforeAll(async () => {
    const result = await readAll(example(bookType), {}, 'list.csv');
    tables = result.tables;
    found = result.file.format;
  });

  it('is known by its content', () => {
    expect(found).toBe(format);
  });

  it('gives rows with their numbers, texts and kinds', () => {
    const [first, second] = tables[0]?.rows ?? [];
    expect([first?.number, first?.cells]).toEqual([
      3,
      ['x', '2023-03-15', '00420', 'TRUE', '#REF!', '123456789012.5'],
    ]);
    expect([second?.number, second?.cells]).toEqual([
      4,
      ['Zoë €', '2023-03-15 06:00:00', '420', 'FALSE', '', '-0.5'],
    ]);
    expect([1, 2, 4].map((column) => first?.kinds?.get(column))).toEqual(['date', 'shown_number', 'error']);
    expect(second?.kinds?.get(2)).toBe('number');
  });

  it('gives every sheet with something in it, and notes the others', () => {
    expect(tables.map((table) => table.sheet)).toEqual(['One', 'Three']);
    expect(tables[0]?.notes.join()).toContain('"Two"');
    expect(tables[0]?.notes.join()).toContain('merged');
  });
});

describe('rows without a cell that can be read', () => {
  const withRange = (range: string, bookType: 'biff8' | 'xlsb') => {
    const book = utils.book_new();
    const sheet = utils.aoa_to_sheet([['Payments'], [], ['id', 'name'], ['1', 'Amina'], [], ['2', 'Zoë']]);
    sheet['!ref'] = range;
    utils.book_append_sheet(book, sheet, 'S');
    return write(book, { type: 'buffer', bookType });
  };
  const isHeader = (cells: readonly string[]) => cells[0] === 'id';

  it.each(['biff8', 'xlsb'] as const)('are counted below the header (%s)', async (bookType) => {
    const notes = async (range: string) =>
      (await readTable(withRange(range, bookType), { isHeader })).notes.filter((note) =>
        note.includes('cell'),
      );
    expect(await notes('A1:B6')).toEqual([
      'one of the rows 4 to 6 of the sheet has no cell that can be read, and is left out',
    ]);
    expect(await notes('A1:B20')).toEqual([
      '15 of the rows 4 to 20 of the sheet have no cell that can be read, and are left out',
    ]);
  });
});

it('an .xls file as programs wrote it before 1997 is read', async () => {
  const book = utils.book_new();
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['id', 'code'],
      ['x', '00420'],
    ]),
    'S',
  );
  const { tables } = await readAll(write(book, { type: 'buffer', bookType: 'biff5' }));
  expect(tables.map(({ sheet, cells }) => [sheet, cells])).toEqual([['S', [['x', '00420']]]]);
});

describe('limits and refusals', () => {
  it.each([
    ['its size', { wholeFileBytes: 100 }, '100 bytes'],
    ['the time until it ends', { wholeFileTimeInMs: 1 }, 'took'],
    ['the time on the processor', { wholeFileCpuInMs: -1, wholeFileCpuPerMibInMs: 0 }, 'took'],
    ['the memory', { wholeFileMemoryInMib: 4, wholeFileMemoryPerMib: 0 }, 'memory'],
    ['what comes out of it', { wholeFileInflatedBytes: 10 }, 'larger'],
    ['its columns', { columns: 3 }, 'column'],
  ])('%s is limited', async (_, limits, word) => {
    const { code, message } = await refusalOf(example('biff8'), { limits });
    expect([code, message.includes(word)]).toEqual(['limit_exceeded', true]);
  });

  it('an encrypted workbook, a document and a cut off workbook are distinguished', async () => {
    const withStream = (name: string): Buffer => {
      const container = CFB.utils.cfb_new();
      CFB.utils.cfb_add(container, name, Buffer.alloc(5000));
      return CFB.write(container, { type: 'buffer' });
    };
    expect((await refusalOf(withStream('/EncryptedPackage'))).code).toBe('encrypted_file');
    expect((await refusalOf(withStream('/WordDocument'))).code).toBe('document_file');
    expect((await refusalOf(withStream('/ObjectPool/Workbook'))).code).toBe('document_file');
    expect((await refusalOf(example('biff8').subarray(0, 1024))).code).toBe('file_damaged');
  });

  it('an archive is looked at before the library sees it', async () => {
    const parts = (data: string, checksum?: number) => [
      { name: '[Content_Types].xml', data: '<Types/>' },
      {
        name: '_rels/.rels',
        data: '<R><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></R>',
      },
      { name: 'xl/workbook.bin', data, ...(checksum === undefined ? {} : { checksum }) },
    ];
    expect((await refusalOf(zip(parts('x'.repeat(15_000_000))))).code).toBe('suspicious_compression');
    expect((await refusalOf(zip(parts('x', 5)))).code).toBe('file_damaged');
    expect((await refusalOf(zip(parts('x')))).code).toBe('file_damaged');
  });
});
