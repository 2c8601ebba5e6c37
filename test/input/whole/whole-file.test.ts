import { read, utils, type WorkSheet, write } from '@e965/xlsx';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { zip } from '../../support/workbook.ts';
import { type ReadTable, readAll, refusalOf, removeTemporaryFiles } from '../reading.ts';

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

function example(bookType: 'biff8' | 'ods' | 'xlsb'): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, exampleSheet(), 'One');
  utils.book_append_sheet(book, utils.aoa_to_sheet([]), 'Two');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['q'], ['1']]), 'Three');
  return write(book, { type: 'buffer', bookType });
}

const ODS_TYPE = 'application/vnd.oasis.opendocument.spreadsheet';

/** A small `.ods` file with one sheet of that XML. */
function ods(table: string, start = ''): Buffer {
  const names = ['office', 'table', 'text', 'style'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const body = `<office:body><office:spreadsheet><table:table table:name="S">${table}</table:table></office:spreadsheet></office:body>`;
  const content = `${start}<office:document-content ${names.join(' ')}>${body}</office:document-content>`;
  const entry = (path: string, type: string) =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`;
  const manifest = `<manifest:manifest>${entry('/', ODS_TYPE)}${entry('content.xml', 'text/xml')}</manifest:manifest>`;
  return zip([
    { name: 'mimetype', data: ODS_TYPE, method: 'stored' },
    { name: 'META-INF/manifest.xml', data: manifest },
    { name: 'content.xml', data: content },
    { name: 'styles.xml', data: '<office:document-styles/>' },
  ]);
}

describe.each([
  ['xls', 'biff8'],
  ['ods', 'ods'],
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
    const wrong = format === 'ods' ? '' : '#REF!';
    expect([first?.number, first?.cells]).toEqual([
      3,
      ['x', '2023-03-15', '00420', 'TRUE', wrong, '123456789012.5'],
    ]);
    expect([second?.number, second?.cells]).toEqual([
      4,
      ['Zoë €', '2023-03-15 06:00:00', '420', 'FALSE', '', '-0.5'],
    ]);
    expect([first?.kinds?.get(1), first?.kinds?.get(2), second?.kinds?.get(2)]).toEqual([
      'date',
      'shown_number',
      'number',
    ]);
    if (format !== 'ods') expect(first?.kinds?.get(4)).toBe('error');
  });

  it('gives every sheet with something in it, and notes the others', () => {
    expect(tables.map((table) => table.sheet)).toEqual(['One', 'Three']);
    expect(tables[0]?.notes.join()).toContain('"Two"');
    expect(tables[0]?.notes.join()).toContain('merged');
  });
});

describe('limits and refusals', () => {
  it('the size, the time and the memory are limited', async () => {
    const content = example('biff8');
    expect((await refusalOf(content, { limits: { wholeFileBytes: 100 } })).code).toBe('limit_exceeded');
    expect((await refusalOf(content, { limits: { wholeFileTimeInMs: 1 } })).code).toBe('limit_exceeded');
    expect((await refusalOf(content, { limits: { wholeFileInflatedBytes: 10 } })).code).toBe(
      'limit_exceeded',
    );
    expect((await refusalOf(content, { limits: { columns: 3 } })).code).toBe('limit_exceeded');
  });

  it('an archive is looked at before the library sees it', async () => {
    const mimetype = {
      name: 'mimetype',
      data: 'application/vnd.oasis.opendocument.spreadsheet',
      method: 'stored',
    } as const;
    const bomb = zip([mimetype, { name: 'content.xml', data: 'x'.repeat(50_000_000) }]);
    expect((await refusalOf(bomb)).code).toBe('suspicious_compression');
    const wrong = zip([mimetype, { name: 'content.xml', data: '<x/>', checksum: 5 }]);
    expect((await refusalOf(wrong)).code).toBe('file_damaged');
    const encrypted = zip([
      mimetype,
      { name: 'META-INF/manifest.xml', data: '<m><manifest:encryption-data/></m>' },
    ]);
    expect((await refusalOf(encrypted)).code).toBe('encrypted_file');
  });

  it('memory is limited too', async () => {
    const refusal = await refusalOf(example('biff8'), { limits: { wholeFileMemoryInMib: 6 } });
    expect([refusal.code, refusal.message.includes('memory')]).toEqual(['limit_exceeded', true]);
  });

  it('cells that an .ods file repeats without end are counted, and a document type is refused', async () => {
    const row = '<table:table-row table:number-rows-repeated="1000000">';
    const cell = '<table:table-cell office:value-type="string" table:number-columns-repeated="900"/>';
    const repeated = await refusalOf(ods(`${row}${cell}</table:table-row>`));
    expect([repeated.code, repeated.message.includes('cells')]).toEqual(['limit_exceeded', true]);
    expect((await refusalOf(ods('', '<!DOCTYPE x [<!ENTITY a "b">]>'))).code).toBe('document_type');
  });

  it('hidden rows, columns and sheets of an .ods file are read, and noted', async () => {
    const text = (value: string) =>
      `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
    const content = ods(
      `<table:table-column table:visibility="collapse"/><table:table-row>${text('a')}</table:table-row>` +
        `<table:table-row table:visibility="filter">${text('x')}</table:table-row>`,
    );
    const { tables } = await readAll(content);
    expect(tables[0]?.cells).toEqual([['x']]);
    expect(tables[0]?.notes).toEqual(['there are hidden columns and rows; they are read like the others']);
  });

  it('an encrypted workbook, a document and a cut off workbook are told apart', async () => {
    const start = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    const named = (name: string) =>
      Buffer.concat([start, Buffer.alloc(600), Buffer.from(name, 'utf16le'), Buffer.alloc(600)]);
    expect((await refusalOf(named('EncryptedPackage'))).code).toBe('encrypted_file');
    expect((await refusalOf(named('WordDocument'))).code).toBe('document_file');
    const content = example('biff8');
    expect((await refusalOf(content.subarray(0, 1024))).code).toMatch(/^(?:file_damaged|document_file)$/);
    expect(read(content).SheetNames).toHaveLength(3);
  });
});
